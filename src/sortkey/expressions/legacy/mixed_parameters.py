"""A request uses expressions or legacy parameters, not both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sortkey.errors import ValidationException


def check_mixing(
    request: Mapping[str, Any], legacy: Sequence[str], expressions: Sequence[str]
) -> None:
    """Refuse a request that has parameters of both kinds. The lists are in the order in which AWS
    names them.

    KeyConditions may be combined with a FilterExpression or ProjectionExpression.
    """
    modern = [parameter for parameter in expressions if request.get(parameter) is not None]
    if not modern:
        return
    older = [parameter for parameter in legacy if request.get(parameter) is not None]
    if "KeyConditions" in older and "KeyConditionExpression" not in modern:
        older.remove("KeyConditions")
    if older:
        raise ValidationException(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(older)}}} Expression parameters: "
            f"{{{', '.join(modern)}}}"
        )
