"""The shape of every request: types, required members, lengths, ranges, patterns and enums, from
AWS's own model.

The operations check what values mean. `sortkey.values` checks attribute values.
"""

from __future__ import annotations

from typing import Any

from sortkey.engine.shapes import constraints, exceptions
from sortkey.engine.shapes.compiled import Test, compile_test
from sortkey.engine.shapes.model import input_shape
from sortkey.engine.shapes.serialization import check_serialization
from sortkey.errors import ValidationException

__all__ = ["check", "check_serialization", "check_table_name"]

_tests: dict[str, Test] = {}


def check(operation: str, request: dict[str, Any]) -> None:
    """Raise what AWS raises for the shape of a request, a SerializationException first. Attribute
    values are opaque.

    Members that are null are removed from the request, and values that AWS converts are converted.
    """
    test = _tests.get(operation)
    if test is None:
        test = _tests[operation] = compile_test(input_shape(operation))
    try:
        if test(request):
            return
    except TypeError:
        pass  # a test met an unexpected type; types are checked below
    _examine(operation, request)


def check_table_name(name: str, path: str = "tableName") -> None:
    """Raise ValidationException unless `name` is a valid table name or an ARN."""
    if not exceptions.is_table_name(name):
        _refuse(constraints.broken_name(name, path))


def _examine(operation: str, request: dict[str, Any]) -> None:
    check_serialization(operation, request)
    shape = input_shape(operation)
    early = exceptions.early_error(operation, request)
    if early is not None:
        raise ValidationException(early)
    if shape.members.get("TableName") == "TableArn" and operation not in exceptions.ITEM_OPERATIONS:
        if "TableName" in request:
            check_table_name(request["TableName"])
        elif "TableName" in shape.required:
            raise ValidationException(
                "The parameter 'TableName' is required but was not present in the request"
            )
    _refuse(constraints.broken_constraints(shape, request))
    for path, name in exceptions.table_names(operation, request):
        check_table_name(name, path)


def _refuse(errors: list[str]) -> None:
    if errors:
        raise ValidationException(constraints.summary(errors))
