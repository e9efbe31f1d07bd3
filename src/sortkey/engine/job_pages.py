"""Pages of exports and imports. A page's token is the hexadecimal id of its last entry, in the shape AWS publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

PAGE = 25
TOKEN_BYTES = 56
"""The model asks for at least 112 hexadecimal digits, in groups of sixteen."""


def page(
    engine: Engine, kind: str, request: dict[str, Any], limit: int, member: str, shown: tuple[str, ...]
) -> dict[str, Any]:
    """The newest first; those of one table when the request names it."""
    found = [
        (id, description)
        for id, description in reversed(engine.records.all(kind))
        if request.get("TableArn") in (None, description["TableArn"])
    ]
    start = _read_token(request.get("NextToken"))
    if start is not None:
        found = [(id, description) for id, description in found if id < start]
    answer: dict[str, Any] = {
        member: [{name: each[name] for name in shown if name in each} for _, each in found[:limit]]
    }
    if len(found) > limit:
        answer["NextToken"] = found[limit - 1][0].encode().ljust(TOKEN_BYTES).hex()
    return answer


def _read_token(token: str | None) -> str | None:
    if token is None:
        return None
    try:
        return bytes.fromhex(token).decode("ascii").rstrip()
    except ValueError:
        raise ValidationException(f"Invalid Request: Provided nextToken is invalid: {token}") from None
