"""Pages of exports and imports. A page's token is the place of its last entry in hexadecimal, as
AWS publishes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

PAGE = 25
TOKEN_BYTES = 56
TOKEN_STEP = 8
"""The model asks for at least 112 hexadecimal digits, in groups of sixteen."""

Description = dict[str, Any]
Place = Callable[[Description], str]


def page(
    engine: Engine,
    kind: str,
    request: dict[str, Any],
    limit: int,
    member: str,
    shown: tuple[str, ...],
    place: Place,
) -> dict[str, Any]:
    """Those with the highest `place` first; those of one table when the request names it."""
    named, start = request.get("TableArn"), _read_token(request.get("NextToken"))
    found = [each for _, each in engine.records.all(kind) if named in (None, each["TableArn"])]
    found.sort(key=place, reverse=True)
    if start is not None:
        found = [each for each in found if place(each) < start]
    answer: dict[str, Any] = {
        member: [{name: each[name] for name in shown if name in each} for each in found[:limit]]
    }
    if len(found) > limit:
        last = place(found[limit - 1]).encode()
        answer["NextToken"] = last.ljust(
            max(TOKEN_BYTES, len(last) + -len(last) % TOKEN_STEP)
        ).hex()
    return answer


def _read_token(token: str | None) -> str | None:
    if token is None:
        return None
    try:
        return bytes.fromhex(token).decode("ascii").rstrip()
    except ValueError:
        raise ValidationException(
            f"Invalid Request: Provided nextToken is invalid: {token}"
        ) from None
