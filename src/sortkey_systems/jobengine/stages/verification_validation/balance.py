"""Where every row of the source went, by table: documents, references, refused, left behind, or
left out by a rule.

The whole source is counted, also what no stage after the analysis looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.jobengine.stages.data_migration.dataset_selection import Selection
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.api_coverage_analysis import Coverage
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.verification_validation.integrity import Integrity
from sortkey_systems.jobengine.stages.verification_validation.mapping_validation import (
    MappingValidation,
    TableProof,
)
from sortkey_systems.jobengine.stages.work import Work


@dataclass(slots=True)
class TableBalance:
    """One table of the source. Its rows are the sum of what became of them."""

    table: str
    resource: str = ""
    rows: int = 0
    documents: int = 0
    references: int = 0
    """Rows of a table that only joins others, found again as references between documents."""
    refused: int = 0
    duplicates: int = 0
    left_behind: int = 0
    left_out: int = 0
    """By a rule of the journey: somebody decided it."""
    unexplained: int = 0
    reason: str = ""
    """Why rows were left behind or out."""
    values: int = 0
    """Of the columns that are attributes, in the rows that are documents."""
    values_refused: int = 0
    references_dropped: int = 0
    """Those of them that could not be converted; and references to rows that the source does not
    have.
    """
    columns: int = 0
    columns_mapped: int = 0

    @property
    def lost(self) -> int:
        return self.rows - self.documents - self.references - self.left_out


@dataclass(slots=True)
class Balance:
    """All tables of the source; and the references of all documents with those that lead
    nowhere.
    """

    tables: list[TableBalance]
    references: int = 0
    references_dangling: int = 0

    @property
    def rows(self) -> int:
        return sum(each.rows for each in self.tables)

    @property
    def left_out(self) -> int:
        return sum(each.left_out for each in self.tables)

    @property
    def lost(self) -> int:
        return sum(each.lost for each in self.tables)

    @property
    def documents(self) -> int:
        return sum(each.documents for each in self.tables)

    @property
    def values(self) -> int:
        return sum(each.values for each in self.tables)

    @property
    def values_refused(self) -> int:
        return sum(each.values_refused for each in self.tables)

    @property
    def columns(self) -> tuple[int, int]:
        """Those that are in the target, and all."""
        return sum(each.columns_mapped for each in self.tables), sum(
            each.columns for each in self.tables
        )


def count_source(work: Work, target: Target) -> Balance:
    """Count what became of every row. Tables that were not migrated are counted again, as they are
    now.
    """
    schema, whole = (
        work.result("schema_extraction", ExtractedSchema),
        work.result("integrity", Integrity),
    )
    counting = _Counting(work, target)
    found = Balance([counting.table(table.name) for table in schema.tables])
    dropped = sum(each.references_dropped for each in found.tables)
    found.references, found.references_dangling = (
        whole.references + dropped,
        whole.dangling + dropped,
    )
    return found


class _Counting:
    def __init__(self, work: Work, target: Target) -> None:
        self.work, self.target = work, target
        self.plan, self.selection = (
            work.result("etl_script", EtlPlan),
            work.result("dataset_selection", Selection),
        )
        self.proof = work.result("mapping_validation", MappingValidation)
        stripped, matches = (
            work.result("schema_stripping", StrippedSchema),
            work.result("tmf_api_matching", ApiMatches),
        )
        self.removed = {each.table: each for each in stripped.removed if each.column is None}
        self.unmatched = dict(matches.unmatched)
        self.coverage = {
            each.table: each for each in work.result("api_coverage_analysis", Coverage).columns
        }

    def table(self, name: str) -> TableBalance:
        found = self._rows(name)
        columns = self.coverage[name]
        found.columns = columns.counted
        found.columns_mapped = len(columns.mapped) if found.documents or found.references else 0
        return found

    def _rows(self, name: str) -> TableBalance:
        proof = next((each for each in self.proof.tables if each.table == name), None)
        if proof is not None:
            return self._migrated(proof)
        join = next((each for each in self.proof.joins if each.table == name), None)
        if join is not None:
            reason = (
                "its rows join rows that are not both in the target"
                if join.found < join.rows
                else ""
            )
            return TableBalance(
                name,
                "",
                join.rows,
                references=join.found,
                left_behind=join.rows - join.found,
                reason=reason,
            )
        rows, removed = self.work.source.count(name), self.removed.get(name)
        if (removed is not None and removed.is_decided) or name in self.selection.left_out:
            return TableBalance(name, "", rows, left_out=rows, reason="a rule leaves it out")
        reason = (
            removed.reason
            if removed
            else self.unmatched.get(name, "no resource refers to what it joins")
        )
        return TableBalance(name, "", rows, left_behind=rows, reason=reason if rows else "")

    def _migrated(self, proof: TableProof) -> TableBalance:
        dataset = self.plan.dataset(proof.table)
        assert dataset is not None
        linked = {each.path for each in dataset.references}
        findings = self.target.findings_of_documents(proof.table)
        return TableBalance(
            proof.table,
            proof.resource,
            proof.source_rows,
            documents=proof.documents,
            refused=proof.refused,
            duplicates=proof.duplicates,
            unexplained=proof.source_rows - proof.documents - proof.refused - proof.duplicates,
            values=proof.documents * len(dataset.fields),
            values_refused=sum(count for path, count in findings.items() if path not in linked),
            references_dropped=sum(count for path, count in findings.items() if path in linked),
        )
