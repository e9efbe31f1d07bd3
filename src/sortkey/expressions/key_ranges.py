"""Matches key conditions to a key schema, with AWS's order of checks.

An index key may have several attributes on each side. All of the hash side need "=". The range side
is narrowed from left to right, and only its last condition may be other than "=".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from sortkey.errors import ValidationException
from sortkey.values.attributes import AttributeValue
from sortkey.values.sizes import value_size

HASH_BYTES_MAX = 2048
RANGE_BYTES_MAX = 1024
_BYTES_OF_CHARACTER_MAX = 4
RANGE_OPERATORS = frozenset(("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"))

NOT_SUPPORTED = "Query key condition not supported"
NOT_INDEXABLE = "Attempted conditional constraint is not an indexable operation"


class KeyTerm(NamedTuple):
    """A condition on one attribute. A legacy operator that keys do not support keeps its name."""

    name: str
    operator: str
    values: tuple[AttributeValue, ...]


class KeyRange(NamedTuple):
    """A partition and what to read of it. All values are in the order of the key schema.

    `equals` are the leading range attributes that have "=". `operator` ("<", "<=", ">", ">=",
    "BETWEEN", "begins_with" or None) with its one or two `operands` is about the range attribute
    after those.
    """

    hash_values: tuple[AttributeValue, ...]
    equals: tuple[AttributeValue, ...] = ()
    operator: str | None = None
    operands: tuple[AttributeValue, ...] = ()


def resolve_terms(
    terms: Sequence[KeyTerm],
    hash_names: Sequence[str],
    range_names: Sequence[str],
    types: Mapping[str, str],
    index: str | None = None,
) -> KeyRange:
    by_name = {term.name: term for term in terms}
    if len(terms) > 2 and len(hash_names) == 1 and len(range_names) <= 1:
        _refuse("Conditions can be of length 1 or 2 only")
    if len(terms) > len(hash_names) + len(range_names):
        _refuse(NOT_SUPPORTED)
    hash_terms = _hash_terms(by_name, hash_names, types, index)
    hash_values = tuple([term.values[0] for term in hash_terms])
    check_hash_size(hash_values)
    if len(hash_terms) == len(terms):
        return KeyRange(hash_values)
    range_terms = _range_terms(by_name, range_names, len(terms) - len(hash_terms))
    for term in range_terms:
        _check_values(term, types)
        if term.operator not in RANGE_OPERATORS:
            _refuse(NOT_INDEXABLE)
        _check_not_empty(term, index)
    _check_range_size(range_terms)
    last = range_terms[-1]
    if last.operator == "=":
        return KeyRange(hash_values, tuple([term.values[0] for term in range_terms]))
    return KeyRange(
        hash_values,
        tuple([term.values[0] for term in range_terms[:-1]]),
        last.operator,
        last.values,
    )


def _hash_terms(
    by_name: Mapping[str, KeyTerm],
    names: Sequence[str],
    types: Mapping[str, str],
    index: str | None,
) -> list[KeyTerm]:
    if len(names) == 1:
        term = by_name.get(names[0])
        if term is None:
            _refuse(f"Query condition missed key schema element: {names[0]}")
        _check_values(term, types)
        if term.operator != "=":
            _refuse(NOT_SUPPORTED)
        _check_not_empty(term, index)
        return [term]
    missing = [name for name in names if name not in by_name]
    unequal = missing or [name for name in names if by_name[name].operator != "="]
    if unequal:
        _refuse(
            f"HASH key attributes {', '.join(unequal)} must have equality conditions specified in "
            "the query"
        )
    terms = [by_name[name] for name in names]
    for term in terms:
        _check_values(term, types)
        _check_not_empty(term, index)
    return terms


def _range_terms(by_name: Mapping[str, KeyTerm], names: Sequence[str], count: int) -> list[KeyTerm]:
    """The terms on the range attributes, in the order of the key schema. All but the last
    have "=".
    """
    terms = [by_name[name] for name in names if name in by_name]
    if len(terms) < count:  # a term is on another attribute
        unused = next(name for name in names if name not in by_name)
        _refuse(f"Query condition missed key schema element: {unused}")
    last = terms[-1].name
    unequal = [
        name
        for name in names[: names.index(last)]
        if name not in by_name or by_name[name].operator != "="
    ]
    if unequal:
        _refuse(
            f"RANGE key attributes {', '.join(unequal)} must have equality conditions specified in "
            "the query "
            f"because a condition is present on key attribute {last}"
        )
    return terms


def _check_values(term: KeyTerm, types: Mapping[str, str]) -> None:
    kind = types[term.name]
    for value in term.values:
        if kind not in value:
            _refuse(
                "One or more parameter values were invalid: Condition parameter type does not "
                "match schema type"
            )


def _check_not_empty(term: KeyTerm, index: str | None) -> None:
    for value in term.values:
        for kind, content in value.items():
            if not content:
                _refuse(_empty_key("string" if kind == "S" else "binary", term.name, index))


def _empty_key(title: str, name: str, index: str | None) -> str:
    empty = f"The AttributeValue for a key attribute cannot contain an empty {title} value. "
    if index is None:
        return f"One or more parameter values are not valid. {empty}Key: {name}"
    return (
        "One or more parameter values are not valid. A value specified for a secondary index key "
        "is not supported. "
        f"{empty}IndexName: {index}, IndexKey: {name}"
    )


def check_hash_size(values: Sequence[AttributeValue]) -> None:
    """Refuse values whose total size exceeds the hash side of a key."""
    texts = [text for value in values for text in value.values()]
    if sum(map(len, texts)) * _BYTES_OF_CHARACTER_MAX <= HASH_BYTES_MAX:
        return
    if sum(map(value_size, values)) > HASH_BYTES_MAX:
        _refuse(  # AWS writes it without a space
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
            "size limit "
            f"of{HASH_BYTES_MAX} bytes"
        )


def _check_range_size(terms: Sequence[KeyTerm]) -> None:
    """All lower bounds, then all upper ones. Short texts, nearly all, need no exact size."""
    texts = [text for term in terms for value in term.values for text in value.values()]
    if sum(map(len, texts)) * _BYTES_OF_CHARACTER_MAX <= RANGE_BYTES_MAX:
        return
    for number in range(2):
        sizes = [value_size(term.values[min(number, len(term.values) - 1)]) for term in terms]
        if sum(sizes) > RANGE_BYTES_MAX:
            _refuse(
                "One or more parameter values were invalid: Aggregated size of all range keys has "
                "exceeded "
                f"the size limit of {RANGE_BYTES_MAX} bytes"
            )


def _refuse(message: str) -> NoReturn:
    raise ValidationException(message)
