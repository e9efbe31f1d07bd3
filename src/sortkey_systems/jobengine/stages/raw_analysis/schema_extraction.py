"""raw_analysis, schema_extraction: the tables of the source, as declared, with their counts of
rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sortkey_systems.jobengine.parts import AllowedLosses
from sortkey_systems.jobengine.sources import TableSchema, Unread
from sortkey_systems.jobengine.stages.work import StepContext, Work

KINDS_NAMED_MAX = 10


class NoSuchTable(Exception):
    """A limit names a table that the source does not have. The message lists the tables it has."""


class SourceNotRead(Exception):
    """Parts of the source that may hold rows or tables could not be read. The message says which,
    and what to do.
    """

    def __init__(self, source: str, unread: Sequence[Unread]) -> None:
        count = sum(kind.count for kind in unread)
        texts = [kind.text for kind in unread[:KINDS_NAMED_MAX]]
        more = (
            [f"and {len(unread) - KINDS_NAMED_MAX} other kinds"]
            if len(unread) > KINDS_NAMED_MAX
            else []
        )
        super().__init__(
            f"{count} parts of {source} were not read and may hold data "
            f"({'; '.join(texts + more)}):"
            " correct the source or name its dialect, or allow it (--allow-unread) to migrate "
            "without them"
        )


@dataclass(slots=True)
class ExtractedSchema:
    """The declared schema, oddities (`notes`), and unread parts that were accepted."""

    database: str
    tables: list[TableSchema]
    rows: dict[str, int]
    notes: list[str] = field(default_factory=list[str])
    unread: list[Unread] = field(default_factory=list[Unread])

    def table(self, name: str) -> TableSchema:
        return next(table for table in self.tables if table.name == name)

    @property
    def columns(self) -> int:
        return sum(len(table.columns) for table in self.tables)


def schema_extraction(work: Work, ctx: StepContext) -> ExtractedSchema:
    """Read the declared schema. Warns about empty tables, because they cannot be profiled. Raises
    SourceNotRead.
    """
    source = work.source
    schema = ExtractedSchema(
        source.name, source.tables(), {}, list(source.notes), list(source.unread)
    )
    for note in schema.notes:
        ctx.log("WARNING", note)
    for kind in schema.unread:
        ctx.log(
            "WARNING" if work.allowed.unread else "ERROR",
            f"not read: {kind.text}",
            count=kind.count,
        )
    if schema.unread and not work.allowed.unread:
        raise SourceNotRead(source.name, schema.unread)
    _check_limits(work.allowed, schema)
    for number, table in enumerate(schema.tables, 1):
        count = schema.rows[table.name] = source.count(table.name)
        ctx.log(
            "INFO",
            f"{table.name}: {len(table.columns)} columns, {count} rows",
            table=table.name,
            rows=count,
        )
        if not count:
            ctx.log("WARNING", f"{table.name} is empty", table=table.name)
        ctx.progress(100 * number // len(schema.tables))
    ctx.log(
        "INFO",
        f"extracted {len(schema.tables)} tables from {schema.database}",
        tables_extracted=len(schema.tables),
        total_fields=schema.columns,
        total_rows=sum(schema.rows.values()),
    )
    return schema


def _check_limits(allowed: AllowedLosses, schema: ExtractedSchema) -> None:
    """Check the names in limits before anything is written. A typing error would otherwise surface
    hours later.
    """
    names = [table.name for table in schema.tables]
    for table in allowed.tables:
        if table not in names:
            raise NoSuchTable(
                f"a limit of lost rows is for {table!r}, but {schema.database} has "
                f"{', '.join(names)}"
            )
