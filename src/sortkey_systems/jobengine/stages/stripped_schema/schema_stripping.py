"""stripped_schema, schema_stripping: excludes technical or empty tables and columns. Rules come
first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.rules.rule_book import BUILT_IN, Application, RuleBook, rule_book
from sortkey_systems.jobengine.sources import TableSchema
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import Profile
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class Removed:
    """An excluded table or column, and the reason. `is_decided`: by a rule of the journey."""

    table: str
    column: str | None
    reason: str
    is_decided: bool = False


@dataclass(slots=True)
class StrippedSchema:
    """What remains, and what was excluded."""

    tables: list[TableSchema]
    removed: list[Removed] = field(default_factory=list[Removed])
    rules: list[Application] = field(default_factory=list[Application])

    def table(self, name: str) -> TableSchema | None:
        return next((table for table in self.tables if table.name == name), None)


def schema_stripping(work: Work, ctx: StepContext) -> StrippedSchema:
    """Exclude tables and columns from later stages. The source is not changed."""
    schema, profile = (
        work.result("schema_extraction", ExtractedSchema),
        work.result("data_profiling", Profile),
    )
    book = rule_book(work.rules, "stripped_schema")
    result = StrippedSchema([])
    for number, table in enumerate(schema.tables, 1):
        removed = _removed(book, table, schema.rows[table.name])
        if removed:
            result.removed.append(removed)
            ctx.log("INFO", f"{table.name} is left out: {removed.reason}", table=table.name)
        else:
            result.tables.append(_stripped(book, table, profile, result.removed))
        ctx.progress(100 * number // len(schema.tables))
    for removal in result.removed:
        if removal.column:
            ctx.log(
                "DEBUG",
                f"{removal.table}.{removal.column} is left out: {removal.reason}",
                table=removal.table,
            )
    result.rules = book.outcome()
    return result


def _removed(book: RuleBook, table: TableSchema, rows: int) -> Removed | None:
    if book.keeps(table.name) is None and rows == 0:
        return Removed(table.name, None, "it has no rows")
    return _by_rule(book, table.name)


def _by_rule(book: RuleBook, table: str, column: str | None = None) -> Removed | None:
    rule = book.removed_by(table, column)
    if rule is None:
        return None
    reason = "its name is that of something technical" if rule == BUILT_IN else "a rule removes it"
    return Removed(table, column, reason, is_decided=rule != BUILT_IN)


def _stripped(
    book: RuleBook, table: TableSchema, profile: Profile, removed: list[Removed]
) -> TableSchema:
    facts = profile.table(table.name)
    stripped = TableSchema(
        table.name,
        [],
        table.primary_key,
        table.foreign_keys,
        table.unique,
        table.indexes,
        table.checks,
    )
    needed = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    for column in table.columns:
        values = facts.column(column.name)
        keeps = book.keeps(table.name, column.name)
        if column.name in needed or keeps:
            stripped.columns.append(column)
        elif by_rule := _by_rule(book, table.name, column.name):
            removed.append(by_rule)
        elif values is not None and values.nulls == facts.rows:
            removed.append(Removed(table.name, column.name, "it is empty in all rows"))
        else:
            stripped.columns.append(column)
    return stripped
