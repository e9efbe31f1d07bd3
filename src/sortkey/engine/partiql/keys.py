"""The key conditions of a WHERE clause: equalities that name one item, or partitions and ranges to
read.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortkey.engine.item_keys import EMPTY_KEY, check_lengths
from sortkey.engine.partiql.conditions import Translator
from sortkey.engine.tables import Table
from sortkey.errors import ValidationException
from sortkey.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    Membership,
    Not,
    Or,
    Path,
    Value,
)
from sortkey.values.attributes import INVALID, AttributeValue, Item

KEY_TOO_LONG = (
    "Hash primary key values must be under 2048 bytes, and range primary key values must be under "
    "1024 bytes"
)
NO_FULL_KEY = "Where clause does not contain a mandatory equality on all key attributes"
FILTER_TYPE = INVALID + "Condition parameter type does not match schema type"

_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Term:
    """A comparison of one attribute with values: =, <, <=, >, >=, BETWEEN, begins_with or IN."""

    name: str
    operator: str
    operands: tuple[AttributeValue, ...]


def conjuncts(where: Condition | None) -> tuple[Condition, ...]:
    """The conditions that must all hold."""
    if where is None:
        return ()
    return where.terms if isinstance(where, And) else (where,)


def together(trees: list[Condition]) -> Condition | None:
    if not trees:
        return None
    return trees[0] if len(trees) == 1 else And(tuple(trees))


def read_term(tree: Condition, translator: Translator) -> Term | None:
    """The condition as a term, or None."""
    match tree:
        case Comparison(operator, Path() as path, Value() as value):
            return _term(translator, path, operator, value)
        case Comparison(operator, Value() as value, Path() as path) if operator in _FLIPPED:
            return _term(translator, path, _FLIPPED[operator], value)
        case Between(Path() as path, Value() as low, Value() as high):
            return _term(translator, path, "BETWEEN", low, high)
        case Call("begins_with", (Path() as path, Value() as prefix)):
            return _term(translator, path, "begins_with", prefix)
        case Membership(Path() as path, choices) if all(
            isinstance(choice, Value) for choice in choices
        ):
            return _term(
                translator, path, "IN", *(choice for choice in choices if isinstance(choice, Value))
            )
        case Or(terms):
            return _alternatives([read_term(term, translator) for term in terms])
        case _:
            return None


def _term(translator: Translator, path: Path, operator: str, *values: Value) -> Term | None:
    parts = translator.parts(path)
    if len(parts) != 1 or operator == "<>":
        return None
    return Term(str(parts[0]), operator, tuple(translator.values[value.name] for value in values))


def _alternatives(terms: list[Term | None]) -> Term | None:
    """`a = 1 OR a = 2` means the same as an IN."""
    values: list[AttributeValue] = []
    name: str | None = None
    for term in terms:
        if term is None or term.operator not in ("=", "IN") or name not in (None, term.name):
            return None
        name = term.name
        values.extend(term.operands)
    return None if name is None else Term(name, "IN", tuple(values))


def one_item(
    table: Table, where: Condition | None, translator: Translator
) -> tuple[Item, Condition | None]:
    """The key that a WHERE clause of a write names, and the other conditions."""
    key: Item = {}
    rest: list[Condition] = []
    for tree in conjuncts(where):
        term = read_term(tree, translator)
        if term is None or term.operator != "=" or term.name not in table.key.names:
            rest.append(tree)
            continue
        (value,) = term.operands
        if key.setdefault(term.name, value) != value:
            raise ValidationException(
                f"Multiple conditions on same key {term.name}. Only single item "
                "Update/Insert/Delete are supported"
            )
    if len(key) < len(table.key.names):
        raise ValidationException(NO_FULL_KEY)
    for name in table.key.names:
        check_key_value(table, name, key[name])
    check_key_lengths(table, key)
    return key, together(rest)


def check_key_value(table: Table, name: str, value: AttributeValue) -> None:
    """Check a value that a key is compared with. PartiQL has its own messages."""
    kind = table.types[name]
    if kind not in value:
        raise ValidationException(
            f"Key attribute's data type should match its data type in table's schema: Key {name}"
        )
    if not value[kind]:
        raise ValidationException(EMPTY_KEY.format("string" if kind == "S" else "binary", name))


def check_key_lengths(table: Table, key: Item) -> None:
    try:
        check_lengths(table, key)
    except ValidationException:
        raise ValidationException(KEY_TOO_LONG) from None


def is_of_value(fault: str) -> bool:
    """Whether a key was refused because no item can have its value, although its type is right."""
    return fault == KEY_TOO_LONG or fault.startswith(EMPTY_KEY.partition("{}")[0])


def check_filter(
    table: Table, names: frozenset[str], where: Condition, translator: Translator
) -> None:
    """Refuse filters that compare key attributes with another type, which never matches."""
    match where:
        case And(terms) | Or(terms):
            for term in terms:
                check_filter(table, names, term, translator)
        case Not(term):
            check_filter(table, names, term, translator)
        case _:
            term = read_term(where, translator)
            if term is None or term.name not in names:
                return
            if any(table.types[term.name] not in operand for operand in term.operands):
                raise ValidationException(FILTER_TYPE)
