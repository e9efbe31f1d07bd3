"""Steps that also do work of their own, between the calls of a store: read files, talk to other services."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey.runtime.steps import Call, Sleep, Steps

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Work:
    """Something that takes its time. A program that awaits has it done in a thread."""

    function: Callable[[], Any]


WorkSteps = Generator[Call | Sleep | Work, Any, T]
"""As Steps; is also sent what a piece of work gives, or gets its error thrown in."""


class Session(Generic[T]):
    """Runs such steps: `calls` are for the `run` of a store, `work` for whoever holds this. In turn, until no is left.

    while store.run(session.calls()): session.work()
    """

    result: T

    def __init__(self, steps: WorkSteps[T]) -> None:
        self._steps = steps
        self._work: Work | None = None
        self._answer: Any = None
        self._error: Exception | None = None

    def calls(self) -> Steps[bool]:
        """Go on until there is work to be done; False at the end."""
        try:
            step = self._resumed()
            while not isinstance(step, Work):
                try:
                    answer = yield step
                except Exception as error:
                    step = self._steps.throw(error)
                else:
                    step = self._steps.send(answer)
        except StopIteration as end:
            self.result = end.value
            return False
        self._work = step
        return True

    def work(self) -> None:
        assert self._work is not None
        self._answer, self._error = None, None
        try:
            self._answer = self._work.function()
        except Exception as error:
            self._error = error

    def _resumed(self) -> Call | Sleep | Work:
        if self._error is not None:
            return self._steps.throw(self._error)
        return self._steps.send(self._answer)
