"""Criteria of constraints as tests of an object's fields.

Values are regular expressions, as in the original: `contains ".*"` means everything. They stay
data: nothing in them is ever evaluated. A list field matches when one element does; a negative
operator matches when no element does.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from sortkey_systems.vams.access.objects import FIELDS, AccessObject, Value
from sortkey_systems.vams.access.repetitions import has_nested_repetition

log = logging.getLogger("sortkey.vams")

Operator = Literal[
    "equals",
    "contains",
    "does_not_contain",
    "starts_with",
    "ends_with",
    "is_one_of",
    "is_not_one_of",
]
OPERATORS: Final[tuple[Operator, ...]] = get_args(Operator)
NEGATIVE: Final = {"does_not_contain", "is_not_one_of"}
VALUE_CHARACTERS_MAX = 1024
VALUES_MAX = 500
TEXT_CHARACTERS_MAX = 2048
"""Of a text that an expression is tried on."""

Matches = Callable[[str], object]
Test = Callable[[AccessObject], bool]

_LITERAL = re.compile(r"[\w\s/:@#%&=,;'\"!~<>-]*")
"""Text without a special meaning in expressions: plain comparisons are faster."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition on one field. `value` of is_one_of and is_not_one_of is a list."""

    field: str
    operator: Operator
    value: str | tuple[str, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """The values of a list operator: a list, a JSON list as text, or text with commas."""
        if isinstance(self.value, tuple):
            return self.value
        return _listed(self.value)


def problem_of(object_type: str, criterion: Criterion) -> str | None:
    """What is wrong with a criterion, for whoever writes it; None if it is valid."""
    if criterion.field not in FIELDS[object_type]:
        known = ", ".join(FIELDS[object_type])
        return f"{object_type} has no field {criterion.field[:100]!r}: use one of {known}"
    if criterion.operator in ("is_one_of", "is_not_one_of"):
        return None if criterion.values else f"{criterion.operator} needs at least one value"
    if not isinstance(criterion.value, str):
        return f"{criterion.operator} takes one text, not a list"
    return _problem_of_expression(criterion.operator, criterion.value)


def compile_criterion(criterion: Criterion, *, is_deny: bool = False) -> Test:
    """A test of an object. What cannot be read or tried matches everything in a deny and nothing
    in an allow.
    """
    is_negative = criterion.operator in NEGATIVE
    name, matches = criterion.field, _matcher(criterion, unreadable=is_deny is not is_negative)
    if is_negative:
        return lambda subject: not _any(matches, getattr(subject, name))
    if is_deny and _is_unreadable(criterion):  # also of an empty list
        return lambda subject: True
    return lambda subject: _any(matches, getattr(subject, name))


def is_always_true(criterion: Criterion) -> bool:
    """Whether a criterion lets everything through without a look at the field. A list can be
    empty, so that nothing in it matches.
    """
    if criterion.field == "tags":
        return False
    return criterion.operator in ("contains", "starts_with") and criterion.value in (".*", "")


def literal_values(criterion: Criterion) -> tuple[str, ...] | None:
    """The only values that match, if they can be listed: for an index of constraints."""
    if criterion.operator == "is_one_of":
        return criterion.values
    if criterion.operator == "equals" and isinstance(criterion.value, str):
        return (criterion.value,) if _LITERAL.fullmatch(criterion.value) else None
    return None


def literal_beginning(criterion: Criterion) -> str | None:
    """The text that values which match begin with, if that is all there is to it."""
    if criterion.operator != "starts_with" or not isinstance(criterion.value, str):
        return None
    return criterion.value if _LITERAL.fullmatch(criterion.value) else None


def known_criteria(object_type: str, criteria: Iterable[Criterion]) -> list[Criterion]:
    """Those that name a field of the object type. Others, of older versions, are ignored."""
    return [each for each in criteria if each.field in FIELDS.get(object_type, ())]


def _any(matches: Matches, value: Value) -> bool:
    if isinstance(value, str):
        return bool(matches(value))
    return any(matches(element) for element in value)


def _matcher(criterion: Criterion, *, unreadable: bool) -> Matches:
    """`unreadable` is the answer for an expression that cannot be read."""
    if criterion.operator in ("is_one_of", "is_not_one_of"):
        return frozenset(criterion.values).__contains__
    text = _text(criterion)
    if _LITERAL.fullmatch(text):
        return _literal_matcher(criterion.operator, text)
    problem = _problem_of_expression(criterion.operator, text)
    if problem is not None:
        log.error("a criterion on %s cannot be evaluated: %s", criterion.field, problem)
        return lambda value: unreadable
    matches = _expression_matcher(criterion.operator, text)
    return lambda value: matches(value) if len(value) <= TEXT_CHARACTERS_MAX else unreadable


def _text(criterion: Criterion) -> str:
    return criterion.value if isinstance(criterion.value, str) else ",".join(criterion.value)


def _is_unreadable(criterion: Criterion) -> bool:
    if criterion.operator in ("is_one_of", "is_not_one_of"):
        return False
    return _problem_of_expression(criterion.operator, _text(criterion)) is not None


def _problem_of_expression(operator: Operator, text: str) -> str | None:
    if has_nested_repetition(text):
        return "the expression repeats a repetition, which takes too long: simplify it"
    try:
        _expression_matcher(operator, text)
    except (re.error, OverflowError, RecursionError):
        return f"the value is not a regular expression that {operator} can use"
    return None


def _literal_matcher(operator: Operator, text: str) -> Matches:
    if operator == "equals":
        return text.__eq__
    if operator == "starts_with":
        return lambda value: value.startswith(text)
    if operator == "ends_with":
        return lambda value: value.endswith(text)
    return lambda value: text in value


def _expression_matcher(operator: Operator, text: str) -> Matches:
    if operator == "equals":
        return re.compile(text, re.DOTALL).fullmatch
    if operator == "starts_with":
        return re.compile(text, re.DOTALL).match
    if operator == "ends_with":
        re.compile(text)
        return re.compile(f"(?:{text})\\Z", re.DOTALL).search
    return re.compile(text, re.DOTALL).search


_LIST = TypeAdapter(list[str | int | float])


def _listed(text: str) -> tuple[str, ...]:
    stripped = text.strip()
    if stripped.startswith("["):
        try:
            return _cleaned(str(each) for each in _LIST.validate_json(stripped))
        except ValidationError:
            stripped = stripped.strip("[]")
    return _cleaned(stripped.split(","))


def _cleaned(values: Iterable[str]) -> tuple[str, ...]:
    stripped: Sequence[str] = [value.strip().strip("'\"") for value in values]
    return tuple(value for value in stripped if value)
