"""verification_validation, compliance_check: whether every rule was applied, and how many documents
comply.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.rules.rule_book import Application
from sortkey_systems.jobengine.stages.data_migration.dataset_selection import Selection
from sortkey_systems.jobengine.stages.data_migration.document_checks import Outcome, run_checks
from sortkey_systems.jobengine.stages.data_migration.ownership import open_target
from sortkey_systems.jobengine.stages.migration_planning.validation_rules import ValidationRules
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class RuleOutcome:
    """A rule, its effects, and where it could not be applied."""

    rule_id: str
    title: str
    is_obeyed: bool
    applied: int
    text: str


@dataclass(slots=True)
class ComplianceCheck:
    """`compliance` is the share of rule checks that passed over all documents. It is 1 if no rule
    has checks.
    """

    rules: list[RuleOutcome]
    outcome: Outcome
    compliance: float
    threshold: float
    applications: list[Application] = field(default_factory=list[Application])

    @property
    def is_passed(self) -> bool:
        return self.compliance >= self.threshold


def compliance_check(work: Work, ctx: StepContext) -> ComplianceCheck:
    """Collect the effects of rules from the stages, and check their demands in the target."""
    rules = work.result("validation_rules", ValidationRules)
    with open_target(work) as target:
        outcome = run_checks(target, [check for check in rules.checks if check.rule is not None])
    checked, failed = (
        sum(check.checked for check in outcome.checks),
        sum(check.failed for check in outcome.checks),
    )
    compliance = round(1 - failed / checked, 4) if checked else 1.0
    result = ComplianceCheck([], outcome, compliance, rules.compliance, _applications(work))
    result.rules = [
        _of_rule(work, rule.rule_id, rule.title, result)
        for rule in work.rules
        if rule.status == "active"
    ]
    for outcome_of_rule in result.rules:
        ctx.log(
            "INFO" if outcome_of_rule.is_obeyed else "WARNING",
            f"{outcome_of_rule.title}: {outcome_of_rule.text}",
            rule=outcome_of_rule.rule_id,
        )
    text = f"{compliance:.1%} of the checks by rules hold; {result.threshold:.0%} are asked for"
    ctx.log("INFO" if result.is_passed else "ERROR", text, compliance=compliance)
    ctx.progress(100)
    return result


def _applications(work: Work) -> list[Application]:
    """The uses of rules in all stages. A rule unused in one step may be used in another."""
    applications = [
        *work.result("schema_stripping", StrippedSchema).rules,
        *work.result("tmf_api_matching", ApiMatches).rules,
        *work.result("attribute_mapping", AttributeMappings).rules,
        *work.result("dataset_selection", Selection).rules,
    ]
    used = {application.rule_id for application in applications if application.effect == "applied"}
    distinct: list[Application] = []
    for application in applications:
        if application not in distinct and (
            application.effect != "no match" or application.rule_id not in used
        ):
            distinct.append(application)
    return distinct


def _of_rule(work: Work, rule_id: str, title: str, result: ComplianceCheck) -> RuleOutcome:
    mine = [application for application in result.applications if application.rule_id == rule_id]
    applied = [used for used in mine if used.effect == "applied"]
    checks = [check for check in result.outcome.checks if check.rule == rule_id]
    failed = sum(check.failed for check in checks)
    problems = [
        text
        for text in work.result("attribute_mapping", AttributeMappings).problems
        if rule_id in text
    ]
    if failed:
        text = f"not so in {failed} of {sum(check.checked for check in checks)} documents"
    elif problems:
        text = problems[0].removeprefix(f"{rule_id}: ")
    elif applied:
        text = f"applied to {', '.join(used.subject for used in applied[:3])}"
    elif checks:
        text = f"holds in all of {sum(check.checked for check in checks)} documents"
    else:
        text = next(
            (f"{used.effect}: {used.detail}" for used in mine), "nothing to decide in these stages"
        )
    is_obeyed = (
        not failed and not problems and not any(used.effect == "not executable" for used in mine)
    )
    return RuleOutcome(rule_id, title, is_obeyed, len(applied), text)
