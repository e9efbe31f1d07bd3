"""TagResource: add tags to a table or a stream, or change their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import arns, tags
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    arn = arns.tag_arn(request.get("ResourceArn"))
    if not request["Tags"]:
        raise ValidationException(tags.NO_TAG)
    added = tags.read(request["Tags"])
    holder = arns.tagged(engine, arn)
    tags.keep(engine, holder, tags.merge(tags.tags_of(holder), added))
    return {}
