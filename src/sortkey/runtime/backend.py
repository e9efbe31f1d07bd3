"""The interface between stores and the data. Adapters are in `connect`: the engine in this process,
and DynamoDB over HTTP.

Requests and answers are DynamoDB JSON as dicts: numbers are text, binary is base64 text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

Unwatch = Callable[[], None]
Watch = Callable[[Callable[[], None]], Unwatch]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The optional parts of a backend. The defaults suit DynamoDB over a network."""

    parallel_calls: int = 8
    """How many calls at once are worth making. Over a network most of the time is spent waiting."""
    poll_seconds: float = 0.25
    """The pause before an idle stream is read again. AWS allows five reads of a shard per second.
    """
    watch: Watch | None = None
    """Registers a function to be called after each commit that changes an item, and returns a
    function that unregisters it. None if the backend cannot do this, and streams are polled.
    """


class Backend(Protocol):
    """What a store runs on: one function, a way to close it, and its capabilities.

    Threads may share one.
    """

    @property
    def capabilities(self) -> Capabilities: ...

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Run one operation of DynamoDB. Raises a subclass of `errors.ServiceError` if the service
        refuses it.
        """
        ...

    def close(self) -> None:
        """Release connections and files. Closing twice is fine."""
        ...
