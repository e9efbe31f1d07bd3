"""tmf_mapping, attribute_mapping: which attribute each column becomes, how it is converted, and how
sure that is.
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
    """One column and the attribute that it becomes."""

    column: str
    path: str
    convert: Convert
    confidence: float
    rule: str | None = None
    day_first: bool | None = None
    values: dict[str, Any] | None = None
    """What a rule says that each value means."""


@dataclass(slots=True)
class TableMapping:
    """The columns of a table that are attributes, that are kept as characteristics, and that have
    no place.
    """

    table: str
    resource: str
    fields: list[FieldMapping]
    characteristics: list[str] = field(default_factory=list[str])
    unmapped: list[str] = field(default_factory=list[str])
    defaults: dict[str, str] = field(default_factory=dict[str, str])
    """Attributes that no column is mapped to, and what fills them."""
    undecided: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Attributes that nothing fills, because these columns may be them and were not understood."""


@dataclass(slots=True)
class AttributeMappings:
    """All tables that are resources."""

    tables: list[TableMapping]
    rules: list[Application] = field(default_factory=list[Application])
    problems: list[str] = field(default_factory=list[str])

    def of(self, table: str) -> TableMapping | None:
        return next((each for each in self.tables if each.table == table), None)


def attribute_mapping(work: Work, ctx: StepContext) -> AttributeMappings:
    """Rules first, then the best pairs; a column has one attribute, and an attribute one column of
    a table.
    """
    model, matches = (
        work.result("data_model_simplification", SimpleModel),
        work.result("tmf_api_matching", ApiMatches),
    )
    profile, book = work.result("data_profiling", Profile), rule_book(work.rules, "tmf_mapping")
    found = AttributeMappings([])
    for number, match in enumerate(matches.matches, 1):
        entity = model.entity(match.table)
        assert entity is not None
        # A link to a table that stays behind is a value like any other.
        linked = {link.column for link in entity.links if matches.of(link.entity)}
        mapping = _mapped(entity, resource_of(match), linked, book, found.problems)
        _add_defaults(mapping, entity, linked, profile.table(match.table), book, found.problems)
        found.tables.append(mapping)
        text = f"{match.table}: {len(mapping.fields)} columns are attributes of {match.resource}"
        rest = {"characteristics": mapping.characteristics, "unmapped": mapping.unmapped}
        ctx.log("INFO", text, table=match.table, **rest)
        ctx.progress(100 * number // len(matches.matches))
    for problem in found.problems:
        ctx.log("WARNING", problem)
    found.rules = book.outcome()
    return found


def _mapped(
    entity: SimpleEntity, resource: Resource, linked: set[str], book: RuleBook, problems: list[str]
) -> TableMapping:
    mapping = TableMapping(entity.table, resource.name, [])
    # The key becomes the id, whatever it is called; a link becomes a reference, in the next step.
    open_fields = [
        each for each in entity.fields if each.name not in linked and entity.key != [each.name]
    ]
    taken: set[str] = {"id"}
    for each in list(open_fields):
        decision = book.mapped(entity.table, each.name)
        attribute = decision and _named(resource, decision.directive.target)
        if decision and attribute is None:
            problems.append(
                f"{decision.rule_id}: {resource.name} has no attribute "
                f"{decision.directive.target!r}"
            )
        elif decision and attribute and attribute.path not in taken:
            mapping.fields.append(_field(entity.table, each, attribute, 1.0, book, decision))
            taken.add(attribute.path)
            open_fields.remove(each)
    for score, each, attribute in _pairs(entity, resource, open_fields):
        if attribute.path not in taken and each in open_fields:
            mapping.fields.append(
                _field(entity.table, each, attribute, min(score, 0.99), book, None)
            )
            taken.add(attribute.path)
            open_fields.remove(each)
    order = [each.name for each in entity.fields]
    mapping.fields.sort(key=lambda each: order.index(each.column))
    rest = [each.name for each in open_fields if each.name not in entity.key]
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
    mapped = {each.column for each in mapping.fields} | linked
    unmapped = [
        each for each in entity.fields if each.name not in mapped and entity.key != [each.name]
    ]
    filled = {"id", *(each.path for each in mapping.fields)}
    found = choose_defaults(resources()[mapping.resource], filled, unmapped, profile, book)
    mapping.defaults, mapping.undecided = found.used, found.undecided
    problems += found.problems


def _pairs(
    entity: SimpleEntity, resource: Resource, fields: list[Field]
) -> list[tuple[float, Field, Attribute]]:
    pairs = [
        (attribute_score(each, entity.table, attribute), each, attribute)
        for each in fields
        for attribute in resource.attributes
        if attribute.ref is None
    ]
    good = [pair for pair in pairs if pair[0] >= ATTRIBUTE_MIN]
    return sorted(good, key=lambda pair: (-pair[0], pair[1].name, pair[2].path))


def _named(resource: Resource, target: str) -> Attribute | None:
    """The attribute that a rule names: by path, with the resource before it, or by another word for
    it.
    """
    path = target.removeprefix(f"{resource.name}.")
    if found := resource.attribute(path):
        return found
    words = tokens(path)
    alike = (
        each
        for each in resource.attributes
        if any(likeness(words, tokens(n)) >= 0.95 for n in each.names)
    )
    return next(alike, None)


def _field(
    table: str,
    each: Field,
    attribute: Attribute,
    confidence: float,
    book: RuleBook,
    decision: Decision | None,
) -> FieldMapping:
    made = FieldMapping(
        each.name, attribute.path, attribute.type, confidence, decision and decision.rule_id
    )
    dates = book.about("dates", table, each.name) if attribute.type == "dateTime" else None
    made.day_first = dates.directive.options.get("dayFirst") if dates else each.day_first
    meant = book.about("values", table, each.name)
    made.values = dict(meant.directive.value) if meant else None
    if decision and type_fit(each.type, attribute.type) == 0:
        made.confidence = 0.5
    return made
