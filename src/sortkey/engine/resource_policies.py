"""Resource policies of tables and streams: kept and given back, with their revisions. They are not evaluated here."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, cast

import orjson

from sortkey.errors import PolicyNotFoundException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "policy"
POLICY_BYTES_MAX = 20 * 1024
NO_POLICY = "NO_POLICY"
"""The revision to expect where there is no policy yet."""


def check(policy: str) -> None:
    if len(policy.encode()) > POLICY_BYTES_MAX:
        raise ValidationException(f"{INVALID}Resource policy size exceeds the limit of {POLICY_BYTES_MAX} bytes")
    try:
        document: Any = orjson.loads(policy)
    except orjson.JSONDecodeError:
        raise ValidationException(INVALID + "Resource policy is not a valid JSON document") from None
    if not isinstance(document, dict) or not cast("dict[str, Any]", document).get("Statement"):
        raise ValidationException(INVALID + "Resource policy has no Statement")


def put(engine: Engine, arn: str, policy: str, expected: str | None = None) -> str:
    """Attach a policy and give its revision. The same policy keeps the same revision."""
    current = _current(engine, arn)
    _check_expected(arn, current, expected)
    if current is not None and current["Policy"] == policy:
        return current["RevisionId"]
    revision = _revision(engine, policy)
    engine.database.begin()
    engine.records.put(KIND, arn, {"Policy": policy, "RevisionId": revision})
    return revision


def get(engine: Engine, arn: str) -> dict[str, str]:
    current = _current(engine, arn)
    if current is None:
        raise _not_found(arn)
    return current


def delete(engine: Engine, arn: str, expected: str | None = None) -> dict[str, str]:
    """Detach a policy. There may be none, unless a revision is expected."""
    current = _current(engine, arn)
    _check_expected(arn, current, expected)
    if current is None:
        return {}
    engine.database.begin()
    engine.records.delete(KIND, arn)
    return {"RevisionId": current["RevisionId"]}


def forget(engine: Engine, table_arn: str) -> None:
    """With a table go its policy and those of its streams."""
    for arn, _ in engine.records.all(KIND):
        if arn == table_arn or arn.startswith(table_arn + "/"):
            engine.records.delete(KIND, arn)


def _current(engine: Engine, arn: str) -> dict[str, str] | None:
    return engine.records.get(KIND, arn)


def _check_expected(arn: str, current: dict[str, str] | None, expected: str | None) -> None:
    if expected is not None and expected != (NO_POLICY if current is None else current["RevisionId"]):
        raise _not_found(arn)


def _not_found(arn: str) -> PolicyNotFoundException:
    return PolicyNotFoundException(f"Resource-based policy not found for the provided ResourceArn: {arn}")


def _revision(engine: Engine, policy: str) -> str:
    """Digits, as AWS's are."""
    digest = hashlib.sha256(policy.encode() + engine.entropy(8)).digest()
    return str(int(engine.clock() * 1000)) + f"{int.from_bytes(digest[:4]) % 10**6:06d}"
