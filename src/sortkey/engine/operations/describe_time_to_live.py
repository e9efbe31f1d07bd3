"""DescribeTimeToLive: which attribute says when items expire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    attribute = engine.catalog.described(request["TableName"]).ttl_attribute
    if attribute is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}}
