"""What a program did, in one place: counters, gauges, histograms, and capacity by access pattern.

Give one `Metrics` to a store, and to whatever else should count there. `metrics_formats` writes it
as Prometheus text and for CloudWatch.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from sortkey.errors import (
    ClientError,
    ConditionalCheckFailedException,
    InternalServerError,
    ProvisionedThroughputExceededException,
    Throttled,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
    Unreachable,
)
from sortkey.runtime.steps import Call

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
METERED = READS | {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}

REFUSALS = (
    ConditionalCheckFailedException,
    TransactionCanceledException,
    TransactionConflictException,
)

SECONDS = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
    60.0,
    300.0,
    1800.0,
)
"""Upper bounds for times: from a look-up in memory to a long job."""

SERIES_MAX = 1000
"""Of one family. What has further labels is counted together, so that a label that never repeats
fills no memory.
"""

SAMPLES_MAX = 1000
"""Values of a histogram that wait for CloudWatch; of more, the latest are sent."""

Unit = Literal["Count", "Seconds", "Bytes", "Percent", "None"]
Labels = tuple[tuple[str, str], ...]
OTHER: Labels = (("other", "true"),)


@dataclass(frozen=True, slots=True)
class Family:
    """A name under which values are kept, one series for each set of labels. Made by the three
    functions below.
    """

    name: str
    help: str
    kind: Literal["counter", "gauge", "histogram"]
    unit: Unit
    buckets: Sequence[float] = ()


def counter(name: str, help: str, unit: Unit = "Count") -> Family:
    """Something that only grows. By custom its name ends in `_total`."""
    return Family(name, help, "counter", unit)


def gauge(name: str, help: str, unit: Unit = "Count") -> Family:
    """Something that goes up and down."""
    return Family(name, help, "gauge", unit)


def histogram(
    name: str, help: str, unit: Unit = "Seconds", buckets: Sequence[float] = SECONDS
) -> Family:
    """How values are spread over buckets, of which the upper bounds are given in rising order."""
    return Family(name, help, "histogram", unit, tuple(buckets))


REQUESTS = counter("sortkey_requests_total", "Requests to the table service, by access pattern.")
READ_UNITS = counter("sortkey_read_units_total", "Read capacity used, by access pattern.")
WRITE_UNITS = counter("sortkey_write_units_total", "Write capacity used, by access pattern.")
USER_ERRORS = counter(
    "sortkey_user_errors_total", "Requests that were wrong. Conditions that did not hold are none."
)
SYSTEM_ERRORS = counter(
    "sortkey_system_errors_total", "Requests that the service could not answer."
)
THROTTLED_REQUESTS = counter(
    "sortkey_throttled_requests_total", "Requests that were refused for load."
)


@dataclass(slots=True)
class Used:
    """What one access pattern has used so far."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0


@dataclass(slots=True)
class Series:
    """The values of one family under one set of labels. `counts` are those of the buckets, and of
    what lies above.
    """

    value: float = 0.0
    count: int = 0
    counts: list[int] = field(default_factory=list[int])
    unsent: deque[float] = field(default_factory=lambda: deque[float](maxlen=SAMPLES_MAX))
    sent: float = 0.0


@dataclass
class Metrics:
    """Counts capacity by access pattern, and whatever else it is told. Several stores and workers
    may share one.
    """

    patterns: dict[str, Used] = field(default_factory=dict[str, Used])
    families: dict[Family, dict[Labels, Series]] = field(
        default_factory=dict[Family, dict[Labels, Series]]
    )
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    # -- what anything may count

    def add(self, family: Family, amount: float = 1.0, /, **labels: str) -> None:
        """Raise a counter, or move a gauge."""
        with self.lock:
            self._series(family, labels).value += amount

    def set(self, family: Family, value: float, /, **labels: str) -> None:
        """What a gauge shows now."""
        with self.lock:
            self._series(family, labels).value = value

    def observe(self, family: Family, value: float, /, **labels: str) -> None:
        """One more value of a histogram."""
        with self.lock:
            series = self._series(family, labels)
            if not series.counts:
                series.counts = [0] * (len(family.buckets) + 1)
            series.counts[bisect_left(family.buckets, value)] += 1
            series.count += 1
            series.value += value
            series.unsent.append(value)

    def value(self, family: Family, /, **labels: str) -> float:
        """A counter or a gauge as it is now; the sum of a histogram. 0 for what was never
        counted.
        """
        with self.lock:
            series = self.families.get(family, {}).get(_labels(labels))
            return 0.0 if series is None else series.value

    def observed(self, family: Family, /, **labels: str) -> int:
        """How many values a histogram has."""
        with self.lock:
            series = self.families.get(family, {}).get(_labels(labels))
            return 0 if series is None else series.count

    def _series(self, family: Family, labels: Mapping[str, str]) -> Series:
        several, key = self.families.setdefault(family, {}), _labels(labels)
        if key not in several and len(several) >= SERIES_MAX:
            key = OTHER
        return several.setdefault(key, Series())

    # -- capacity, for stores

    def with_capacity(self, call: Call) -> Call:
        """The call, asking for its capacity."""
        if call.operation not in METERED:
            return call
        return Call(
            call.operation, {**call.request, "ReturnConsumedCapacity": "TOTAL"}, call.pattern
        )

    def count(self, call: Call, answer: dict[str, Any]) -> None:
        consumed: Any = answer.get("ConsumedCapacity")
        if consumed is None:
            return
        several = cast(list[dict[str, Any]], consumed if isinstance(consumed, list) else [consumed])
        units = sum(capacity["CapacityUnits"] for capacity in several)
        with self.lock:
            used = self.patterns.setdefault(call.pattern or call.operation, Used())
            used.requests += 1
            if call.operation in READS:
                used.read_units += units
            else:
                used.write_units += units

    def failed(self, error: Exception) -> None:
        """A request that ended with an error. As in CloudWatch, a condition that does not hold is
        none.
        """
        if isinstance(
            error, (Throttled, ProvisionedThroughputExceededException, ThrottlingException)
        ):
            self.add(THROTTLED_REQUESTS)
        elif isinstance(error, (InternalServerError, Unreachable)):
            self.add(SYSTEM_ERRORS)
        elif isinstance(error, ClientError) and not isinstance(error, REFUSALS):
            self.add(USER_ERRORS)

    def totals(self) -> dict[str, float]:
        """What CloudWatch tells of a table, under its names: capacity, and requests that failed."""
        with self.lock:
            used = list(self.patterns.values())
        return {
            "ConsumedReadCapacityUnits": sum(usage.read_units for usage in used),
            "ConsumedWriteCapacityUnits": sum(usage.write_units for usage in used),
            "UserErrors": self.value(USER_ERRORS),
            "SystemErrors": self.value(SYSTEM_ERRORS),
            "ThrottledRequests": self.value(THROTTLED_REQUESTS),
        }

    def by_family(self) -> dict[Family, dict[Labels, Series]]:
        """Everything, capacity included, for whoever writes it out. Hold `lock`."""
        everything = dict(self.families)
        for family, name in (
            (REQUESTS, "requests"),
            (READ_UNITS, "read_units"),
            (WRITE_UNITS, "write_units"),
        ):
            if self.patterns:
                mirrored = self.families.setdefault(family, {})
                for pattern, used in self.patterns.items():
                    mirrored.setdefault((("pattern", pattern),), Series()).value = float(
                        getattr(used, name)
                    )
                everything[family] = mirrored
        return everything


def _labels(labels: Mapping[str, str]) -> Labels:
    return tuple(sorted(labels.items())) if len(labels) > 1 else tuple(labels.items())
