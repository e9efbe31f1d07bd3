"""raw_analysis, data_profiling: profiles the rows: nulls, distinct values, ranges, formats,
duplicates.

Each table is read once, in batches. Sets are bounded, and so is memory. A checkpoint follows each
table.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sortkey_systems.jobengine.sources import Row, TableSchema
from sortkey_systems.jobengine.stages.dates import day_comes_first
from sortkey_systems.jobengine.stages.names import tokens
from sortkey_systems.jobengine.stages.raw_analysis.formats import format_of
from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import Metadata
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.work import StepContext, Work, from_json, kept_state, to_json

DISTINCT_MAX = 200_000
SHOWN_VALUES = 5
DATE_SHARE_MIN = 0.8
_IDENTIFYING = {"email", "phone"}


@dataclass(slots=True)
class ColumnProfile:
    """The profile of a column. `distinct` is exact below `DISTINCT_MAX`."""

    name: str
    nulls: int = 0
    distinct: int = 0
    minimum: str | None = None
    maximum: str | None = None
    length_max: int = 0
    formats: dict[str, int] = field(default_factory=dict[str, int])
    common: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    day_first: bool | None = None
    """Whether slashed dates have the day first. None if there are none, or if they prove nothing.
    """

    @property
    def is_date(self) -> bool:
        dates = sum(count for form, count in self.formats.items() if form.startswith("date"))
        return bool(dates) and dates >= DATE_SHARE_MIN * sum(self.formats.values())


@dataclass(slots=True)
class TableProfile:
    """The columns of a table, and the problems of its rows."""

    table: str
    rows: int
    columns: list[ColumnProfile]
    duplicate_rows: int = 0
    """Rows that repeat an earlier row in everything but the key."""
    issues: list[str] = field(default_factory=list[str])

    def column(self, name: str) -> ColumnProfile | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(slots=True)
class Profile:
    """All tables."""

    tables: list[TableProfile]

    def table(self, name: str) -> TableProfile:
        return next(table for table in self.tables if table.table == name)


def data_profiling(work: Work, ctx: StepContext) -> Profile:
    """Profile every table. Tables profiled before an interruption are not read again."""
    schema, metadata = (
        work.result("schema_extraction", ExtractedSchema),
        work.result("metadata_analysis", Metadata),
    )
    state = kept_state(ctx, "data_profiling")
    profile = from_json(Profile, state["profile"]) if state else Profile([])
    done = {table_profile.table for table_profile in profile.tables}
    for table in schema.tables:
        if table.name in done:
            continue
        ctx.check_cancelled()
        table_profile = _profiled(
            work, table, metadata.facts(table.name).key if table.primary_key else []
        )
        profile.tables.append(table_profile)
        for issue in table_profile.issues:
            ctx.log("WARNING", f"{table.name}: {issue}", table=table.name)
        ctx.checkpoint({"step": "data_profiling", "profile": to_json(profile)})
        ctx.progress(100 * len(profile.tables) // len(schema.tables))
    issues = sum(len(table_profile.issues) for table_profile in profile.tables)
    ctx.log("INFO", f"profiled {len(profile.tables)} tables, {issues} issues", issues=issues)
    return profile


def _profiled(work: Work, table: TableSchema, key: list[str]) -> TableProfile:
    counts = [_Counts(column.name) for column in table.columns]
    rest = [name for name in table.names if name not in key]
    seen, rows, duplicates = set[int](), 0, 0
    for batch in work.source.batches(table.name, 2000):
        for row in batch.rows:
            rows += 1
            for count in counts:
                count.add(row[count.name])
            duplicates += _is_repeated(row, rest, seen)
    profile = TableProfile(table.name, rows, [count.profile() for count in counts], duplicates)
    profile.issues = _issues(table, profile, key)
    return profile


def _is_repeated(row: Row, names: list[str], seen: set[int]) -> bool:
    if len(names) < 2:
        return False
    mark = hash(tuple(row[name] for name in names))
    if mark in seen:
        return True
    if len(seen) < DISTINCT_MAX:
        seen.add(mark)
    return False


@dataclass(slots=True)
class _Counts:
    """Running counts for one column."""

    name: str
    nulls: int = 0
    values: Counter[Any] = field(default_factory=Counter[Any])
    formats: Counter[str] = field(default_factory=Counter[str])
    low: Any = None
    high: Any = None
    length_max: int = 0

    def add(self, value: Any) -> None:
        if value is None:
            self.nulls += 1
            return
        if value in self.values or len(self.values) < DISTINCT_MAX:
            self.values[value] += 1
        self.formats[format_of(value)] += 1
        self.length_max = max(self.length_max, len(value) if isinstance(value, str | bytes) else 0)
        order = (isinstance(value, str), isinstance(value, bytes))
        if self.low is None or (order, value) < self.low:
            self.low = (order, value)
        if self.high is None or (order, value) > self.high:
            self.high = (order, value)

    def profile(self) -> ColumnProfile:
        common = sorted(
            self.values.most_common(SHOWN_VALUES), key=lambda number: (-number[1], str(number[0]))
        )
        return ColumnProfile(
            self.name,
            self.nulls,
            len(self.values),
            None if self.low is None else _shown(self.low[1]),
            None if self.high is None else _shown(self.high[1]),
            self.length_max,
            dict(sorted(self.formats.items(), key=lambda counted: (-counted[1], counted[0]))),
            [(_shown(value), count) for value, count in common],
            day_comes_first(self.values),
        )


def _shown(value: Any) -> str:
    return value.hex()[:40] if isinstance(value, bytes) else str(value)[:80]


def _issues(table: TableSchema, profile: TableProfile, key: list[str]) -> list[str]:
    issues: list[str] = []
    if profile.duplicate_rows:
        what = "repeat an earlier row in all but the key" if key else "repeat an earlier row"
        issues.append(f"{profile.duplicate_rows} rows {what}")
    for column in profile.columns:
        issues += _column_issues(table, column, profile.rows)
    return issues


def _column_issues(table: TableSchema, column: ColumnProfile, rows: int) -> list[str]:
    issues: list[str] = []
    filled = rows - column.nulls
    dates = [form for form in column.formats if form.startswith("date")]
    if column.is_date and len(dates) > 1:
        issues.append(
            f"{column.name} mixes dates: {', '.join(f'{f[6:]} {column.formats[f]}' for f in dates)}"
        )
    if column.is_date and filled > (dated := sum(column.formats[form] for form in dates)):
        issues.append(f"{column.name} has {filled - dated} values that are no dates")
    numbers = [form for form in ("decimal", "decimal comma", "money") if form in column.formats]
    if len(numbers) > 1:
        issues.append(f"{column.name} mixes numbers: {', '.join(numbers)}")
    if rows and column.nulls == rows:
        issues.append(f"{column.name} is empty in all rows")
    elif column.nulls and set(tokens(column.name)) & {"name", "title"}:
        issues.append(f"{column.name} is missing in {column.nulls} rows")
    is_identifying = bool(_IDENTIFYING & set(column.formats)) and "email" in tokens(column.name)
    if is_identifying and 0.8 * filled <= column.distinct < min(
        filled, DISTINCT_MAX
    ):  # beyond it nobody has counted
        issues.append(
            f"{column.name} is repeated in {filled - column.distinct} rows: the same {table.name} "
            "twice?"
        )
    return issues
