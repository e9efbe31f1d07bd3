"""The latest requests: of programs over DynamoDB's protocol, and of the stores of this process with
their access patterns.

It is the `Metrics` of a store, and the DynamoDB server calls `on_request` for each request.
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

REQUESTS_MAX = 500
SPENT_MAX, OTHERS = 1000, "all others"
"""Requests under further names are added up as one: statements that contain values never repeat."""
Source = Literal["wire", "REST", "console", "system"]
"""Programs over DynamoDB's protocol or REST, a user of the console, or background work of a system.
"""
current_source: ContextVar[Source] = ContextVar("current_source", default="system")
"""The source of the requests of a store. Threads of workers and sample data have no context: their
source is the system.
"""


UNINFORMATIVE = ("", "transact", "batch_write")
"""Patterns that are less informative than the tables that a request writes."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request. Units are known only if the request asked for them."""

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
    """The total cost of an access pattern or operation since the start."""

    name: str
    requests: int = 0
    units: float = 0.0
    milliseconds: float = 0.0
    slowest: float = 0.0


@dataclass
class RequestLog(Metrics):
    """Keeps the latest requests, and totals of all requests."""

    clock: Callable[[], float] = time.time
    newest: deque[Recorded] = field(default_factory=lambda: deque[Recorded](maxlen=REQUESTS_MAX))
    spent: dict[str, Spent] = field(default_factory=dict[str, Spent])
    _seen: int = 0
    _began: threading.local = field(default_factory=threading.local)

    # -- as a store's metrics: called before and after a request, in the thread that sends it

    def with_capacity(self, call: Call) -> Call:
        self._began.at = time.perf_counter()
        return super().with_capacity(call)

    def count(self, call: Call, answer: dict[str, Any]) -> None:
        super().count(call, answer)
        seconds = time.perf_counter() - self._began.at
        self._keep(
            current_source.get(),
            call.operation,
            call.request,
            call.pattern,
            seconds,
            _units(answer),
            "",
        )

    # -- as the callback of the DynamoDB server

    def on_request(
        self, operation: str, request: dict[str, Any], seconds: float, problem: BaseException | None
    ) -> None:
        text = "" if problem is None else f"{type(problem).__name__}: {problem}"
        self._keep("wire", operation, request, "", seconds, None, text)

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
            name = f"{operation} {target}".strip() if pattern in UNINFORMATIVE else pattern
            if name not in self.spent and len(self.spent) >= SPENT_MAX:
                name = OTHERS
            spent = self.spent.setdefault(name, Spent(name))
            spent.requests += 1
            spent.units += units or 0.0
            spent.milliseconds += milliseconds
            spent.slowest = max(spent.slowest, milliseconds)

    def latest(self, limit: int = REQUESTS_MAX) -> list[Recorded]:
        """The latest requests, newest first."""
        with self.lock:
            return list(reversed(self.newest))[:limit]

    def without_workers(self, limit: int = REQUESTS_MAX) -> list[Recorded]:
        """The latest requests without those of workers, which look for jobs every second."""
        requests = self.latest()
        return [entry for entry in requests if not entry.target.startswith("sortkey-jobs")][:limit]

    def recent_kinds(self, limit: int) -> list[tuple[Recorded, int]]:
        """The latest request of each kind, newest first, with the number of recent ones."""
        kinds: dict[tuple[str, ...], tuple[Recorded, int]] = {}
        for entry in self.without_workers():
            kind = (entry.source, entry.operation, entry.target, entry.pattern)
            first, count = kinds.get(kind, (entry, 0))
            kinds[kind] = first, count + 1
        return list(kinds.values())[:limit]

    def costliest(
        self, by: Literal["units", "milliseconds", "slowest", "requests"] = "units"
    ) -> list[Spent]:
        """Access patterns and operations, the most expensive first."""
        with self.lock:
            return sorted(self.spent.values(), key=lambda total: getattr(total, by), reverse=True)


def subject(request: Recorded) -> str:
    """The access pattern of a request, or the kind of item for a write."""
    kind, _, rest = request.pattern.partition(".")
    if rest == request.operation:
        return kind
    return "" if request.pattern in UNINFORMATIVE else request.pattern


def _units(answer: Mapping[str, Any]) -> float | None:
    consumed: Any = answer.get("ConsumedCapacity")
    if consumed is None:
        return None
    parts = cast(list[dict[str, Any]], consumed if isinstance(consumed, list) else [consumed])
    return sum(float(part["CapacityUnits"]) for part in parts)


def _target(request: Mapping[str, Any]) -> str:
    """The tables and the index of a request."""
    if "TableName" in request:
        index = request.get("IndexName")
        return f"{request['TableName']}/{index}" if index else str(request["TableName"])
    if "RequestItems" in request:
        return ", ".join(cast(Mapping[str, Any], request["RequestItems"]))
    if "TransactItems" in request:
        parts = cast("list[Mapping[str, Mapping[str, Any]]]", request["TransactItems"])
        return ", ".join(
            dict.fromkeys(str(write["TableName"]) for part in parts for write in part.values())
        )
    return str(request.get("Statement", ""))[:80]
