"""Metrics of a program: counters, gauges, histograms, and capacity by access pattern.

Pass one `Metrics` to stores, workers and whatever else should count there. `metrics_formats` writes
it as Prometheus text and for CloudWatch.
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
"""Upper bounds in seconds, from a lookup in memory to a long job."""

SERIES_MAX = 1000
"""The limit of one family. Further labels are counted together, so that labels that never repeat
cannot fill the memory.
"""

SAMPLES_MAX = 1000
"""Values of a histogram waiting for CloudWatch. If there are more, only the latest are sent."""

Unit = Literal["Count", "Seconds", "Bytes", "Percent", "None"]
Labels = tuple[tuple[str, str], ...]
OTHER: Labels = (("other", "true"),)


@dataclass(frozen=True, slots=True)
class Family:
    """A named metric, with one series for each set of labels. Create it with one of the three
    functions below.
    """

    name: str
    help: str
    kind: Literal["counter", "gauge", "histogram"]
    unit: Unit
    buckets: Sequence[float] = ()


def counter(name: str, help: str, unit: Unit = "Count") -> Family:
    """A value that only grows. By convention its name ends in `_total`."""
    return Family(name, help, "counter", unit)


def gauge(name: str, help: str, unit: Unit = "Count") -> Family:
    """A value that goes up and down."""
    return Family(name, help, "gauge", unit)


def histogram(
    name: str, help: str, unit: Unit = "Seconds", buckets: Sequence[float] = SECONDS
) -> Family:
    """A distribution of values over buckets, given by their upper bounds in rising order."""
    return Family(name, help, "histogram", unit, tuple(buckets))


REQUESTS = counter("sortkey_requests_total", "Requests to the table service, by access pattern.")
READ_UNITS = counter("sortkey_read_units_total", "Read capacity used, by access pattern.")
WRITE_UNITS = counter("sortkey_write_units_total", "Write capacity used, by access pattern.")
USER_ERRORS = counter("sortkey_user_errors_total", "Invalid requests, without failed conditions.")
SYSTEM_ERRORS = counter(
    "sortkey_system_errors_total", "Requests that the service could not answer."
)
THROTTLED_REQUESTS = counter("sortkey_throttled_requests_total", "Throttled requests.")


@dataclass(slots=True)
class Used:
    """The capacity that one access pattern has used."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0


@dataclass(slots=True)
class Series:
    """The values of one family for one set of labels. `counts` are those of the buckets, and of
    values above them.
    """

    value: float = 0.0
    count: int = 0
    counts: list[int] = field(default_factory=list[int])
    unsent: deque[float] = field(default_factory=lambda: deque[float](maxlen=SAMPLES_MAX))
    sent: float = 0.0


@dataclass
class Metrics:
    """Counts capacity by access pattern, and any other metric. Several stores and workers may share
    one.
    """

    patterns: dict[str, Used] = field(default_factory=dict[str, Used])
    families: dict[Family, dict[Labels, Series]] = field(
        default_factory=dict[Family, dict[Labels, Series]]
    )
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    # -- any metric

    def add(self, family: Family, amount: float = 1.0, /, **labels: str) -> None:
        """Raise a counter, or move a gauge."""
        with self.lock:
            self._series(family, labels).value += amount

    def set(self, family: Family, value: float, /, **labels: str) -> None:
        """Set a gauge."""
        with self.lock:
            self._series(family, labels).value = value

    def observe(self, family: Family, value: float, /, **labels: str) -> None:
        """Add a value to a histogram."""
        with self.lock:
            series = self._series(family, labels)
            if not series.counts:
                series.counts = [0] * (len(family.buckets) + 1)
            series.counts[bisect_left(family.buckets, value)] += 1
            series.count += 1
            series.value += value
            series.unsent.append(value)

    def value(self, family: Family, /, **labels: str) -> float:
        """The current value of a counter or gauge, or the sum of a histogram. 0 if it was never
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
        """The call with a request for its consumed capacity."""
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
        """Count a failed request. As in CloudWatch, a failed condition does not count."""
        if isinstance(
            error, (Throttled, ProvisionedThroughputExceededException, ThrottlingException)
        ):
            self.add(THROTTLED_REQUESTS)
        elif isinstance(error, (InternalServerError, Unreachable)):
            self.add(SYSTEM_ERRORS)
        elif isinstance(error, ClientError) and not isinstance(error, REFUSALS):
            self.add(USER_ERRORS)

    def totals(self) -> dict[str, float]:
        """Capacity and failed requests under the names that CloudWatch has for them."""
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
        """All series by family, capacity included. Hold `lock` while reading."""
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
