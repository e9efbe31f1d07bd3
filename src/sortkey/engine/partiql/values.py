"""Values in statements: literals of all types, and the parameters of the request."""

from __future__ import annotations

from typing import Any

from sortkey.engine.partiql.syntax import (
    Call,
    Literal,
    Node,
    Operation,
    Parameter,
    Reference,
    Sequence,
    Struct,
    Unsupported,
    kind_of,
)
from sortkey.errors import ValidationException
from sortkey.values import numbers
from sortkey.values.attributes import (
    TOO_NESTED,
    TOO_NESTED_RESULT,
    AttributeValue,
    Item,
    read_value,
)

BAG_MEMBERS = (
    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
)
NO_PARAMETER = "Number of parameters in request and statement don't match."
NOT_A_NUMBER = "A value provided cannot be converted into a number"
TOO_PRECISE = "DynamoDB only supports precision up to 38 digits"
MISSING_COMPARED = "MISSING must be compared using IS operator"


class Parameters:
    """The values for the question marks of one statement."""

    def __init__(self, raw: list[Any] | None) -> None:
        self._values = [_read_parameter(value) for value in raw or ()]

    def value(self, parameter: Parameter) -> AttributeValue:
        if parameter.position >= len(self._values):
            raise ValidationException(NO_PARAMETER)
        return self._values[parameter.position]

    def resolve(self, node: Node) -> AttributeValue | None:
        """The value of a literal or a parameter, or None for another node."""
        match node:
            case Parameter():
                return self.value(node)
            case Literal() | Sequence() | Struct():
                return literal(node)
            case Unsupported():
                raise unsupported(node)
            case _:
                return None

    def item(self, struct: Struct) -> Item:
        """The item of an INSERT. A parameter may be an attribute's value, but not part of one."""
        item: Item = {}
        for key, node in struct.pairs:
            name = _key(key, item, "root")
            missing = isinstance(node, Literal) and node.kind == "MISSING"
            value = None if missing else self.resolve(node)
            if value is None:
                raise ValidationException(
                    f"Unsupported data type: {_text(node)} under key root at {node.place}"
                )
            item[name] = value
        return item


def literal(node: Node) -> AttributeValue:
    """The value of a literal, canonical."""
    value = _literal(node, "root")
    if isinstance(node, Literal):
        return value
    try:
        return read_value(value)[0]
    except ValidationException as error:
        raise ValidationException(
            TOO_NESTED_RESULT if error.message == TOO_NESTED else error.message
        ) from None


def unsupported(node: Unsupported) -> ValidationException:
    if node.word == "ION":
        return ValidationException(
            f"Ion Literals are not supported: SYMBOL under key root at {node.place}"
        )
    return ValidationException(f"Unsupported token in expression: {node.word} at {node.place}")


def _literal(node: Node, key: str) -> AttributeValue:
    match node:
        case Literal("MISSING"):
            raise ValidationException(MISSING_COMPARED)
        case Literal("N", content):
            return {"N": _number(content)}
        case Literal(kind, content):
            return {kind: content}
        case Sequence("bag", members, place):
            if not members:
                raise ValidationException(f"Empty bags are not supported at {place}")
            return _bag(members)
        case Sequence(_, members):
            return {
                "L": [_literal(member, f"{key}.{number}") for number, member in enumerate(members)]
            }
        case Struct(pairs):
            fields: Item = {}
            for name_node, value in pairs:
                name = _key(name_node, fields, key)
                fields[name] = _literal(value, f"{key}.{name}")
            return {"M": fields}
        case Unsupported():
            raise unsupported(node)
        case _:
            raise ValidationException(
                f"Unsupported data type: {kind_of(node)} under key {key} at {node.place}"
            )


def _bag(members: tuple[Node, ...]) -> AttributeValue:
    kinds: set[str] = set()
    contents: list[str] = []
    for member in members:
        if not isinstance(member, Literal) or member.kind not in ("S", "N"):
            raise ValidationException(f"{BAG_MEMBERS} at {member.place}")
        kinds.add(member.kind)
        contents.append(member.content)
    if len(kinds) > 1:
        raise ValidationException(BAG_MEMBERS)
    return {kinds.pop() + "S": contents}


def _key(node: Node, members: Item, key: str) -> str:
    if not isinstance(node, Literal) or node.kind != "S":
        kind = "INT" if isinstance(node, Literal) and node.kind == "N" else kind_of(node)
        raise ValidationException(
            f"Tuple keys must be of type String. Actual type: {kind} under {key} at {node.place}"
        )
    if node.content in members:
        raise ValidationException(
            f"Duplicate keys in tuple. Key: {node.content} under {key} at {node.place}"
        )
    if not node.content:
        raise ValidationException("Path component cannot be an empty string")
    return node.content


def _number(text: str) -> str:
    try:
        return numbers.canonical(text)
    except ValidationException as error:
        raise ValidationException(
            TOO_PRECISE if error.message == numbers.TOO_PRECISE else error.message
        ) from None


def _read_parameter(raw: Any) -> AttributeValue:
    try:
        return read_value(raw)[0]
    except ValidationException as error:
        if error.message.startswith(numbers.NOT_NUMERIC):
            raise ValidationException(NOT_A_NUMBER) from None
        raise


def _text(node: Node) -> str:
    """AWS's text for an expression in place of a value."""
    match node:
        case Reference((str() as name,)):
            return name
        case Literal():
            return "MISSING"
        case Call(name) | Operation(name):
            return name
        case _:
            return kind_of(node)
