"""UntagResource: remove tags from a table or a stream. Missing tags are ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns, tags
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    arn = arns.tag_arn(request.get("ResourceArn"))
    if not request["TagKeys"]:
        raise ValidationException(tags.NO_KEY)
    for key in request["TagKeys"]:
        tags.check_key(key)
    tags.check_count(len(request["TagKeys"]))
    holder = arns.tagged(engine, arn)
    tags.keep(
        engine,
        holder,
        {k: v for k, v in tags.tags_of(holder).items() if k not in request["TagKeys"]},
    )
    return {}
