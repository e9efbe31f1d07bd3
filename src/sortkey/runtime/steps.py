"""The logic of stores as generators. They yield what has to happen next and are sent the result,
and do no I/O of their own. So the logic exists once, for programs that block and for programs that
await."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Call(NamedTuple):
    """Send a request. `pattern` is the access pattern that its capacity is counted for."""

    operation: str
    request: dict[str, Any]
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Pause."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """Call a function that may take a while, such as one that reads an object. An async store calls
    it in a thread.
    """

    function: Callable[[], Any]


Pause = Callable[[float], object]
AsyncPause = Callable[[float], Awaitable[object]]
"""How a store makes a pause of so many seconds."""

Steps = Generator[Call | Sleep | Work, Any, T]
"""Is sent the answer to each call and the result of each piece of work, or has the error thrown in.
Returns T.
"""


def do(function: Callable[[], T]) -> Steps[T]:
    """One piece of work as steps."""
    return (yield Work(function))
