"""What AWS's published model says of a request, by botocore and not by the engine: a second opinion
on refusals.
"""

import base64
import binascii
import re
from functools import cache
from typing import Any

import botocore.session
from botocore.model import ServiceModel, Shape

_STREAMS = {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}
_TABLE_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_TRUTHS = {"true", "false", "1", "0", "yes", "no"}  # AWS takes these texts for booleans


def has_wrong_type(operation: str, request: Any) -> bool:
    """Whether a member of the request has a JSON type that its shape does not have."""
    return _mistyped(_input(operation), request)


def breaks_constraint(operation: str, request: Any) -> bool:
    """Whether something required is missing, or a length, a value, an enum or a pattern is not
    kept.
    """
    return (
        _broken(_input(operation), request)
        or _badly_named(request)
        or _undefined(operation, request)
    )


@cache
def _model(service: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(service)


def _input(operation: str) -> Shape:
    shape = (
        _model("dynamodbstreams" if operation in _STREAMS else "dynamodb")
        .operation_model(operation)
        .input_shape
    )
    assert shape is not None
    return shape


def _badly_named(request: Any) -> bool:
    """A table's name that AWS refuses, though its model, which allows ARNs there, no longer says
    so.
    """
    if isinstance(request, list):
        return any(_badly_named(each) for each in request)
    if not isinstance(request, dict):
        return False
    names = [
        *request.get("RequestItems", {}),
        *([request["TableName"]] if request.get("TableName") is not None else []),
    ]
    bad = any(not name.startswith("arn:") and not _TABLE_NAME.fullmatch(name) for name in names)
    return bad or any(_badly_named(each) for each in request.values())


def _undefined(operation: str, request: Any) -> bool:
    """CreateTable without keys: the model leaves them out for replicas of other accounts' tables,
    AWS does not.
    """
    if operation != "CreateTable":
        return False
    schemas = [request, *(request.get("LocalSecondaryIndexes") or [])]
    keys = [schema.get("KeySchema") or [] for schema in schemas]
    return not request.get("AttributeDefinitions") or not all(1 <= len(key) <= 2 for key in keys)


def _mistyped(shape: Any, value: Any) -> bool:
    if value is None:
        return False
    match shape.type_name:
        case "structure":
            return not isinstance(value, dict) or any(
                _mistyped(shape.members[name], each)
                for name, each in value.items()
                if name in shape.members
            )
        case "list":
            return not isinstance(value, list) or any(
                each is None or _mistyped(shape.member, each) for each in value
            )
        case "map":
            return not isinstance(value, dict) or any(
                each is None or _mistyped(shape.value, each) for each in value.values()
            )
        case "string":
            return not isinstance(value, str)
        case "blob":
            return not _is_base64(value)
        case "boolean":
            return not isinstance(value, bool) and not (
                isinstance(value, str) and value.lower() in _TRUTHS
            )
        case _:
            return isinstance(value, bool) or not isinstance(value, int | float)


def _is_base64(value: Any) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        return False
    return True


def _broken(shape: Any, value: Any) -> bool:
    if value is None:
        return False
    limits = shape.metadata
    match shape.type_name:
        case "structure":
            return any(value.get(name) is None for name in limits.get("required", ())) or any(
                _broken(shape.members[name], each)
                for name, each in value.items()
                if name in shape.members
            )
        case "list":
            return _outside(limits, len(value)) or any(
                _broken(shape.member, each) for each in value
            )
        case "map":
            return _outside(limits, len(value)) or any(
                _broken(shape.key, name) or _broken(shape.value, each)
                for name, each in value.items()
            )
        case "string":
            pattern, choices = limits.get("pattern"), shape.enum
            unlike = pattern is not None and re.fullmatch(pattern, value) is None
            return _outside(limits, len(value)) or unlike or bool(choices and value not in choices)
        case "integer" | "long" | "double" | "float":
            return _outside(limits, value)
        case _:
            return False


def _outside(limits: dict[str, Any], value: float) -> bool:
    return value < limits.get("min", value) or value > limits.get("max", value)
