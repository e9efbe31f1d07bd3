"""The condition of a write, from ConditionExpression or Expected: a guard that raises when the old
item fails it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortkey.errors import ConditionalCheckFailedException
from sortkey.expressions.conditions import Condition
from sortkey.values.attributes import Item

Guard = Callable[[Item | None], None]


def guard(condition: Condition | None, request: dict[str, Any]) -> Guard | None:
    """Refuses an old item that does not meet the condition. The error has the item if requested."""
    if condition is None:
        return None
    show = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def check(old: Item | None) -> None:
        if not condition(old or {}):
            error = ConditionalCheckFailedException()
            if show and old is not None:
                error.extra["Item"] = old
            raise error

    return check
