"""The types of a whole request, which AWS deserializes before any other check.

Walks in the order of the document, so that the first error is AWS's. Converts what AWS converts, in
place: 1.5 to the integer 1, "true" to a boolean. Removes null members, which AWS treats as missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn, cast

from sortkey.engine.shapes.model import Shape, input_shape, shape
from sortkey.errors import SerializationException
from sortkey.values import json_types

_JAVA_TYPES = {
    "string": "java.lang.String",
    "boolean": "java.lang.Boolean",
    "integer": "java.lang.Integer",
    "long": "java.lang.Long",
    "double": "java.lang.Double",
    "timestamp": "java.util.Date",
    "blob": "java.nio.ByteBuffer",
}
_MODEL_PACKAGE = "com.amazonaws.dynamodb.v20120810"
_UNEXPECTED_STRUCTURE = "Start of structure or map found where not expected"
_NOT_A_FIELD = "Unexpected field type"
_NOT_A_STRUCTURE = "Unexpected value type in payload"
# AWS's answer to a scalar in place of a map or list.
_CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in "
    "module java.base of "
    "loader 'bootstrap')"
)


def check_serialization(operation: str, request: Any) -> None:
    """Raise SerializationException if the request is not of the operation's types."""
    if not isinstance(request, dict):
        raise SerializationException
    _structure(input_shape(operation), cast("dict[str, Any]", request))


def _structure(of: Shape, members: dict[str, Any]) -> None:
    for name, value in list(members.items()):
        kind = of.members.get(name)
        if kind is None:  # AWS ignores unknown members
            continue
        if value is None:
            del members[name]
            continue
        read = _value(shape(kind), value, field=True)
        if read is not value:
            members[name] = read


def _value(of: Shape, value: Any, *, field: bool) -> Any:
    """The value, converted to its shape's type. `field`: a member of a structure, otherwise an
    element of a list or map.
    """
    if of.name == "AttributeValue":
        json_types.check_value(value, field=field)
        return value
    if of.type == "structure":
        _structure(of, _container(of, value, dict, _NOT_A_FIELD if field else _NOT_A_STRUCTURE))
    elif of.type == "list":
        elements = _container(of, value, list, _NOT_A_FIELD if field else _CAST)
        for index, element in enumerate(elements):
            if element is not None:
                elements[index] = _value(shape(of.element), element, field=False)
    elif of.type == "map":
        entries = _container(of, value, dict, _NOT_A_FIELD if field else _CAST)
        for key, element in entries.items():
            if element is not None:
                entries[key] = _value(shape(of.element), element, field=False)
    else:
        return _SCALARS[of.type](of, value)
    return value


def _container(of: Shape, value: Any, expected: type, scalar_found: str) -> Any:
    if not isinstance(value, expected):
        if isinstance(value, list):
            _refuse(f"Unrecognized collection type {_java_type(of, outer=True)}")
        _refuse(_UNEXPECTED_STRUCTURE if isinstance(value, dict) else scalar_found)
    return value


def _java_type(of: Shape, *, outer: bool = False) -> str:
    if of.type == "list":
        return f"java.util.List<{_java_type(shape(of.element))}>"
    if of.type == "map":
        return f"java.util.Map<java.lang.String, {_java_type(shape(of.element))}>"
    name = _JAVA_TYPES.get(of.type) or f"{_MODEL_PACKAGE}.{of.name}"
    return f"class {name}" if outer else name


def _string(of: Shape, value: Any) -> str:
    return json_types.as_string(value)


def _boolean(of: Shape, value: Any) -> bool:
    return json_types.as_boolean(value)


def _blob(of: Shape, value: Any) -> str:
    json_types.as_blob(value)
    return value


def _integer(of: Shape, value: Any) -> int:
    refusal = f"cannot be converted to {of.type.capitalize()}"
    number = _number(of, value, refusal)
    limit = 1 << (31 if of.type == "integer" else 63)
    if (
        not -limit <= number < limit
    ):  # AWS's answer to this is not known; this is the one for other types
        _refuse(f"NUMBER_VALUE {refusal}")
    return math.floor(number)


def _double(of: Shape, value: Any) -> int | float:
    return _number(of, value, "cannot be converted to Double")


def _timestamp(of: Shape, value: Any) -> int | float:
    return _number(of, value, "can not be converted to milliseconds since epoch")


def _number(of: Shape, value: Any, refusal: str) -> int | float:
    if isinstance(value, bool):
        _refuse(f"{'TRUE' if value else 'FALSE'}_VALUE {refusal}")
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        _refuse(f"STRING_VALUE {refusal}")
    return _container(of, value, int, refusal)


def _refuse(message: str) -> NoReturn:
    raise SerializationException(message)


_SCALARS: dict[str, Callable[[Shape, Any], Any]] = {
    "string": _string,
    "boolean": _boolean,
    "blob": _blob,
    "integer": _integer,
    "long": _integer,
    "double": _double,
    "timestamp": _timestamp,
}
