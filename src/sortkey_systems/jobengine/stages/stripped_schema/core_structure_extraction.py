"""stripped_schema, core_structure_extraction: ranks tables by how many others depend on them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import Metadata
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class CoreTable:
    """A table and its role: roots own details, junctions only join."""

    table: str
    kind: str
    weight: float
    owner: str | None = None
    joins: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class CoreStructure:
    """The tables by weight, heaviest first."""

    tables: list[CoreTable]

    def of(self, table: str) -> CoreTable:
        return next(core for core in self.tables if core.table == table)


def core_structure_extraction(work: Work, ctx: StepContext) -> CoreStructure:
    """Compute weights from relations. Incoming relations count twice, and row counts break ties."""
    stripped, metadata = (
        work.result("schema_stripping", StrippedSchema),
        work.result("metadata_analysis", Metadata),
    )
    rows = work.result("schema_extraction", ExtractedSchema).rows
    names = {table.name for table in stripped.tables}
    links = [
        relationship
        for relationship in metadata.relationships
        if relationship.table in names and relationship.target in names
    ]
    most = max(rows.values(), default=1) or 1
    tables: list[CoreTable] = []
    for table in stripped.tables:
        goes = [link for link in links if link.table == table.name]
        comes = [link for link in links if link.target == table.name]
        kind = metadata.facts(table.name).kind
        weight = round(len(goes) + 2 * len(comes) + rows[table.name] / most, 3)
        core = CoreTable(table.name, kind, weight, joins=sorted({mapped.target for mapped in goes}))
        in_key = [
            mapped.target for mapped in goes if mapped.column in metadata.facts(table.name).key
        ]
        core.owner = next(iter(in_key or core.joins), None) if kind == "detail" else None
        tables.append(core)
    tables.sort(key=lambda core_table: (-core_table.weight, core_table.table))
    for core_table in tables[:5]:
        ctx.log(
            "INFO",
            f"{core_table.table} is {core_table.kind}, weight {core_table.weight}",
            table=core_table.table,
        )
    ctx.progress(100)
    return CoreStructure(tables)
