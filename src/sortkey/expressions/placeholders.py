"""The expressions of one request, which share its ExpressionAttributeNames and
ExpressionAttributeValues.

Make a `Placeholders`, compile the request's expressions with it in AWS's order, then call `finish`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from sortkey.errors import ValidationException
from sortkey.expressions.compiled import Cache, Compiled
from sortkey.expressions.conditions import Condition, compile_condition
from sortkey.expressions.faults import Fault
from sortkey.expressions.java_order import java_order
from sortkey.expressions.key_conditions import KeyCondition, compile_key_condition
from sortkey.expressions.projections import Projection, compile_projection
from sortkey.expressions.scope import Scope
from sortkey.expressions.updates import Update, compile_update
from sortkey.values.attributes import (
    EMPTY_NAME,
    NAME_BYTES_MAX,
    NAME_TOO_LARGE,
    AttributeValue,
    read_value,
)

NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"
KEY_LENGTH_MAX = 255
BYTES_MAX = 2 * 1024 * 1024

_Product = TypeVar("_Product")
_cache = Cache()


class Placeholders:
    """Names and values of a request. Both may be None. Invalid ones are refused at once."""

    __slots__ = ("_signature", "_used_names", "_used_values", "names", "values")

    def __init__(
        self, names: Mapping[str, str] | None = None, values: Mapping[str, Any] | None = None
    ) -> None:
        if names is not None:
            _check_keys(NAMES, names)
        self.values: Mapping[str, AttributeValue] = {} if values is None else _read_values(values)
        self.names: Mapping[str, str] = {} if names is None else _read_names(names)
        types = tuple([(name, next(iter(value))) for name, value in self.values.items()])
        self._signature = (tuple(self.names.items()), types)
        self._used_names: set[str] = set()
        self._used_values: set[str] = set()

    @classmethod
    def of(
        cls, request: Mapping[str, Any], expressions: Sequence[str], valued: Sequence[str]
    ) -> Placeholders:
        """The placeholders of a request. `expressions` are its parameters that are expressions,
        `valued` those that may use values.
        """
        check_wanted(request, expressions, valued)
        return cls(request.get(NAMES), request.get(VALUES))

    def condition(self, text: str, parameter: str = "ConditionExpression") -> Condition:
        return self._product("condition", compile_condition, text, parameter)

    def key_condition(self, text: str) -> KeyCondition:
        return self._product("key", compile_key_condition, text, "KeyConditionExpression")

    def projection(self, text: str) -> Projection:
        return self._product("projection", compile_projection, text, "ProjectionExpression")

    def update(self, text: str) -> Update:
        return self._product("update", compile_update, text, "UpdateExpression")

    def finish(self) -> None:
        """Refuse unused names and values. Call this when all expressions are compiled."""
        if len(self._used_names) < len(self.names):
            raise _unused(NAMES, [name for name in self.names if name not in self._used_names])
        if len(self._used_values) < len(self.values):
            raise _unused(VALUES, [name for name in self.values if name not in self._used_values])

    def _product(
        self,
        kind: str,
        compile_: Callable[[str, Scope], Compiled[_Product]],
        text: str,
        parameter: str,
    ) -> _Product:
        key = (kind, text, self._signature)
        entry: Compiled[_Product] | None = _cache.get(key)
        try:
            if entry is None:
                entry = compile_(text, Scope(self.names, self.values))
                _cache.put(key, entry)
            self._used_names |= entry.names
            self._used_values |= entry.values
            return entry.make(self.values)
        except Fault as fault:
            raise ValidationException(f"Invalid {parameter}: {fault}") from None


def check_wanted(
    request: Mapping[str, Any], expressions: Sequence[str], valued: Sequence[str] = ()
) -> None:
    """Refuse names and values if there is no expression that could use them.

    An operation without `valued` expressions has no values: they are ignored, like any member that
    AWS does not know.
    """
    names, values = request.get(NAMES), request.get(VALUES) if valued else None
    if (names is None or request.get(expressions[0]) is not None) and (
        values is None or request.get(valued[0]) is not None
    ):
        return  # most requests: there are expressions that can use them
    if names is not None and all(request.get(parameter) is None for parameter in expressions):
        raise ValidationException(f"{NAMES} can only be specified when using expressions")
    if values is not None and all(request.get(parameter) is None for parameter in valued):
        verb = "are" if len(valued) > 1 else "is"
        raise ValidationException(
            f"{VALUES} can only be specified when using expressions: {' and '.join(valued)} {verb} "
            "null"
        )


_KEYS = {NAMES: re.compile(r"#[A-Za-z0-9_]+"), VALUES: re.compile(r":[A-Za-z0-9_]+")}


def _check_keys(parameter: str, entries: Mapping[str, Any]) -> None:
    if not entries:
        raise ValidationException(f"{parameter} must not be empty")
    for key in entries:
        _check_key(parameter, key)


def _read_names(names: Mapping[str, str]) -> Mapping[str, str]:
    total = 0
    for key, name in names.items():
        if not name:
            fault = EMPTY_NAME if name == "" else "null"
            raise ValidationException(f"{NAMES} contains invalid value: {fault} for key {key}")
        if len(name) * 4 > NAME_BYTES_MAX and len(name.encode()) > NAME_BYTES_MAX:
            raise ValidationException(
                f"{NAMES} contains invalid value: {NAME_TOO_LARGE} for key {key}"
            )
        total += len(name)
    if total * 4 > BYTES_MAX and sum(len(name.encode()) for name in names.values()) > BYTES_MAX:
        raise ValidationException(f"{NAMES} exceeds max size")
    return names


def _read_values(raw: Mapping[str, Any]) -> Mapping[str, AttributeValue]:
    _check_keys(VALUES, raw)
    values: dict[str, AttributeValue] = {}
    total = 0
    for key, raw_value in raw.items():
        try:
            values[key], size = read_value(raw_value)
        except ValidationException as error:
            raise ValidationException(
                f"{VALUES} contains invalid value: {error.message} for key {key}"
            ) from None
        total += size
    if total > BYTES_MAX:
        raise ValidationException(f"{VALUES} exceeds max size")
    return values


@lru_cache(maxsize=4096)  # a program uses the same few names again and again
def _check_key(parameter: str, key: str) -> None:
    if _KEYS[parameter].fullmatch(key) and len(key) <= KEY_LENGTH_MAX:
        return
    if not key:
        fault = "The expression attribute map contains an empty key;"
    elif len(key) > KEY_LENGTH_MAX:
        fault = (
            f"The expression attribute map contains a key that is too long; size of key: {len(key)}"
        )
    else:
        fault = f'Syntax error; key: "{key}"'
    raise ValidationException(f"{parameter} contains invalid key: {fault}")


def _unused(parameter: str, keys: list[str]) -> ValidationException:
    listing = ", ".join(java_order(keys))
    return ValidationException(
        f"Value provided in {parameter} unused in expressions: keys: {{{listing}}}"
    )
