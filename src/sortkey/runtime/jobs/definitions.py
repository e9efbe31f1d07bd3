"""Job functions: `@job("name")` on a function that takes a context, and its retries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from sortkey.errors import ModelError

if TYPE_CHECKING:
    from sortkey.runtime.jobs.context import JobContext

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Backoff:
    """The pause before a retry: `first_seconds`, then `factor` times as long each time, up to
    `max_seconds`.

    `jitter` is the random share of the pause, so that jobs that failed together are not retried
    together.
    """

    first_seconds: float = 1.0
    factor: float = 2.0
    max_seconds: float = 300.0
    jitter: float = 0.5

    def seconds(self, failures: int, random: Callable[[], float]) -> float:
        """The pause before the next try, after a number of failures."""
        # The exponent is bounded: a float has no room for 2.0**2000.
        whole = min(self.first_seconds * self.factor ** min(failures - 1, 64), self.max_seconds)
        return whole * (1 - self.jitter * random())


@dataclass(frozen=True)
class JobFunction(Generic[P, R]):
    """A function that workers can run, with its settings. Calling it calls the function, for
    example in a test.
    """

    name: str
    function: Callable[Concatenate[JobContext, P], R]
    timeout_seconds: float
    retries: int
    backoff: Backoff
    log_buffer: int

    def __call__(self, context: JobContext, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(context, *args, **kwargs)

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        """Raise ModelError for arguments that the function does not accept."""
        try:
            inspect.signature(self.function).bind(None, **arguments)
        except TypeError as error:
            raise ModelError(f"job {self.name}: {error}") from None


def job(
    name: str,
    *,
    timeout: float = 1800.0,
    retries: int = 3,
    backoff: Backoff | None = None,
    log_buffer: int = 1,
) -> Callable[[Callable[Concatenate[JobContext, P], R]], JobFunction[P, R]]:
    """Declare a job function. `timeout` is in seconds for one try, `retries` are tries after the
    first.

    Each log line is stored before `ctx.log` returns. With a larger `log_buffer`, this many lines
    are written together; buffered lines are lost if the worker is killed. The end of a step and a
    checkpoint write all of them.
    """
    if timeout <= 0 or retries < 0 or log_buffer < 1:
        raise ModelError(
            f"job {name}: timeout and log_buffer must be more than 0, retries at least 0"
        )

    def decorate(function: Callable[Concatenate[JobContext, P], R]) -> JobFunction[P, R]:
        if inspect.iscoroutinefunction(function):
            raise ModelError(
                f"job {name} is async, and workers run threads: call asyncio.run() in a plain "
                "function"
            )
        return JobFunction(name, function, timeout, retries, backoff or Backoff(), log_buffer)

    return decorate
