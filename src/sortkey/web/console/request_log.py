"""The last requests, by whomever: programs over the wire, and the stores of this process with their
access patterns.

It stands in a store as its `Metrics`, and at the wire as what hears of each request
(`wire.sharing`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from sortkey.runtime.metrics import Metrics
from sortkey.runtime.steps import Call

KEPT = 500
SPENT_MAX, OTHERS = 1000, "all others"
"""What is asked for under further names is summed up together: statements with values in them never
repeat.
"""
Source = Literal["wire", "REST", "console", "system"]
"""Programs over DynamoDB's protocol or over REST, somebody at the console, or what a system does by
itself.
"""
asking: ContextVar[Source] = ContextVar("asking", default="system")
"""For whom a store of this process asks. Threads of workers and of sample data have no context:
they are systems.
"""


UNTOLD = ("", "transact", "batch_write")
"""Patterns that say less than the tables which a request writes."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it was seen. Units are known where somebody asked for them."""

    number: int
    at: float
    source: Source
    operation: str
    target: str
    pattern: str
    milliseconds: float
    units: float | None
    problem: str


@dataclass(slots=True)
class Spent:
    """What one access pattern, or one operation of the wire, has cost since the start."""

    name: str
    requests: int = 0
    units: float = 0.0
    milliseconds: float = 0.0
    slowest: float = 0.0


@dataclass
class RequestLog(Metrics):
    """Keeps the newest requests, and sums for all of them."""

    clock: Callable[[], float] = time.time
    newest: deque[Recorded] = field(default_factory=lambda: deque[Recorded](maxlen=KEPT))
    spent: dict[str, Spent] = field(default_factory=dict[str, Spent])
    _seen: int = 0
    _began: threading.local = field(default_factory=threading.local)

    # -- as a store's metrics: `asked` before the request, `count` after it, both in the thread that sends it

    def with_capacity(self, call: Call) -> Call:
        self._began.at = time.perf_counter()
        return super().with_capacity(call)

    def count(self, call: Call, answer: dict[str, Any]) -> None:
        super().count(call, answer)
        seconds = time.perf_counter() - self._began.at
        self._keep(
            asking.get(), call.operation, call.request, call.pattern, seconds, _units(answer), ""
        )

    # -- as what the wire tells

    def heard(
        self, operation: str, request: dict[str, Any], seconds: float, problem: BaseException | None
    ) -> None:
        said = "" if problem is None else f"{type(problem).__name__}: {problem}"
        self._keep("wire", operation, request, "", seconds, None, said)

    def _keep(
        self,
        source: Source,
        operation: str,
        request: Mapping[str, Any],
        pattern: str,
        seconds: float,
        units: float | None,
        problem: str,
    ) -> None:
        milliseconds = seconds * 1000
        with self.lock:
            self._seen += 1
            target = _target(request)
            entry = (
                self._seen,
                self.clock(),
                source,
                operation,
                target,
                pattern,
                milliseconds,
                units,
                problem,
            )
            self.newest.append(Recorded(*entry))
            name = f"{operation} {target}".strip() if pattern in UNTOLD else pattern
            if name not in self.spent and len(self.spent) >= SPENT_MAX:
                name = OTHERS
            spent = self.spent.setdefault(name, Spent(name))
            spent.requests += 1
            spent.units += units or 0.0
            spent.milliseconds += milliseconds
            spent.slowest = max(spent.slowest, milliseconds)

    def latest(self, limit: int = KEPT) -> list[Recorded]:
        """The newest requests, the newest first."""
        with self.lock:
            return list(reversed(self.newest))[:limit]

    def asked_by_people(self, limit: int = KEPT) -> list[Recorded]:
        """Those that are not the workers' own: looking for due jobs, once a second, is nobody's
        question.
        """
        return [each for each in self.latest() if not each.target.startswith("sortkey-jobs")][
            :limit
        ]

    def lately(self, limit: int) -> list[tuple[Recorded, int]]:
        """The newest request of each kind, the newest first, with how many there were of it
        lately.
        """
        kinds: dict[tuple[str, ...], tuple[Recorded, int]] = {}
        for each in self.asked_by_people():
            kind = (each.source, each.operation, each.target, each.pattern)
            first, count = kinds.get(kind, (each, 0))
            kinds[kind] = first, count + 1
        return list(kinds.values())[:limit]

    def costliest(
        self, by: Literal["units", "milliseconds", "slowest", "requests"] = "units"
    ) -> list[Spent]:
        """Access patterns and operations, the most expensive first."""
        with self.lock:
            return sorted(self.spent.values(), key=lambda each: getattr(each, by), reverse=True)


def asked(request: Recorded) -> str:
    """The access pattern of a request; of a write, which has none, the kind of item."""
    kind, _, rest = request.pattern.partition(".")
    if rest == request.operation:
        return kind
    return "" if request.pattern in UNTOLD else request.pattern


def _units(answer: Mapping[str, Any]) -> float | None:
    told: Any = answer.get("ConsumedCapacity")
    if told is None:
        return None
    several = cast(list[dict[str, Any]], told if isinstance(told, list) else [told])
    return sum(float(each["CapacityUnits"]) for each in several)


def _target(request: Mapping[str, Any]) -> str:
    """The table, or the tables, and the index that a request is about."""
    if "TableName" in request:
        index = request.get("IndexName")
        return f"{request['TableName']}/{index}" if index else str(request["TableName"])
    if "RequestItems" in request:
        return ", ".join(cast(Mapping[str, Any], request["RequestItems"]))
    if "TransactItems" in request:
        parts = cast("list[Mapping[str, Mapping[str, Any]]]", request["TransactItems"])
        return ", ".join(
            dict.fromkeys(str(each["TableName"]) for part in parts for each in part.values())
        )
    return str(request.get("Statement", ""))[:80]
