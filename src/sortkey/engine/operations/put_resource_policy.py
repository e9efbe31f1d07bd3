"""PutResourcePolicy: attach a policy to a table or a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns, resource_policies

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    arn, policy = request["ResourceArn"], request["Policy"]
    resource_policies.check(policy)
    arns.check_policy_resource(engine, arn)
    return {"RevisionId": resource_policies.put(engine, arn, policy, request.get("ExpectedRevisionId"))}
