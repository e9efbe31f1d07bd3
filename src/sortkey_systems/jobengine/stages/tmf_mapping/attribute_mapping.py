"""tmf_mapping, attribute_mapping: maps columns to attributes, with the conversion and the
confidence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from sortkey_systems.jobengine.rules.rule_book import Application, Decision, RuleBook, rule_book
from sortkey_systems.jobengine.stages.names import likeness, tokens
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import Profile, TableProfile
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import (
    Field,
    SimpleEntity,
    SimpleModel,
)
from sortkey_systems.jobengine.stages.tmf_mapping.defaults import choose_defaults
from sortkey_systems.jobengine.stages.tmf_mapping.match_scores import (
    ATTRIBUTE_MIN,
    attribute_score,
    type_fit,
)
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches, resource_of
from sortkey_systems.jobengine.stages.work import StepContext, Work
from sortkey_systems.jobengine.tmf import Attribute, Resource, resources

Convert = Literal["string", "integer", "decimal", "boolean", "dateTime", "enum"]


@dataclass(slots=True)
class FieldMapping:
    """A column and its attribute."""

    column: str
    path: str
    convert: Convert
    confidence: float
    rule: str | None = None
    day_first: bool | None = None
    values: dict[str, Any] | None = None
    """The meaning of each value, according to a rule."""


@dataclass(slots=True)
class TableMapping:
    """The columns of a table: mapped to attributes, kept as characteristics, or unmapped."""

    table: str
    resource: str
    fields: list[FieldMapping]
    characteristics: list[str] = field(default_factory=list[str])
    unmapped: list[str] = field(default_factory=list[str])
    defaults: dict[str, str] = field(default_factory=dict[str, str])
    """Unmapped attributes and what fills them."""
    undecided: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Attributes left empty, because one of these columns may hold the value."""


@dataclass(slots=True)
class AttributeMappings:
    """All tables that are mapped to resources."""

    tables: list[TableMapping]
    rules: list[Application] = field(default_factory=list[Application])
    problems: list[str] = field(default_factory=list[str])

    def of(self, table: str) -> TableMapping | None:
        return next((mapping for mapping in self.tables if mapping.table == table), None)


def attribute_mapping(work: Work, ctx: StepContext) -> AttributeMappings:
    """Apply rules first, then the best pairs. Within a table, a column has one attribute and an
    attribute one column.
    """
    model, matches = (
        work.result("data_model_simplification", SimpleModel),
        work.result("tmf_api_matching", ApiMatches),
    )
    profile, book = work.result("data_profiling", Profile), rule_book(work.rules, "tmf_mapping")
    result = AttributeMappings([])
    for number, match in enumerate(matches.matches, 1):
        entity = model.entity(match.table)
        assert entity is not None
        # A link to a table that stays behind is a value like any other.
        linked = {link.column for link in entity.links if matches.of(link.entity)}
        mapping = _mapped(entity, resource_of(match), linked, book, result.problems)
        _add_defaults(mapping, entity, linked, profile.table(match.table), book, result.problems)
        result.tables.append(mapping)
        text = f"{match.table}: {len(mapping.fields)} columns are attributes of {match.resource}"
        rest = {"characteristics": mapping.characteristics, "unmapped": mapping.unmapped}
        ctx.log("INFO", text, table=match.table, **rest)
        ctx.progress(100 * number // len(matches.matches))
    for problem in result.problems:
        ctx.log("WARNING", problem)
    result.rules = book.outcome()
    return result


def _mapped(
    entity: SimpleEntity, resource: Resource, linked: set[str], book: RuleBook, problems: list[str]
) -> TableMapping:
    mapping = TableMapping(entity.table, resource.name, [])
    # The key becomes the id, whatever it is called; a link becomes a reference, in the next step.
    open_fields = [
        field for field in entity.fields if field.name not in linked and entity.key != [field.name]
    ]
    paths: set[str] = {"id"}
    for open_field in list(open_fields):
        decision = book.mapped(entity.table, open_field.name)
        attribute = decision and _named(resource, decision.directive.target)
        if decision and attribute is None:
            problems.append(
                f"{decision.rule_id}: {resource.name} has no attribute "
                f"{decision.directive.target!r}"
            )
        elif decision and attribute and attribute.path not in paths:
            mapping.fields.append(_field(entity.table, open_field, attribute, 1.0, book, decision))
            paths.add(attribute.path)
            open_fields.remove(open_field)
    for score, candidate, attribute in _pairs(entity, resource, open_fields):
        if attribute.path not in paths and candidate in open_fields:
            mapping.fields.append(
                _field(entity.table, candidate, attribute, min(score, 0.99), book, None)
            )
            paths.add(attribute.path)
            open_fields.remove(candidate)
    order = [field.name for field in entity.fields]
    mapping.fields.sort(key=lambda field_mapping: order.index(field_mapping.column))
    rest = [open_field.name for open_field in open_fields if open_field.name not in entity.key]
    (mapping.characteristics if resource.characteristics else mapping.unmapped).extend(rest)
    return mapping


def _add_defaults(
    mapping: TableMapping,
    entity: SimpleEntity,
    linked: set[str],
    profile: TableProfile,
    book: RuleBook,
    problems: list[str],
) -> None:
    mapped = {field_mapping.column for field_mapping in mapping.fields} | linked
    unmapped = [
        field for field in entity.fields if field.name not in mapped and entity.key != [field.name]
    ]
    filled = {"id", *(field_mapping.path for field_mapping in mapping.fields)}
    defaults = choose_defaults(resources()[mapping.resource], filled, unmapped, profile, book)
    mapping.defaults, mapping.undecided = defaults.used, defaults.undecided
    problems += defaults.problems


def _pairs(
    entity: SimpleEntity, resource: Resource, fields: list[Field]
) -> list[tuple[float, Field, Attribute]]:
    pairs = [
        (attribute_score(field, entity.table, attribute), field, attribute)
        for field in fields
        for attribute in resource.attributes
        if attribute.ref is None
    ]
    good = [pair for pair in pairs if pair[0] >= ATTRIBUTE_MIN]
    return sorted(good, key=lambda pair: (-pair[0], pair[1].name, pair[2].path))


def _named(resource: Resource, target: str) -> Attribute | None:
    """The attribute named by a rule: by path, with the resource as prefix, or by a synonym."""
    path = target.removeprefix(f"{resource.name}.")
    if named_attribute := resource.attribute(path):
        return named_attribute
    words = tokens(path)
    alike = (
        attribute
        for attribute in resource.attributes
        if any(likeness(words, tokens(n)) >= 0.95 for n in attribute.names)
    )
    return next(alike, None)


def _field(
    table: str,
    field: Field,
    attribute: Attribute,
    confidence: float,
    book: RuleBook,
    decision: Decision | None,
) -> FieldMapping:
    mapping = FieldMapping(
        field.name, attribute.path, attribute.type, confidence, decision and decision.rule_id
    )
    dates = book.about("dates", table, field.name) if attribute.type == "dateTime" else None
    mapping.day_first = dates.directive.options.get("dayFirst") if dates else field.day_first
    decided_values = book.about("values", table, field.name)
    mapping.values = dict(decided_values.directive.value) if decided_values else None
    if decision and type_fit(field.type, attribute.type) == 0:
        mapping.confidence = 0.5
    return mapping
