"""The arguments of a step: a context for reporting, and the work: source, target, rules, earlier
results.

The context has the interface of the runtime's `JobContext`, so a step runs the same way in a worker
and in a test.
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
    """Where a step reports its progress and checks whether to stop."""

    def log(self, level: LogLevel, message: str, **details: Any) -> None: ...

    def progress(self, percent: int) -> None:
        """Report the progress of the step, from 0 to 100."""
        ...

    @property
    def state(self) -> Any:
        """The data of this step's last checkpoint, or None before the first."""
        ...

    def checkpoint(self, state: Any) -> None: ...

    def check_cancelled(self) -> None:
        """Raise if the step should stop."""
        ...


class MissingResult(Exception):
    """A step needs the result of an earlier one that has not run. Run the stages in order."""

    def __init__(self, step_id: str) -> None:
        super().__init__(f"the result of {step_id} is missing: run the stages in their order")


@dataclass(slots=True)
class Work:
    """What the steps of a journey share. `results` holds the result of each step, or its JSON."""

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
        """The owner of the target: the journey, or the source if there is no journey."""
        return self.journey_id or f"a program that migrates {self.source.name}"

    def result(self, step_id: str, kind: type[R]) -> R:
        """The result of an earlier step, converted to its type if it was stored as JSON."""
        stored = self.results.get(step_id)
        if stored is None:
            raise MissingResult(step_id)
        if isinstance(stored, kind):
            return stored
        result = self.results[step_id] = from_json(kind, stored)
        return result


def to_json(result: Any) -> Any:
    """The result of a step as JSON: dicts, lists, texts and numbers."""
    return to_jsonable_python(result)


def from_json(kind: type[R], value: Any) -> R:
    """A step's result from its JSON."""
    return _adapter(kind).validate_python(value)


def kept_state(ctx: StepContext, step_id: str) -> dict[str, Any]:
    """The checkpoint of this step. Empty if the last checkpoint of the job is of another step."""
    state: dict[str, Any] = ctx.state or {}
    return state if state.get("step") == step_id else {}


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@dataclass(slots=True)
class Entry:
    """One line of an in-memory log."""

    level: LogLevel
    message: str
    details: dict[str, Any]


@dataclass(slots=True)
class MemoryContext:
    """A context that keeps everything in memory, for tests and runs that are not resumed."""

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
        """Does nothing: this context cannot be cancelled."""
