"""ListTagsOfResource: the tags of a table or a stream. At most fifty, so one page. AWS accepts any
NextToken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns, tags

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    holder = arns.tagged(engine, arns.tag_arn(request.get("ResourceArn")))
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.tags_of(holder).items()]}
