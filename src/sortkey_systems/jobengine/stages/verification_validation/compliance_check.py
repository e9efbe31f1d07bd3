"""verification_validation, compliance_check: whether every rule was obeyed, and how far the
documents obey them.
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
    """One rule: what it did, and where it could not."""

    rule_id: str
    title: str
    is_obeyed: bool
    applied: int
    text: str


@dataclass(slots=True)
class ComplianceCheck:
    """`compliance` is the share of checks by rules that held, of all documents; 1 where no rule
    checks any.
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
    """Ask the stages what their rules did, and the target whether what they demand is so."""
    rules = work.result("validation_rules", ValidationRules)
    with open_target(work) as target:
        outcome = run_checks(target, [each for each in rules.checks if each.rule is not None])
    checked, failed = (
        sum(each.checked for each in outcome.checks),
        sum(each.failed for each in outcome.checks),
    )
    compliance = round(1 - failed / checked, 4) if checked else 1.0
    found = ComplianceCheck([], outcome, compliance, rules.compliance, _applications(work))
    found.rules = [
        _of_rule(work, rule.rule_id, rule.title, found)
        for rule in work.rules
        if rule.status == "active"
    ]
    for each in found.rules:
        ctx.log(
            "INFO" if each.is_obeyed else "WARNING", f"{each.title}: {each.text}", rule=each.rule_id
        )
    text = f"{compliance:.1%} of the checks by rules hold; {found.threshold:.0%} are asked for"
    ctx.log("INFO" if found.is_passed else "ERROR", text, compliance=compliance)
    ctx.progress(100)
    return found


def _applications(work: Work) -> list[Application]:
    """Of all stages. A rule that one step could not use may have been used by another."""
    found = [
        *work.result("schema_stripping", StrippedSchema).rules,
        *work.result("tmf_api_matching", ApiMatches).rules,
        *work.result("attribute_mapping", AttributeMappings).rules,
        *work.result("dataset_selection", Selection).rules,
    ]
    used = {each.rule_id for each in found if each.effect == "applied"}
    kept: list[Application] = []
    for each in found:
        if each not in kept and (each.effect != "no match" or each.rule_id not in used):
            kept.append(each)
    return kept


def _of_rule(work: Work, rule_id: str, title: str, found: ComplianceCheck) -> RuleOutcome:
    mine = [each for each in found.applications if each.rule_id == rule_id]
    applied = [each for each in mine if each.effect == "applied"]
    checks = [each for each in found.outcome.checks if each.rule == rule_id]
    failed = sum(each.failed for each in checks)
    problems = [
        text
        for text in work.result("attribute_mapping", AttributeMappings).problems
        if rule_id in text
    ]
    if failed:
        text = f"not so in {failed} of {sum(each.checked for each in checks)} documents"
    elif problems:
        text = problems[0].removeprefix(f"{rule_id}: ")
    elif applied:
        text = f"applied to {', '.join(each.subject for each in applied[:3])}"
    elif checks:
        text = f"holds in all of {sum(each.checked for each in checks)} documents"
    else:
        text = next(
            (f"{each.effect}: {each.detail}" for each in mine), "nothing to decide in these stages"
        )
    is_obeyed = (
        not failed and not problems and not any(each.effect == "not executable" for each in mine)
    )
    return RuleOutcome(rule_id, title, is_obeyed, len(applied), text)
