"""verification_validation, integrity: ids are unique, references resolve, and counts add up."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.data_migration.document_checks import CheckOutcome, run_checks
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.migration_planning.validation_rules import ValidationRules
from sortkey_systems.jobengine.stages.verification_validation.mapping_validation import (
    MappingValidation,
)
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class Integrity:
    """References that were looked up, broken references, and counts that do not add up."""

    documents: int
    references: int
    dangling: int
    dangling_by: list[CheckOutcome]
    ids_repeated: int = 0
    counts_wrong: list[str] = field(default_factory=list[str])

    @property
    def is_whole(self) -> bool:
        return not self.dangling and not self.ids_repeated and not self.counts_wrong


def integrity(work: Work, ctx: StepContext) -> Integrity:
    """Check ids, references and counts. A reference to a refused row is reported as broken too."""
    rules, proof = (
        work.result("validation_rules", ValidationRules),
        work.result("mapping_validation", MappingValidation),
    )
    with open_target(work) as target:
        outcome = run_checks(target, [check for check in rules.checks if check.kind == "reference"])
        repeated = sum(_repeated_ids(target, name) for name in target.resources())
    result = Integrity(
        outcome.documents,
        sum(check.checked for check in outcome.checks),
        sum(check.failed for check in outcome.checks),
        outcome.failed,
        repeated,
        [table.table for table in proof.tables if not table.adds_up],
    )
    for reference in result.dangling_by:
        text = f"{reference.check}: {reference.failed} of {reference.checked} lead nowhere"
        ctx.log("WARNING", text, examples=reference.examples)
    ctx.log("INFO", f"{result.references} references looked up, {result.dangling} lead nowhere")
    ctx.progress(100)
    return result


def _repeated_ids(target: Target, resource: str) -> int:
    """Count repeated ids. Documents are ordered by id, so duplicates are adjacent."""
    repeated, before = 0, None
    for _, document in target.documents(resource):
        repeated += document["id"] == before
        before = document["id"]
    return repeated
