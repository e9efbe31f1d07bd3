"""DescribeExport: the progress and the result of an export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import exports

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return {"ExportDescription": exports.find(engine, request["ExportArn"])}
