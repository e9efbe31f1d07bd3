"""Decides which unmapped attributes get a default.

A default that states a fact, such as the action of an order item, is not used if an unmapped column
may state it. The attribute then stays undecided: a rule has to map the column or set a default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from sortkey_systems.jobengine.rules.rule_book import RuleBook
from sortkey_systems.jobengine.stages.names import tokens
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import ColumnProfile, TableProfile
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import Field
from sortkey_systems.jobengine.tmf import Attribute, Resource, values, words

CODES_MAX = 20
"""A column of codes has at most this many distinct values."""
_CODE_WORDS = {"code", "type", "kind", "flag", "indicator", "ind", "flg"}
_SAME_LETTERS = 0.75
_PREFIX_MIN = 3


@dataclass(slots=True)
class Defaults:
    """Defaults by path, and for attributes without one, the columns that prevent it."""

    used: dict[str, str] = field(default_factory=dict[str, str])
    undecided: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    problems: list[str] = field(default_factory=list[str])


def choose_defaults(
    resource: Resource,
    filled: set[str],
    unmapped: Sequence[Field],
    profile: TableProfile,
    book: RuleBook,
) -> Defaults:
    """The defaults for attributes that are not `filled` by a column. Rules come first."""
    defaults = Defaults()
    for attribute in resource.attributes:
        if attribute.path in filled:
            continue
        decision = book.default(resource.name, attribute.path)
        if decision is not None:
            value = str(decision.directive.value)
            if attribute.of and value not in values(attribute.of):
                allowed = ", ".join(values(attribute.of))
                defaults.problems.append(
                    f"{decision.rule_id}: {resource.name}.{attribute.path} is one of {allowed}"
                )
            else:
                defaults.used[attribute.path] = value
                continue
        if attribute.default is None:
            continue
        columns = [] if "{id}" in attribute.default else _candidates(attribute, unmapped, profile)
        if columns:
            defaults.undecided[attribute.path] = columns
        else:
            defaults.used[attribute.path] = attribute.default
    return defaults


def _candidates(
    attribute: Attribute, unmapped: Iterable[Field], profile: TableProfile
) -> list[str]:
    """The columns that may hold the attribute, judged by names, or by codes for an enumeration."""
    names: list[str] = []
    for candidate in unmapped:
        column = profile.column(candidate.name)
        by_code = (
            attribute.of is not None
            and column is not None
            and _is_code(candidate, column, attribute.of)
        )
        if by_code or _is_named_alike(candidate.name, attribute):
            names.append(candidate.name)
    return names


def _is_named_alike(column: str, attribute: Attribute) -> bool:
    """Whether they share a word, including abbreviations: `actn_cd` may be the action."""
    words = {
        word for name in (attribute.path.split(".")[-1], *attribute.names) for word in tokens(name)
    }
    return any(_is_alike(word, other) for word in tokens(column) for other in words)


def _is_alike(word: str, other: str) -> bool:
    if word == other or (len(word) >= _PREFIX_MIN and other.startswith(word)):
        return True
    return len(word) > _PREFIX_MIN and SequenceMatcher(None, word, other).ratio() >= _SAME_LETTERS


def _is_code(field: Field, column: ColumnProfile, enumeration: str) -> bool:
    if not column.common or column.distinct > CODES_MAX or field.type not in ("string", "integer"):
        return False
    if tokens(field.name)[-1] in _CODE_WORDS:
        return True
    members = sum(_is_member(value, enumeration) for value, _ in column.common)
    return 2 * members >= len(column.common)


def _is_member(value: str, enumeration: str) -> bool:
    """Whether a code may abbreviate a value: `DEL` may be delete."""
    word = value.strip().lower()
    return len(word) >= _PREFIX_MIN and any(other.startswith(word) for other in words(enumeration))
