"""Scores how a column fits an attribute, and a table a resource, by names, synonyms and types."""

from __future__ import annotations

from functools import cache

from sortkey_systems.jobengine.stages.names import likeness, table_tokens, tokens
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import Field
from sortkey_systems.jobengine.tmf import Attribute, Resource

ATTRIBUTE_MIN = 0.6
RESOURCE_MIN = 0.55

_FITS: dict[tuple[str, str], float] = {
    ("string", "string"): 1.0,
    ("string", "enum"): 1.0,
    ("boolean", "enum"): 0.9,
    ("integer", "enum"): 0.8,
    ("integer", "decimal"): 1.0,
    ("decimal", "integer"): 0.7,
    ("integer", "boolean"): 0.9,
    ("string", "boolean"): 0.8,
    ("string", "integer"): 0.6,
    ("string", "decimal"): 0.6,
    ("integer", "string"): 0.9,
    ("decimal", "string"): 0.8,
    ("boolean", "string"): 0.85,
    ("dateTime", "string"): 0.5,
    ("string", "dateTime"): 0.4,
    ("integer", "dateTime"): 0.5,
}


def type_fit(source: str, target: str) -> float:
    """1 if a value converts without loss, less if something may be lost, 0 if it cannot be
    converted.
    """
    return 1.0 if source == target else _FITS.get((source, target), 0.0)


def attribute_score(field: Field, table: str, attribute: Attribute) -> float:
    """The confidence that a column is an attribute, from 0 to 1."""
    words = tokens(field.name)
    own = set(table_tokens(table))
    shorter = tuple(word for word in words if word not in own)
    name = max(
        _name_score(words, attribute), _name_score(shorter, attribute) * 0.97 if shorter else 0.0
    )
    return round(name * type_fit(field.type, attribute.type), 3)


def _name_score(words: tuple[str, ...], attribute: Attribute) -> float:
    own = likeness(words, _last_words(attribute.path))
    other = max((likeness(words, tokens(name)) for name in attribute.names), default=0.0)
    # TMF's own word is the better proof.
    return max(own, other * 0.96)


@cache
def _last_words(path: str) -> tuple[str, ...]:
    """The names of an attribute: `validFor.startDateTime` is start date time, `price.value` and
    `channel.name` use both words.
    """
    parts = path.split(".")
    last = tokens(parts[-1])
    return (
        (*tokens(parts[-2]), *last)
        if len(parts) > 1 and last in (("id",), ("name",), ("value",), ("unit",))
        else last
    )


def resource_score(table: str, fields: list[Field], resource: Resource) -> float:
    """Score by name and by the share of columns that fit. Columns alone prove little: most tables
    have a name column.
    """
    name = max(
        likeness(table_tokens(table), tokens(known_name))
        for known_name in (resource.name, *resource.names)
    )
    scores = [
        max(attribute_score(field, table, attribute) for attribute in resource.attributes)
        for field in fields
    ]
    fit = sum(score >= ATTRIBUTE_MIN for score in scores) / len(scores) if scores else 0.0
    return round(0.7 * name + 0.3 * fit, 3)
