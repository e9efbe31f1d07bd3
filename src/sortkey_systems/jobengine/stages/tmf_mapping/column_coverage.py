"""Which source columns have a place in the target, including tables not migrated."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import Profile
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import SimpleModel
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import RelationshipMappings
from sortkey_systems.jobengine.stages.work import Work


@dataclass(slots=True)
class TableColumns:
    """The non-empty columns of one table: mapped, unmapped, and excluded by a rule."""

    table: str
    mapped: list[str] = field(default_factory=list[str])
    left_behind: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])

    @property
    def counted(self) -> int:
        """All columns except those excluded by a rule."""
        return len(self.mapped) + len(self.left_behind)


def columns_of_source(work: Work) -> list[TableColumns]:
    """Every table of the source with its columns. Empty columns do not count."""
    schema, profile = (
        work.result("schema_extraction", ExtractedSchema),
        work.result("data_profiling", Profile),
    )
    removed = [
        removal
        for removal in work.result("schema_stripping", StrippedSchema).removed
        if removal.is_decided
    ]
    decided = {(removal.table, removal.column) for removal in removed}
    placed = _placed(work)
    tables: list[TableColumns] = []
    for table in schema.tables:
        columns, facts = TableColumns(table.name), profile.table(table.name)
        for name in table.names:
            values = facts.column(name)
            if values is None or values.nulls == facts.rows:
                continue
            if (table.name, None) in decided or (table.name, name) in decided:
                columns.left_out.append(name)
            else:
                (columns.mapped if (table.name, name) in placed else columns.left_behind).append(
                    name
                )
        tables.append(columns)
    return tables


def _placed(work: Work) -> set[tuple[str, str | None]]:
    """Columns that became an id, an attribute, a characteristic or a reference."""
    mappings = work.result("attribute_mapping", AttributeMappings)
    model = work.result("data_model_simplification", SimpleModel)
    placed: set[tuple[str, str | None]] = set()
    for table in mappings.tables:
        entity = model.entity(table.table)
        key = entity.key if entity else []
        placed |= {(table.table, name) for name in (*key, *table.characteristics)}
        placed |= {(table.table, field.column) for field in table.fields}
    for link in work.result("relationship_mapping", RelationshipMappings).references:
        placed |= {
            (link.table, link.column),
            (link.via or "", link.via_column),
            (link.via or "", link.via_target),
        }
    return placed
