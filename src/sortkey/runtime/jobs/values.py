"""What a job may keep: arguments, results, states, details. Plain values, which come back as they were."""

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

_INTEGER_LIMIT = 10**38


def plain(value: Any, depth: int = 0) -> Any:
    """A copy of a value that is stored and read back as it is; numbers that were read become floats again."""
    match value:
        case None | bool() | str():
            return value
        case int() if abs(value) < _INTEGER_LIMIT:
            return value
        case float():
            return value
        case Decimal():
            return float(value)
        case list() if depth < DEPTH_MAX:
            return [plain(each, depth + 1) for each in cast(Sequence[Any], value)]
        case dict() if depth < DEPTH_MAX and all(isinstance(name, str) for name in cast(Mapping[Any, Any], value)):
            return {name: plain(each, depth + 1) for name, each in cast(Mapping[str, Any], value).items()}
        case _:
            raise ModelError(
                f"{value!r} cannot be kept with a job: use None, bool, int, float, str, lists and dicts with text "
                f"as keys, nested at most {DEPTH_MAX} deep"
            )


def kept(value: Any, what: str) -> Any:
    """A plain value that also fits into an item. `what` it is goes into the error."""
    made = plain(value)
    size = value_size(encode(made))
    if size > PLAIN_BYTES_MAX:
        raise ModelError(
            f"{what} has {size:,} bytes, and {PLAIN_BYTES_MAX:,} can be kept: store it as an object and keep its key"
        )
    return made


Plain = Annotated[Any, BeforeValidator(plain)]
