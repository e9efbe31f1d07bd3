"""ListTagsOfResource: the tags of a table. Fifty at most, so they are one page; AWS lets any NextToken pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table = arns.tagged_table(engine, arns.tag_arn(request.get("ResourceArn")))
    return {"Tags": [{"Key": key, "Value": value} for key, value in table.settings.get("Tags", {}).items()]}
