"""The one table of differences from DynamoDB Local that are on purpose, each with AWS's documentation as the reason.

docs/differences.md repeats it for readers; a test holds the two together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.oracle.endpoints import Answer

Applies = Callable[[str, Any, Answer, Answer], bool]


@dataclass(frozen=True, slots=True)
class Known:
    """A difference, why it is right, and how to recognise it in (operation, request, ours, oracle)."""

    name: str
    reason: str
    applies: Applies


def explained(operation: str, request: Any, ours: Answer, oracle: Answer) -> str | None:
    """The name of the known difference that covers this one, if any."""
    return next((known.name for known in KNOWN if known.applies(operation, request, ours, oracle)), None)


def _removes_only(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    if operation != "UpdateItem" or not isinstance(request, dict):
        return False
    update = str(request.get("UpdateExpression", "")).strip().upper()
    return update.startswith(("REMOVE", "DELETE")) and " SET " not in update and " ADD " not in update


KNOWN: tuple[Known, ...] = (
    Known(
        "update-that-only-removes",
        "UpdateItem with only REMOVE or DELETE on a key that does not exist creates no item on AWS; "
        "DynamoDB Local creates one.",
        _removes_only,
    ),
)
