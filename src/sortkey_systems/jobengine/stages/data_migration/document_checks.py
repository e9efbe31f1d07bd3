"""Checks documents against the TMF schemas and the rules. Counts failures, with a few examples."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey_systems.jobengine.stages.data_migration.documents import Document, at
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.dates import instant
from sortkey_systems.jobengine.stages.migration_planning.validation_rules import Check
from sortkey_systems.jobengine.tmf import values

EXAMPLES_MAX = 3


@dataclass(slots=True)
class CheckOutcome:
    """How often a check passed, and examples of failures."""

    check: str
    rule: str | None
    checked: int = 0
    failed: int = 0
    examples: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Outcome:
    """All checks, and the share of documents that pass every one."""

    checks: list[CheckOutcome]
    documents: int
    valid: int

    @property
    def share(self) -> float:
        return round(self.valid / self.documents, 4) if self.documents else 1.0

    @property
    def failed(self) -> list[CheckOutcome]:
        return [check for check in self.checks if check.failed]


def run_checks(target: Target, checks: Iterable[Check]) -> Outcome:
    """Check every document. References are looked up in the target."""
    outcome = Outcome([], 0, 0)
    by_resource: dict[str, list[tuple[Check, CheckOutcome]]] = {}
    for check in checks:
        counted = CheckOutcome(check.text, check.rule)
        outcome.checks.append(counted)
        by_resource.setdefault(check.resource, []).append((check, counted))
    for resource in target.resources():
        for _, document in target.documents(resource):
            counts = [_count(target, document, *pair) for pair in by_resource.get(resource, [])]
            outcome.documents += 1
            outcome.valid += all(counts)
    return outcome


def _count(target: Target, document: Document, check: Check, counted: CheckOutcome) -> bool:
    if check.kind == "reference":
        references = referred(document, check.path)
        bad = [reference for reference in references if not target.has(check.argument, reference)]
        counted.checked += len(references)
        counted.failed += len(bad)
        holds = not bad
    else:
        value = at(document, check.path)
        if value is None and check.kind != "required":
            return True
        holds = value is not None and _holds(value, check)
        counted.checked += 1
        counted.failed += not holds
    if not holds and len(counted.examples) < EXAMPLES_MAX:
        counted.examples.append(str(document["id"]))
    return holds


def _holds(value: Any, check: Check) -> bool:
    if check.kind == "required":
        return value != ""
    if check.kind == "pattern":
        return re.search(check.argument, str(value)) is not None
    if check.argument.startswith("enum "):
        return value in values(check.argument.removeprefix("enum "))
    kinds: dict[str, tuple[type, ...]] = {
        "string": (str,),
        "integer": (int,),
        "decimal": (int, float),
        "boolean": (bool,),
    }
    if check.argument == "dateTime":
        return isinstance(value, str) and instant(value) is not None
    return isinstance(value, kinds[check.argument]) and (
        check.argument == "boolean" or not isinstance(value, bool)
    )


def referred(document: Document, path: str) -> list[str]:
    """The ids at the end of a path. For an array, the ids of all its elements."""
    here: list[Any] = [document]
    for part in path.split("."):
        members: list[Any] = [
            cast("Document", member).get(part) for member in here if isinstance(member, dict)
        ]
        here = [
            member
            for value in members
            for member in (cast("list[Any]", value) if isinstance(value, list) else [value])
        ]
    return [member for member in here if isinstance(member, str)]
