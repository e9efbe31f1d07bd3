"""stripped_schema, core_structure_extraction: which tables the database is about, by how much hangs
on each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import Metadata
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.work import StepContext, Work


@dataclass(slots=True)
class CoreTable:
    """A table with its place in the structure: roots own details, junctions only join."""

    table: str
    kind: str
    weight: float
    owner: str | None = None
    joins: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class CoreStructure:
    """The tables by weight, the heaviest first."""

    tables: list[CoreTable]

    def of(self, table: str) -> CoreTable:
        return next(each for each in self.tables if each.table == table)


def core_structure_extraction(work: Work, ctx: StepContext) -> CoreStructure:
    """Weight: relations count, those that come in twice; the rows decide among equals."""
    stripped, metadata = (
        work.result("schema_stripping", StrippedSchema),
        work.result("metadata_analysis", Metadata),
    )
    rows = work.result("schema_extraction", ExtractedSchema).rows
    names = {table.name for table in stripped.tables}
    links = [
        each for each in metadata.relationships if each.table in names and each.target in names
    ]
    most = max(rows.values(), default=1) or 1
    found: list[CoreTable] = []
    for table in stripped.tables:
        goes = [each for each in links if each.table == table.name]
        comes = [each for each in links if each.target == table.name]
        kind = metadata.facts(table.name).kind
        weight = round(len(goes) + 2 * len(comes) + rows[table.name] / most, 3)
        core = CoreTable(table.name, kind, weight, joins=sorted({each.target for each in goes}))
        in_key = [each.target for each in goes if each.column in metadata.facts(table.name).key]
        core.owner = next(iter(in_key or core.joins), None) if kind == "detail" else None
        found.append(core)
    found.sort(key=lambda each: (-each.weight, each.table))
    for each in found[:5]:
        ctx.log("INFO", f"{each.table} is {each.kind}, weight {each.weight}", table=each.table)
    ctx.progress(100)
    return CoreStructure(found)
