"""TagResource: add tags to a table, or give those that it has new values."""

from __future__ import annotations

from dataclasses import replace
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
    table = arns.tagged_table(engine, arn)
    merged = tags.merge(table.settings.get("Tags", {}), added)
    engine.catalog.save(replace(table, settings={**table.settings, "Tags": merged}))
    return {}
