"""migration_planning, validation_rules: the checks for documents, from the TMF schemas and from
rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sortkey_systems.jobengine.rules.rule_book import RuleBook, rule_book
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.work import StepContext, Work
from sortkey_systems.jobengine.tmf import resources

CheckKind = Literal["required", "type", "pattern", "reference"]


@dataclass(slots=True)
class Check:
    """One check for every document of a resource. `rule` is None if TMF requires it."""

    resource: str
    path: str
    kind: CheckKind
    argument: str = ""
    rule: str | None = None

    @property
    def text(self) -> str:
        texts = {
            "required": "is there",
            "type": f"is {self.argument}",
            "pattern": f"matches {self.argument}",
        }
        return f"{self.resource}.{self.path} {texts.get(self.kind, f'names a {self.argument}')}"


@dataclass(slots=True)
class ValidationRules:
    """All checks, and the required shares."""

    checks: list[Check]
    validation: float
    compliance: float


def validation_rules(work: Work, ctx: StepContext) -> ValidationRules:
    """Collect the checks of every written resource, from its schema and from rules."""
    plan = work.result("etl_script", EtlPlan)
    checks = list[Check]()
    for name in sorted({dataset.resource for dataset in plan.datasets}):
        for attribute in resources()[name].attributes:
            if attribute.required:
                checks.append(Check(name, attribute.path, "required"))
            if attribute.ref:
                checks.append(Check(name, attribute.path, "reference", attribute.ref))
            else:
                kind = f"enum {attribute.of}" if attribute.of else attribute.type
                checks.append(Check(name, attribute.path, "type", kind))
    book = rule_book(work.rules, "verification_validation")
    checks += _of_rules(book, sorted({dataset.resource for dataset in plan.datasets}), ctx)
    result = ValidationRules(checks, book.threshold("validation"), book.threshold("compliance"))
    ctx.log(
        "INFO",
        f"{len(checks)} checks, {sum(check.rule is not None for check in checks)} of them from rules",
    )
    ctx.progress(100)
    return result


def _of_rules(book: RuleBook, names: list[str], ctx: StepContext) -> list[Check]:
    checks: list[Check] = []
    for decision in book.of_kind("require", "pattern"):
        resource, _, path = decision.directive.target.partition(".")
        if resource not in names:
            ctx.log(
                "WARNING", f"{decision.rule_id}: no {resource} is written, so nothing is checked"
            )
            continue
        kind: CheckKind = "required" if decision.directive.kind == "require" else "pattern"
        checks.append(
            Check(resource, path, kind, str(decision.directive.value or ""), decision.rule_id)
        )
    return checks
