"""Client tokens of exports and imports: the same request with the same token within eight hours is
the same job.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.errors import ClientError

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "client_token"
VALID_SECONDS = 8 * 3600


def recall(
    engine: Engine, job: str, request: dict[str, Any], conflict: type[ClientError]
) -> str | None:
    """The ARN that this request got before. Raises `conflict` if the token belongs to another
    request.
    """
    token = request.get("ClientToken")
    record = engine.records.get(KIND, f"{job}/{token}") if token is not None else None
    if record is None or record["at"] + VALID_SECONDS < engine.clock():
        return None
    if record["request"] != _digest(request):
        raise conflict(
            f"{job.capitalize()} conflict: Duplicate request detected with conflicting parameters"
        )
    return record["arn"]


def remember(engine: Engine, job: str, request: dict[str, Any], token: str, arn: str) -> None:
    record = {
        "at": engine.clock(),
        "request": _digest({**request, "ClientToken": token}),
        "arn": arn,
    }
    engine.records.put(KIND, f"{job}/{token}", record)


def expire(engine: Engine) -> None:
    for id, record in engine.records.all(KIND):
        if record["at"] + VALID_SECONDS < engine.clock():
            engine.database.begin()
            engine.records.delete(KIND, id)


def _digest(request: dict[str, Any]) -> str:
    return hashlib.blake2b(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).hexdigest()
