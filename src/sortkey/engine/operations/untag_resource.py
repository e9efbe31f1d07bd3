"""UntagResource: take tags from a table. Those that it does not have are no error."""

from __future__ import annotations

from dataclasses import replace
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
    table = arns.tagged_table(engine, arn)
    kept = {key: value for key, value in table.settings.get("Tags", {}).items() if key not in request["TagKeys"]}
    engine.catalog.save(replace(table, settings={**table.settings, "Tags": kept}))
    return {}
