"""verification_validation, mapping_validation: finds every source row again, as a document or a
finding.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.sources import Row
from sortkey_systems.jobengine.stages.data_migration.dataset_selection import Selection
from sortkey_systems.jobengine.stages.data_migration.document_checks import referred
from sortkey_systems.jobengine.stages.data_migration.documents import Built, build_batch, id_of
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.migration_planning.etl_script import Dataset, EtlPlan
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import ReferenceMapping
from sortkey_systems.jobengine.stages.work import StepContext, Work

EXAMPLES_MAX = 5


@dataclass(slots=True)
class TableProof:
    """One table: rows in the source, documents in the target, and differences."""

    table: str
    resource: str
    source_rows: int = 0
    documents: int = 0
    refused: int = 0
    duplicates: int = 0
    lost: list[str] = field(default_factory=list[str])
    """Rows that are neither a document nor a finding. At most five are listed."""
    lost_rows: int = 0
    changed: list[str] = field(default_factory=list[str])
    changed_rows: int = 0

    @property
    def adds_up(self) -> bool:
        return self.source_rows == self.documents + self.refused + self.duplicates


@dataclass(slots=True)
class JoinProof:
    """A junction table: its rows, and how many are found as references."""

    table: str
    rows: int = 0
    found: int = 0


@dataclass(slots=True)
class MappingValidation:
    """All migrated tables, and those that became references."""

    tables: list[TableProof]
    joins: list[JoinProof] = field(default_factory=list[JoinProof])

    @property
    def is_proven(self) -> bool:
        return all(
            table.adds_up and not table.lost_rows and not table.changed_rows
            for table in self.tables
        )


def mapping_validation(work: Work, ctx: StepContext) -> MappingValidation:
    """Read the source again and compare, row by row."""
    plan, selection = (
        work.result("etl_script", EtlPlan),
        work.result("dataset_selection", Selection),
    )
    result = MappingValidation([])
    with open_target(work) as target:
        for dataset in plan.datasets:
            if dataset.table in selection.rows:
                result.tables.append(_proof(work, ctx, target, plan, dataset))
                ctx.progress(100 * len(result.tables) // len(selection.rows))
        joined = [
            reference
            for dataset in plan.datasets
            for reference in dataset.references
            if reference.kind == "joined"
        ]
        for table in sorted({joining.via for joining in joined if joining.via}):
            result.joins.append(
                _join_proof(
                    work, ctx, target, plan, [joining for joining in joined if joining.via == table]
                )
            )
    for proof in result.tables:
        if proof.lost_rows or proof.changed_rows or not proof.adds_up:
            text = f"{proof.table}: {proof.lost_rows} rows lost, {proof.changed_rows} changed"
            ctx.log(
                "ERROR",
                text,
                table=proof.table,
                lost=proof.lost,
                changed=proof.changed,
            )
    rows = sum(proof.source_rows for proof in result.tables)
    ctx.log(
        "INFO",
        f"{rows} rows of {len(result.tables)} tables compared",
        rows=rows,
        is_proven=result.is_proven,
    )
    return result


def _proof(
    work: Work, ctx: StepContext, target: Target, plan: EtlPlan, dataset: Dataset
) -> TableProof:
    counts = target.counts(dataset.resource, dataset.table)
    proof = TableProof(
        dataset.table, dataset.resource, 0, counts.written, counts.refused, counts.duplicates
    )
    for batch in work.source.batches(dataset.table, work.batch_rows):
        ctx.check_cancelled()
        for built in build_batch(work.source, plan, dataset, batch):
            proof.source_rows += 1
            _compare(target, dataset, built, proof)
    return proof


def _join_proof(
    work: Work, ctx: StepContext, target: Target, plan: EtlPlan, references: list[ReferenceMapping]
) -> JoinProof:
    proof = JoinProof(references[0].via or "")
    for batch in work.source.batches(proof.table, work.batch_rows):
        ctx.check_cancelled()
        for row in batch.rows:
            proof.rows += 1
            proof.found += any(
                _is_referred(target, plan, reference, row) for reference in references
            )
    return proof


def _is_referred(target: Target, plan: EtlPlan, reference: ReferenceMapping, row: Row) -> bool:
    """Whether the document of one side refers to the other, and both exist."""
    one, other = plan.dataset(reference.table), plan.dataset(reference.target_table)
    assert one is not None
    assert other is not None
    if len(one.key) != 1 or len(other.key) != 1:
        return False
    document_id = id_of({one.key[0]: row[reference.via_column or ""]}, one)
    reference_id = id_of({other.key[0]: row[reference.via_target or ""]}, other)
    document = target.document(one.resource, document_id) if document_id and reference_id else None
    if document is None or reference_id is None:
        return False
    return reference_id in referred(document, reference.path) and target.has(
        other.resource, reference_id
    )


def _compare(target: Target, dataset: Dataset, built: Built, proof: TableProof) -> None:
    document = target.document_of(dataset.resource, built.origin)
    if document is None:
        if not target.is_refused(built.origin):
            proof.lost_rows += 1
            proof.lost += [built.origin][: EXAMPLES_MAX - len(proof.lost)]
    elif document != built.document:
        proof.changed_rows += 1
        proof.changed += [built.origin][: EXAMPLES_MAX - len(proof.changed)]
