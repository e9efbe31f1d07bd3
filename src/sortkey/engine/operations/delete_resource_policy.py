"""DeleteResourcePolicy: detach the policy of a table or a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns, resource_policies

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    arns.check_policy_resource(engine, request["ResourceArn"])
    return {
        **resource_policies.delete(
            engine, request["ResourceArn"], request.get("ExpectedRevisionId")
        )
    }
