"""DescribeImport: the progress and the result of an import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import imports

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return {"ImportTableDescription": imports.find(engine, request["ImportArn"])}
