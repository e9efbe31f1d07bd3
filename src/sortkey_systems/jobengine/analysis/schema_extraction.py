"""raw_analysis, schema_extraction: the tables of the source, as declared, with their counts of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.sources import TableSchema
from sortkey_systems.jobengine.work import StepContext, Work


@dataclass(slots=True)
class ExtractedSchema:
    """What the source says of itself. `notes` are statements of a dump that could not be read."""

    database: str
    tables: list[TableSchema]
    rows: dict[str, int]
    notes: list[str] = field(default_factory=list[str])

    def table(self, name: str) -> TableSchema:
        return next(table for table in self.tables if table.name == name)

    @property
    def columns(self) -> int:
        return sum(len(table.columns) for table in self.tables)


def schema_extraction(work: Work, ctx: StepContext) -> ExtractedSchema:
    """Read what is declared. An empty table is a warning: nothing can be learnt from its rows."""
    schema = ExtractedSchema(work.source.name, work.source.tables(), {}, list(work.source.notes))
    for note in schema.notes:
        ctx.log("WARNING", f"not read: {note}")
    for number, table in enumerate(schema.tables, 1):
        count = schema.rows[table.name] = work.source.count(table.name)
        ctx.log("INFO", f"{table.name}: {len(table.columns)} columns, {count} rows", table=table.name, rows=count)
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
