"""data_migration, compliance_test: whether what was just written has the shapes that TMF
asks for.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey_systems.jobengine.stages.data_migration.document_checks import Outcome, run_checks
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.migration_planning.validation_rules import ValidationRules
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class ComplianceTest:
    """The outcome against the share that is asked for."""

    outcome: Outcome
    threshold: float

    @property
    def is_passed(self) -> bool:
        return self.outcome.share >= self.threshold


def compliance_test(work: Work, ctx: StepContext) -> ComplianceTest:
    """Required attributes, types and enumerations. References are verified later, when all is
    there.
    """
    rules = work.result("validation_rules", ValidationRules)
    with open_target(work) as target:
        shape = [each for each in rules.checks if each.rule is None and each.kind != "reference"]
        found = ComplianceTest(run_checks(target, shape), rules.validation)
    outcome = found.outcome
    for each in outcome.failed:
        ctx.log(
            "WARNING",
            f"{each.check}: not in {each.failed} of {each.checked}",
            examples=each.examples,
        )
    text = (
        f"{outcome.share:.1%} of {outcome.documents} documents are valid; {found.threshold:.0%} "
        "are asked for"
    )
    ctx.log("INFO" if found.is_passed else "ERROR", text, share=outcome.share)
    ctx.progress(100)
    return found
