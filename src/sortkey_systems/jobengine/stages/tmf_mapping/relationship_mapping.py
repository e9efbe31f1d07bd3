"""tmf_mapping, relationship_mapping: how links between tables become references between resources.

A TMF resource may refer where the table is referred to: an offering lists its prices, a price names
no offering.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import (
    SimpleEntity,
    SimpleModel,
)
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import StepContext, Work
from sortkey_systems.jobengine.tmf import Attribute, resources


@dataclass(slots=True)
class ReferenceMapping:
    """How the documents of a table get a reference.

    own: from a column of the row itself. listed: from the rows of `via` whose `via_column` names
    this one; the identifier is theirs. joined: the same through a junction, where `via_target`
    names what is referred to.
    """

    table: str
    path: str
    kind: Literal["own", "listed", "joined"]
    resource: str
    target_table: str
    many: bool = False
    role: str | None = None
    column: str | None = None
    target_column: str | None = None
    via: str | None = None
    via_column: str | None = None
    via_target: str | None = None


@dataclass(slots=True)
class RelationshipMappings:
    """References by table, and links without an attribute."""

    references: list[ReferenceMapping]
    unmapped: list[tuple[str, str, str]]
    """Table, column, and the reason."""

    def of(self, table: str) -> list[ReferenceMapping]:
        return [reference for reference in self.references if reference.table == table]


def relationship_mapping(work: Work, ctx: StepContext) -> RelationshipMappings:
    """Map every link of a migrated table, and every junction."""
    model, matches = (
        work.result("data_model_simplification", SimpleModel),
        work.result("tmf_api_matching", ApiMatches),
    )
    mappings = work.result("attribute_mapping", AttributeMappings)
    result = RelationshipMappings([], [])
    for entity in model.entities:
        if entity.table in matches.junctions:
            _join(entity, matches, result)
        elif matches.of(entity.table):
            _link(entity, matches, mappings, result)
    for reference in result.references:
        target = f"{reference.target_table} as {reference.path} ({reference.kind})"
        text = f"{reference.table} refers to {target}"
        ctx.log("INFO", text, table=reference.table, path=reference.path)
    for table, column, reason in result.unmapped:
        ctx.log(
            "WARNING",
            f"{table}.{column} becomes no reference: {reason}",
            table=table,
            column=column,
        )
    ctx.progress(100)
    return result


def _link(
    entity: SimpleEntity,
    matches: ApiMatches,
    mappings: AttributeMappings,
    result: RelationshipMappings,
) -> None:
    for link in entity.links:
        target = matches.of(link.entity)
        if target is None:
            if not _is_value(mappings, entity.table, link.column):
                result.unmapped.append(
                    (entity.table, link.column, f"{link.entity} has no TMF resource")
                )
            continue
        own = _attribute(entity.table, target.resource, matches, result)
        if own:
            result.references.append(
                ReferenceMapping(
                    entity.table,
                    own.path,
                    "own",
                    target.resource,
                    link.entity,
                    own.list,
                    own.role,
                    link.column,
                    link.entity_column,
                )
            )
        mine = matches.of(entity.table)
        back = _attribute(link.entity, mine.resource, matches, result) if mine else None
        if back and back.list and link.entity != entity.table:
            result.references.append(
                ReferenceMapping(
                    link.entity,
                    back.path,
                    "listed",
                    mine.resource if mine else "",
                    entity.table,
                    True,
                    back.role,
                    via=entity.table,
                    via_column=link.column,
                )
            )
        if own is None and not (back and back.list):
            name = mine.resource if mine else entity.table
            result.unmapped.append(
                (entity.table, link.column, f"{name} has no attribute for a {target.resource}")
            )


def _is_value(mappings: AttributeMappings, table: str, column: str) -> bool:
    """Whether it was treated as a plain value: mapped, kept, or already listed as a gap."""
    mapping = mappings.of(table)
    if mapping is None:
        return False
    return column in {
        *mapping.characteristics,
        *mapping.unmapped,
        *(field.column for field in mapping.fields),
    }


def _join(entity: SimpleEntity, matches: ApiMatches, result: RelationshipMappings) -> None:
    for link in entity.links:
        for other in entity.links:
            target = matches.of(other.entity)
            if other is link or target is None or matches.of(link.entity) is None:
                continue
            attribute = _attribute(link.entity, target.resource, matches, result)
            if attribute and attribute.list:
                result.references.append(
                    ReferenceMapping(
                        link.entity,
                        attribute.path,
                        "joined",
                        target.resource,
                        other.entity,
                        True,
                        attribute.role,
                        via=entity.table,
                        via_column=link.column,
                        via_target=other.column,
                    )
                )
    if not any(reference.via == entity.table for reference in result.references):
        result.unmapped.append(
            (entity.table, "*", "it joins tables whose resources do not refer to each other")
        )


def _attribute(
    table: str, resource: str, matches: ApiMatches, result: RelationshipMappings
) -> Attribute | None:
    """The attribute of a table's resource that refers to another resource and is not yet used by a
    link.
    """
    match = matches.of(table)
    if match is None:
        return None
    paths = {reference.path for reference in result.of(table)}
    attributes = (
        attribute
        for attribute in resources()[match.resource].attributes
        if attribute.ref == resource
    )
    return next((attribute for attribute in attributes if attribute.path not in paths), None)
