"""Which failures are retried, how often and how soon: AWS's standard mode, with the figures for
DynamoDB.

https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html. A budget that all calls
of a client share keeps retries from piling on a service that is down.
"""

from __future__ import annotations

from threading import Lock
from typing import NoReturn

from sortkey.connect.dynamodb.answers import Refusal
from sortkey.connect.dynamodb.http import Fault
from sortkey.errors import Throttled, Unreachable

BASE_SECONDS = 0.05
CAP_SECONDS = 20.0
BUDGET_TOKENS = 500
RETRY_TOKENS = 5
TIMEOUT_TOKENS = 10
SUCCESS_TOKENS = 1  # returned by a call that needed no retry

THROTTLING = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
# Transient errors that are not reported as throttling when the retries end.
_PASSING = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",  # too many table operations at once
        "PriorRequestNotComplete",
        "ReplicatedWriteConflictException",
        "RequestTimeout",
        "RequestTimeoutException",
        "TransactionInProgressException",
    }
)
_PASSING_STATUS = frozenset({429, 500, 502, 503, 504})


class Budget:
    """The shared budget of retry tokens."""

    def __init__(self, tokens: int = BUDGET_TOKENS) -> None:
        self._full = self._left = tokens
        self._lock = Lock()

    @property
    def left(self) -> int:
        return self._left

    def spend(self, tokens: int) -> bool:
        """Take tokens for one retry; False when there are too few."""
        with self._lock:
            if tokens > self._left:
                return False
            self._left -= tokens
            return True

    def earn(self, tokens: int) -> None:
        """Give tokens back after a success."""
        if self._left == self._full:
            return  # the usual case, which needs no lock
        with self._lock:
            self._left = min(self._left + tokens, self._full)


def tokens_for(problem: Fault | Refusal) -> int:
    """What another try costs; 0 when it would fail the same way."""
    if isinstance(problem, Fault):
        if not problem.retried:
            return 0
        return TIMEOUT_TOKENS if problem.timeout else RETRY_TOKENS
    passes = (
        problem.code in THROTTLING or problem.code in _PASSING or problem.status in _PASSING_STATUS
    )
    return RETRY_TOKENS if passes else 0


def pause_seconds(attempt: int, random: float) -> float:
    """How long to wait after an attempt, counted from 1. `random`, from 0 to 1, is the jitter."""
    return random * min(BASE_SECONDS * 2 ** (attempt - 1), CAP_SECONDS)


def raise_last_word(
    problem: Fault | Refusal, what: str, attempts: int, *, was_sent: bool
) -> NoReturn:
    """Raise the final error after the last attempt. `what` names the operation and its endpoint."""
    tries = f" (attempt {attempts})" if attempts > 1 else ""
    if isinstance(problem, Fault):
        raise Unreachable(f"{what}: {problem}{tries}", was_sent=was_sent) from problem
    if problem.code in THROTTLING or problem.status == 429:
        raise Throttled(
            f"{what}: {problem.code or 'HTTP 429'}: {problem.error.message}{tries}"
        ) from problem.error
    raise problem.error from None
