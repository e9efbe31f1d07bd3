"""PutResourcePolicy: attach a policy to a table or a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns, policy_grammar, resource_policies

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    arn, policy = request["ResourceArn"], request["Policy"]
    policy_grammar.check(policy, stream="/stream/" in arn)
    arns.check_policy_resource(engine, arn)
    return {
        "RevisionId": resource_policies.put(engine, arn, policy, request.get("ExpectedRevisionId"))
    }
