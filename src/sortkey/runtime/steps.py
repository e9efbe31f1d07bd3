"""The logic of stores as generators without I/O. They yield what has to happen next and are sent
the result, so the same logic serves blocking and async stores.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Call(NamedTuple):
    """A request to send. `pattern` is the access pattern under which its capacity is counted."""

    operation: str
    request: dict[str, Any]
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Pause."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """A blocking function to call, such as one that reads an object. An async store calls it in a
    thread.
    """

    function: Callable[[], Any]


Pause = Callable[[float], object]
AsyncPause = Callable[[float], Awaitable[object]]
"""Waits for a number of seconds."""

Steps = Generator[Call | Sleep | Work, Any, T]
"""A generator that is sent the answer of each call and the result of each piece of work, or has its
error thrown in. Returns T.
"""


def do(function: Callable[[], T]) -> Steps[T]:
    """One piece of work as steps."""
    return (yield Work(function))
