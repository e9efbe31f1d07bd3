"""What a job may keep: arguments, results, states, details. Plain values, which come back as they
were.

DynamoDB has one kind of number, so a float without a fraction is an int from the start.
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
    """A copy of a plain value that fits into an item. `what` it is goes into the error."""
    result = plain(value)
    size = value_size(encode(result))
    if size > PLAIN_BYTES_MAX:
        raise ModelError(
            f"{what} has {size:,} bytes, and {PLAIN_BYTES_MAX:,} can be kept: store it as an "
            "object and keep its key"
        )
    return result


def plain(value: Any, depth: int = 0) -> Any:
    """A copy of a value that is stored and read back as it is; raises ModelError for any other."""
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
                f"{value!r} cannot be kept with a job: use None, bool, int, float, str, lists and "
                "dicts with text "
                f"as keys, nested at most {DEPTH_MAX} deep"
            )


def read(value: Any) -> Any:
    """A value as it was before it was stored: what came as another kind of number was a float."""
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
