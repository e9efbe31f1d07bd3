"""KeyConditions: to the key condition that `resolve` fits to a key schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions.key_conditions import KeyCondition
from sortkey.expressions.key_ranges import KeyTerm
from sortkey.expressions.legacy.comparisons import read_named

# The rest of the operators keep their names: `resolve` refuses them.
_OPERATORS = {
    "EQ": "=",
    "LE": "<=",
    "LT": "<",
    "GE": ">=",
    "GT": ">",
    "BETWEEN": "BETWEEN",
    "BEGINS_WITH": "begins_with",
}


def key_conditions(conditions: Mapping[str, Mapping[str, Any]]) -> KeyCondition:
    if not conditions:
        raise ValidationException("Conditions must be at least length 1")
    terms: list[KeyTerm] = []
    for name, condition in conditions.items():
        operator, arguments = read_named(name, condition)
        terms.append(KeyTerm(name, _OPERATORS.get(operator, operator), tuple(arguments)))
    return KeyCondition(tuple(terms), tuple((name,) for name in conditions))
