"""stripped_schema, data_model_simplification: the source as entities with simple types, links and
joins.

Later stages read only this, not the declarations of the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sortkey_systems.jobengine.sources import Column
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import ColumnProfile, Profile
from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import Metadata
from sortkey_systems.jobengine.stages.stripped_schema.core_structure_extraction import CoreStructure
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.work import StepContext, Work

PlainType = Literal["string", "integer", "decimal", "boolean", "dateTime", "binary"]


@dataclass(slots=True)
class Field:
    """A column with a simple type. `required` means that every row has a value, declared or not."""

    name: str
    type: PlainType
    required: bool
    day_first: bool | None = None


@dataclass(slots=True)
class Link:
    """A column that refers to a row of another entity."""

    column: str
    entity: str
    entity_column: str


@dataclass(slots=True)
class SimpleEntity:
    """A table with simple types. Without a key, its rows are compared by their whole content."""

    table: str
    kind: str
    key: list[str]
    fields: list[Field]
    links: list[Link] = field(default_factory=list[Link])
    owner: str | None = None

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)


@dataclass(slots=True)
class SimpleModel:
    """All entities."""

    entities: list[SimpleEntity]

    def entity(self, table: str) -> SimpleEntity | None:
        return next((entity for entity in self.entities if entity.table == table), None)


def data_model_simplification(work: Work, ctx: StepContext) -> SimpleModel:
    """Infer types from values where the declared type is too general: dates in TEXT are dates."""
    stripped, metadata = (
        work.result("schema_stripping", StrippedSchema),
        work.result("metadata_analysis", Metadata),
    )
    core, profile = (
        work.result("core_structure_extraction", CoreStructure),
        work.result("data_profiling", Profile),
    )
    model = SimpleModel([])
    for table in stripped.tables:
        values = profile.table(table.name)
        facts, place = metadata.facts(table.name), core.of(table.name)
        fields = [_field(column, values.column(column.name)) for column in table.columns]
        links = [
            Link(relationship.column, relationship.target, relationship.target_column)
            for relationship in metadata.of(table.name)
            if stripped.table(relationship.target) is not None
        ]
        model.entities.append(
            SimpleEntity(table.name, place.kind, facts.key, fields, links, place.owner)
        )
    joins = sum(entity.kind == "junction" for entity in model.entities)
    ctx.log(
        "INFO",
        f"{len(model.entities)} entities, {joins} of them only join",
        entities=len(model.entities),
    )
    ctx.progress(100)
    return model


def _field(column: Column, values: ColumnProfile | None) -> Field:
    required = not column.nullable or (values is not None and values.nulls == 0)
    return Field(column.name, _type(column, values), required, values.day_first if values else None)


def _type(column: Column, values: ColumnProfile | None) -> PlainType:
    declared: dict[str, PlainType] = {
        "integer": "integer",
        "decimal": "decimal",
        "boolean": "boolean",
        "datetime": "dateTime",
        "binary": "binary",
    }
    if column.family in declared:
        return declared[column.family]
    if values is None or not values.formats:
        return "string"
    if values.is_date:
        return "dateTime"
    forms = set(values.formats)
    if forms <= {"decimal", "decimal comma", "money", "integer"} and forms != {"integer"}:
        return "decimal"
    return "string"
