"""`aws_iam_policy_document` as the JSON it produces, so that policies have one form however they
were written.
"""

from __future__ import annotations

import json
from typing import Any, cast

from sortkey_systems.applens.json_depth import loads
from sortkey_systems.applens.resources import as_list

_PLAIN = {
    "sid": "Sid",
    "actions": "Action",
    "not_actions": "NotAction",
    "resources": "Resource",
    "not_resources": "NotResource",
}
_PRINCIPALS = {"principals": "Principal", "not_principals": "NotPrincipal"}


def policy_document(body: dict[str, Any]) -> str:
    """The JSON of a document's arguments. Source documents given as JSON are merged in."""
    statements: list[Any] = []
    for name in (
        "source_policy_documents",
        "override_policy_documents",
        "source_json",
        "override_json",
    ):
        for text in as_list(body.get(name)):
            statements += _statements(text)
    statements += [_statement(block) for block in _blocks(body, "statement")]
    return json.dumps({"Version": body.get("version", "2012-10-17"), "Statement": statements})


def _statements(text: Any) -> list[Any]:
    try:
        document = loads(text)
    except (ValueError, TypeError):
        return []
    return (
        as_list(cast(dict[str, Any], document).get("Statement"))
        if isinstance(document, dict)
        else []
    )


def _blocks(body: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The nested blocks of a name. Unknown values and other types are left out."""
    return [
        cast(dict[str, Any], block) for block in as_list(body.get(name)) if isinstance(block, dict)
    ]


def _statement(body: dict[str, Any]) -> dict[str, Any]:
    statement: dict[str, Any] = {"Effect": body.get("effect", "Allow")}
    statement.update({theirs: body[ours] for ours, theirs in _PLAIN.items() if body.get(ours)})
    for ours, theirs in _PRINCIPALS.items():
        if blocks := _blocks(body, ours):
            statement[theirs] = _principals(blocks)
    conditions: dict[str, dict[str, Any]] = {}
    for block in _blocks(body, "condition"):
        conditions.setdefault(str(block.get("test")), {})[str(block.get("variable"))] = block.get(
            "values"
        )
    return {**statement, "Condition": conditions} if conditions else statement


def _principals(blocks: list[dict[str, Any]]) -> Any:
    principals: dict[str, list[Any]] = {}
    for block in blocks:
        if block.get("type") == "*":
            return "*"
        principals.setdefault(str(block.get("type")), []).extend(as_list(block.get("identifiers")))
    return principals
