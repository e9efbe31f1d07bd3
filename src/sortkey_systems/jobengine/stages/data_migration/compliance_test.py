"""data_migration, compliance_test: checks the written documents against the TMF schemas."""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.jobengine.stages.data_migration.document_checks import Outcome, run_checks
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.migration_planning.validation_rules import ValidationRules
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class ComplianceTest:
    """The result, compared with the required share."""

    outcome: Outcome
    threshold: float

    @property
    def is_passed(self) -> bool:
        return self.outcome.share >= self.threshold


def compliance_test(work: Work, ctx: StepContext) -> ComplianceTest:
    """Check required attributes, types and enumerations. References are verified later, when all
    documents exist.
    """
    rules = work.result("validation_rules", ValidationRules)
    with open_target(work) as target:
        shape = [
            check for check in rules.checks if check.rule is None and check.kind != "reference"
        ]
        result = ComplianceTest(run_checks(target, shape), rules.validation)
    outcome = result.outcome
    for failed_check in outcome.failed:
        ctx.log(
            "WARNING",
            f"{failed_check.check}: not in {failed_check.failed} of {failed_check.checked}",
            examples=failed_check.examples,
        )
    text = (
        f"{outcome.share:.1%} of {outcome.documents} documents are valid; {result.threshold:.0%} "
        "are asked for"
    )
    ctx.log("INFO" if result.is_passed else "ERROR", text, share=outcome.share)
    ctx.progress(100)
    return result
