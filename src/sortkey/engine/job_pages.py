"""Pages of exports and imports. A page's token is the place of its last entry in hexadecimal, in
AWS's published form.
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
"""AWS's model requires at least 112 hexadecimal digits, in groups of sixteen."""

Description = dict[str, Any]
Place = Callable[[Description], str]


def page(
    engine: Engine,
    kind: str,
    request: dict[str, Any],
    limit: int,
    member: str,
    members: tuple[str, ...],
    place: Place,
) -> dict[str, Any]:
    """Jobs with the highest `place` first, of one table if the request names it."""
    table_arn, start = request.get("TableArn"), _read_token(request.get("NextToken"))
    jobs = [job for _, job in engine.records.all(kind) if table_arn in (None, job["TableArn"])]
    jobs.sort(key=place, reverse=True)
    if start is not None:
        jobs = [job for job in jobs if place(job) < start]
    answer: dict[str, Any] = {
        member: [{name: job[name] for name in members if name in job} for job in jobs[:limit]]
    }
    if len(jobs) > limit:
        last = place(jobs[limit - 1]).encode()
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
