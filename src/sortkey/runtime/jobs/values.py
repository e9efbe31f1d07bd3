"""The values that a job may store: arguments, results, states, details. Plain values are read back
unchanged.

DynamoDB has one kind of number, so a float without a fraction is stored as an int.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, cast

from pydantic import BeforeValidator

from sortkey.errors import ModelError
from sortkey.model.codec import encode
from sortkey.values.sizes import value_size

PLAIN_BYTES_MAX = 350_000
"""An item has 400 KB at most, and holds more than the value."""

DEPTH_MAX = 24
"""DynamoDB nests 32 levels deep."""

INTEGER_LIMIT = 10**38
"""DynamoDB has 38 digits."""


def storable(value: Any, what: str) -> Any:
    """A copy of a plain value that fits into an item. `what` names it in errors."""
    result = plain(value)
    size = value_size(encode(result))
    if size > PLAIN_BYTES_MAX:
        raise ModelError(
            f"{what} has {size:,} bytes, but at most {PLAIN_BYTES_MAX:,} can be stored: store it "
            "as an "
            "object and keep its key"
        )
    return result


def plain(value: Any, depth: int = 0) -> Any:
    """A copy of a plain value. Raises ModelError for a value that would not be read back
    unchanged.
    """
    match value:
        case None | bool() | str():
            return value
        case int() if abs(value) < INTEGER_LIMIT:
            return value
        case float():
            return int(value) if value.is_integer() and abs(value) < INTEGER_LIMIT else value
        case list() if depth < DEPTH_MAX:
            return [plain(element, depth + 1) for element in cast(Sequence[Any], value)]
        case dict() if depth < DEPTH_MAX and all(
            isinstance(name, str) for name in cast(Mapping[Any, Any], value)
        ):
            return {
                name: plain(member, depth + 1)
                for name, member in cast(Mapping[str, Any], value).items()
            }
        case _:
            raise ModelError(
                f"{value!r} cannot be stored with a job: use None, bool, int, float, str, lists "
                "and "
                "dicts with text "
                f"as keys, nested at most {DEPTH_MAX} deep"
            )


def read(value: Any) -> Any:
    """A stored value as it was before. Numbers that are not int were floats."""
    match value:
        case Decimal():
            return float(value)
        case int() if abs(value) >= INTEGER_LIMIT:
            return float(value)
        case list():
            return [read(element) for element in cast(Sequence[Any], value)]
        case dict():
            return {name: read(member) for name, member in cast(Mapping[str, Any], value).items()}
        case _:
            return value


Plain = Annotated[Any, BeforeValidator(read)]
