"""Applies the Second Brain rules of a stage, in order of rank: what they decide about each subject.

The first rule that decides wins; later ones are recorded as overridden. The result depends on
nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from sortkey_systems.jobengine.model import Rule, in_rank_order
from sortkey_systems.jobengine.rules.directives import (
    Directive,
    Kind,
    RuleNotUnderstood,
    directives_of,
)

BUILT_IN = "built-in"
THRESHOLDS = {"coverage": 0.8, "validation": 0.95, "compliance": 0.9}
REMOVED_BY_DEFAULT = (
    "tmp_*",
    "temp_*",
    "*_tmp",
    "*_temp",
    "*_bak",
    "*_backup",
    "bak_*",
    "*_old",
    "schema_migrations",
    "flyway_*",
    "alembic_version",
    "databasechangelog*",
    "django_*",
    "*audit_log*",
    "*_audit",
    "sessions",
    "*.row_version",
    "*.rowversion",
    "*.rowguid",
    "*.etl_*",
    "*.import_batch*",
)

Effect = Literal["applied", "overridden", "not executable", "no match"]


@dataclass(slots=True)
class Application:
    """How a rule was applied to one subject."""

    rule_id: str
    kind: str
    subject: str
    effect: Effect
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The directive that decided, and its rule."""

    rule_id: str
    directive: Directive


def rules_of_stage(rules: Iterable[Rule], stage_id: str) -> list[Rule]:
    """The active rules that apply to a stage, by rank: its own, those that name it, those of the
    whole journey.
    """
    return in_rank_order(
        rule
        for rule in rules
        if rule.status == "active"
        and (
            rule.stage_id == stage_id
            or stage_id in rule.metadata.applicable_stages
            or rule.scope in ("global", "project")
        )
    )


def rule_book(rules: Iterable[Rule], stage_id: str) -> RuleBook:
    """Parse the rules of a stage. One that cannot be executed is recorded as such and is not an
    error.
    """
    book = RuleBook()
    for rule in rules_of_stage(rules, stage_id):
        try:
            directives = directives_of(rule.content)
            detail = "its text names nothing that can be executed"
        except (RuleNotUnderstood, ValueError) as error:
            directives, detail = [], str(error)
        if not directives:
            book.applications.append(
                Application(rule.rule_id, rule.type, "", "not executable", detail)
            )
        book.directives += [(rule.rule_id, directive) for directive in directives]
    book.directives += [(BUILT_IN, _removed(pattern)) for pattern in REMOVED_BY_DEFAULT]
    book.directives += [
        (BUILT_IN, Directive("threshold", target=k, value=v)) for k, v in THRESHOLDS.items()
    ]
    return book


@dataclass(slots=True)
class RuleBook:
    """The directives of a stage in order of rank, and a record of what they did."""

    directives: list[tuple[str, Directive]] = field(default_factory=list[tuple[str, Directive]])
    applications: list[Application] = field(default_factory=list[Application])

    def keeps(self, table: str, column: str | None = None) -> bool | None:
        """True if preserved, False if removed, None if no rule decides. A rule for tables does not
        apply to columns.
        """
        decision = self._decide(("preserve", "remove"), _subject(table, column), table, column)
        return None if decision is None else decision.directive.kind == "preserve"

    def removed_by(self, table: str, column: str | None = None) -> str | None:
        """The rule that removes a table or a column, `BUILT_IN` for a built-in one; None if it
        stays.
        """
        decision = self._decide(("preserve", "remove"), _subject(table, column), table, column)
        return (
            decision.rule_id
            if decision is not None and decision.directive.kind == "remove"
            else None
        )

    def mapped(self, table: str, column: str | None = None) -> Decision | None:
        """Where a rule maps a table or a column."""
        return self._decide(("map",), _subject(table, column), table, column)

    def about(self, kind: Kind, table: str, column: str) -> Decision | None:
        """A directive about the values of a column."""
        return self._decide((kind,), _subject(table, column), table, column)

    def default(self, resource: str, path: str) -> Decision | None:
        """The default of an attribute that no column is mapped to."""
        subject = f"{resource}.{path}"
        matches = [
            (rule, directive)
            for rule, directive in self.directives
            if directive.kind == "default" and directive.target == subject
        ]
        self._record(matches, subject)
        return Decision(*matches[0]) if matches else None

    def threshold(self, name: str) -> float:
        """The required share."""
        matches = [
            (rule, directive)
            for rule, directive in self.directives
            if directive.kind == "threshold" and directive.target == name
        ]
        self._record(matches, name)
        return float(matches[0][1].value)

    def of_kind(self, *kinds: Kind) -> list[Decision]:
        """All directives of these kinds, by rank."""
        return [
            Decision(rule, directive)
            for rule, directive in self.directives
            if directive.kind in kinds
        ]

    def unused(self) -> list[Application]:
        """The rules that matched nothing."""
        used = {application.rule_id for application in self.applications} | {BUILT_IN}
        optional = ("recommend", "require", "pattern", "threshold")
        silent = {
            rule: directive
            for rule, directive in self.directives
            if rule not in used and directive.kind not in optional
        }
        return [
            Application(
                rule,
                directive.kind,
                directive.source,
                "no match",
                "the source has nothing of this name",
            )
            for rule, directive in silent.items()
        ]

    def outcome(self) -> list[Application]:
        """How every rule was applied."""
        return [*self.applications, *self.unused()]

    def _decide(
        self, kinds: tuple[Kind, ...], subject: str, table: str, column: str | None
    ) -> Decision | None:
        matches = [
            (rule, directive)
            for rule, directive in self.directives
            if directive.kind in kinds
            and _matches(directive.source, table, column)
            and _is_level(directive, column)
        ]
        self._record(matches, subject)
        return Decision(*matches[0]) if matches else None

    def _record(self, matches: Sequence[tuple[str, Directive]], subject: str) -> None:
        """Record the rules that matched. Built-in rules are recorded only if they decide: nobody
        wrote them to be overridden.
        """
        for number, (rule, directive) in enumerate(matches):
            effect: Effect = "overridden" if number else "applied"
            detail = _said(directive) if not number else f"{matches[0][0]} comes first"
            application = Application(rule, directive.kind, subject, effect, detail)
            if (rule != BUILT_IN or not number) and application not in self.applications:
                self.applications.append(application)


def _removed(pattern: str) -> Directive:
    """A table `prices_old` is a leftover; a column `price_old` may be data."""
    return Directive("remove", pattern, options={} if "." in pattern else {"level": "table"})


def _subject(table: str, column: str | None) -> str:
    return f"{table}.{column}" if column is not None else table


def _is_level(directive: Directive, column: str | None) -> bool:
    """A mapping without a dot may name a table or a column. The target decides: a resource starts
    with a capital letter.
    """
    if directive.kind != "map":
        return column is None or directive.options.get("level") != "table"
    is_of_table = directive.target[:1].isupper() and "." not in directive.target
    return is_of_table == (column is None)


def _matches(pattern: str, table: str, column: str | None) -> bool:
    """A rule may name a table with or without its schema. Without, it matches the tables of all
    schemas.
    """
    pattern = pattern.lower()
    names = {table.lower(), table.lower().rpartition(".")[2]}
    if column is not None and "." not in pattern:
        return fnmatchcase(column.lower(), pattern)
    return any(
        fnmatchcase(name if column is None else f"{name}.{column.lower()}", pattern)
        for name in names
    )


def _said(directive: Directive) -> str:
    value: Any = directive.target or directive.value
    return (
        f"{directive.kind} {directive.source} {value}".strip()
        if value is not None
        else directive.kind
    )
