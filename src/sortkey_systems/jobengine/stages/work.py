"""What the steps of a stage are given: a context to report to, and the work: source, target, rules,
earlier results.

The context has the shape of the runtime's `JobContext`, so a step runs under a worker as it runs in
a test.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from sortkey_systems.jobengine.parts import AllowedLosses
from sortkey_systems.jobengine.sources import Source

if TYPE_CHECKING:
    from sortkey_systems.jobengine.model import Rule

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
R = TypeVar("R")


class StepContext(Protocol):
    """Where a step says what it does, and where it may be stopped."""

    def log(self, level: LogLevel, message: str, **details: Any) -> None: ...

    def progress(self, percent: int) -> None:
        """How far the step is, from 0 to 100."""
        ...

    @property
    def state(self) -> Any:
        """What the last checkpoint of this step kept; None before the first."""
        ...

    def checkpoint(self, state: Any) -> None: ...

    def check_cancelled(self) -> None:
        """Raises where the step should end."""
        ...


class MissingResult(Exception):
    """A step needs the result of an earlier one, which has not run: run the stages in
    their order.
    """

    def __init__(self, step_id: str) -> None:
        super().__init__(f"the result of {step_id} is missing: run the stages in their order")


@dataclass(slots=True)
class Work:
    """All that the steps of a journey share. `results` has, by step, what it returned or the JSON
    of that.
    """

    source: Source
    target: str
    """An address: `out.sqlite`, or a folder for JSON Lines."""
    rules: Sequence[Rule] = ()
    results: MutableMapping[str, Any] = field(default_factory=dict[str, Any])
    batch_rows: int = 500
    journey_id: str | None = None
    allowed: AllowedLosses = field(default_factory=AllowedLosses)

    @property
    def owner(self) -> str:
        """Whose documents the target holds: the journey's, or of a program that runs stages itself,
        its source's.
        """
        return self.journey_id or f"a program that migrates {self.source.name}"

    def result(self, step_id: str, kind: type[R]) -> R:
        """What an earlier step returned, in its own type also where it was stored as JSON in
        between.
        """
        stored = self.results.get(step_id)
        if stored is None:
            raise MissingResult(step_id)
        if isinstance(stored, kind):
            return stored
        result = self.results[step_id] = from_json(kind, stored)
        return result


def to_json(result: Any) -> Any:
    """The JSON of a step's result: dicts, lists, texts and numbers."""
    return to_jsonable_python(result)


def from_json(kind: type[R], value: Any) -> R:
    """A step's result from its JSON."""
    return _adapter(kind).validate_python(value)


def kept_state(ctx: StepContext, step_id: str) -> dict[str, Any]:
    """What this step checkpointed; empty where it did not, or another step of the same job was the
    last that did.
    """
    state: dict[str, Any] = ctx.state or {}
    return state if state.get("step") == step_id else {}


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@dataclass(slots=True)
class Entry:
    """One line of a log that is kept in memory."""

    level: LogLevel
    message: str
    details: dict[str, Any]


@dataclass(slots=True)
class MemoryContext:
    """A context that keeps everything in memory: for tests, and for runs that nobody needs to take
    up again.
    """

    entries: list[Entry] = field(default_factory=list[Entry])
    percents: list[int] = field(default_factory=list[int])
    state: Any = None

    def log(self, level: LogLevel, message: str, **details: Any) -> None:
        self.entries.append(Entry(level, message, details))

    def progress(self, percent: int) -> None:
        self.percents.append(percent)

    def checkpoint(self, state: Any) -> None:
        self.state = state

    def check_cancelled(self) -> None:
        """Nobody can cancel it."""
