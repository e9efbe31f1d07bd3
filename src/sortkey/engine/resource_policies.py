"""Resource policies of tables and streams: stored and returned with their revisions, but not
evaluated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import orjson

from sortkey.errors import PolicyNotFoundException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "policy"
NO_POLICY = "NO_POLICY"
"""The revision to expect if there is no policy yet."""


def put(engine: Engine, arn: str, policy: str, expected: str | None = None) -> str:
    """Attach a policy and return its revision. An equivalent policy keeps its revision."""
    current = _current(engine, arn)
    _check_expected(arn, current, expected)
    text = canonical(policy)
    if current is not None and current["Policy"] == text:
        return current["RevisionId"]
    revision = str(
        max(int(engine.clock() * 1000), int(current["RevisionId"]) + 1 if current else 0)
    )
    engine.database.begin()
    engine.records.put(KIND, arn, {"Policy": text, "RevisionId": revision})
    return revision


def canonical(policy: str) -> str:
    """The policy as AWS returns it: no white space, members in order, lists of one unwrapped."""
    document: dict[str, Any] = orjson.loads(policy)
    content = document["Statement"]
    statements: list[Any] = cast("list[Any]", content) if isinstance(content, list) else [content]
    ordered = {"Version": "2008-10-17", **_ordered(document, ("Version", "Id"))}
    ordered["Statement"] = [_statement(statement) for statement in statements]
    return orjson.dumps(ordered).decode()


def _statement(statement: dict[str, Any]) -> dict[str, Any]:
    members = {name: _one(value) for name, value in _ordered(statement, _MEMBERS).items()}
    principal = members.get("Principal")
    if isinstance(principal, dict):
        principals = cast("dict[str, Any]", principal)
        members["Principal"] = {
            kind: _one(_roots(who) if kind == "AWS" else who) for kind, who in principals.items()
        }
    return members


def _roots(who: Any) -> Any:
    """AWS replaces an account by its root."""
    if isinstance(who, list):
        return list(dict.fromkeys(_roots(principal) for principal in cast("list[Any]", who)))
    is_account = isinstance(who, str) and len(who) == 12 and who.isdigit()
    return f"arn:aws:iam::{who}:root" if is_account else who


def _ordered(members: dict[str, Any], first: tuple[str, ...]) -> dict[str, Any]:
    rest = (name for name in members if name not in (*first, "Statement"))
    return {name: members[name] for name in (*first, *rest) if name in members}


def _one(value: Any) -> Any:
    values: list[Any] = cast("list[Any]", value) if isinstance(value, list) else []
    return values[0] if len(values) == 1 else cast("Any", value)


_MEMBERS = (
    *(
        "Sid",
        "Effect",
        "Principal",
        "NotPrincipal",
        "Action",
        "NotAction",
        "Resource",
        "NotResource",
        "Condition",
    ),
)


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


def forget(engine: Engine, arn: str) -> None:
    """A policy is deleted with its table or stream. A stream may live for another day."""
    engine.database.begin()
    engine.records.delete(KIND, arn)


def _current(engine: Engine, arn: str) -> dict[str, str] | None:
    return engine.records.get(KIND, arn)


def _check_expected(arn: str, current: dict[str, str] | None, expected: str | None) -> None:
    if expected is None or expected == (NO_POLICY if current is None else current["RevisionId"]):
        return
    name = arn.split(":table/", 1)[-1].split("/", 1)[0]
    if current is None:
        why = (
            f"update for policy with revision id {expected}, but table {name} has no associated "
            "policy."
        )
    elif expected == NO_POLICY:
        why = (
            f"policy update expecting none to be present for table {name}, "
            f"but a policy exists with revision id {current['RevisionId']}."
        )
    else:
        why = (
            f"update for policy with revision id {expected}, but the policy associated to target "
            f"table {name} "
            f"has revision id {current['RevisionId']}."
        )
    raise _not_found(f"Requested {why}")


def _not_found(what: str) -> PolicyNotFoundException:
    return PolicyNotFoundException(
        f"Resource-based policy not found for the provided ResourceArn: {what}"
    )
