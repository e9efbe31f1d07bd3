"""The logic of stores as generators: they yield requests and pauses, and are sent answers. No I/O, so there is one of
it for programs that wait and for programs that await."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Call(NamedTuple):
    """A request to be sent. `pattern` is the access pattern whose capacity it counts for."""

    operation: str
    request: dict[str, Any]
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Sleep:
    """A pause to be made."""

    seconds: float


Steps = Generator[Call | Sleep, dict[str, Any], T]
"""Yields calls and pauses; is sent each call's answer, or gets its error thrown in; returns the result."""
