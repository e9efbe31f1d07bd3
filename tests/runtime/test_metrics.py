"""Metrics: what is counted, how it is written for Prometheus and CloudWatch, and that nothing is
asked for unasked.
"""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import pytest

import sortkey
from sortkey import Entity, Store, Table, key
from sortkey.errors import (
    AccessDeniedException,
    ConditionalCheckFailedException,
    InternalServerError,
    ProvisionedThroughputExceededException,
    ResourceNotFoundException,
    SortkeyError,
    Throttled,
    TransactionConflictException,
    Unreachable,
    ValidationException,
)
from sortkey.runtime.backend import Capabilities
from sortkey.runtime.metrics import SAMPLES_MAX, SERIES_MAX, Metrics, counter, gauge, histogram
from sortkey.runtime.metrics_formats import emf, prometheus

SEEN = counter("seen_total", "Things seen.")
DEPTH = gauge("depth", "How deep.")
TIMES = histogram("times_seconds", "How long.", buckets=(0.1, 1.0))

_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)')


def parsed(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """The samples of a text, by the grammar of the format; fails on any line that does not follow
    it.
    """
    samples: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
    types: dict[str, str] = {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            if word == "TYPE":
                assert rest in ("counter", "gauge", "histogram")
                types[name] = rest
            continue
        match = _SAMPLE.fullmatch(line)
        assert match, line
        name, inside, value = match.groups()
        labels = _LABEL.findall(inside or "")
        assert len(_LABEL.sub("", inside or "")) == 0, line
        assert re.sub(r"_(bucket|sum|count)$", "", name) in types or name in types, (
            f"{name} has no type"
        )
        unescaped = tuple(
            (n, re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text)) for n, text in labels
        )
        samples[name, unescaped] = float(value)
    return samples


def test_counters_gauges_and_histograms_can_be_parsed_back_from_prometheus_text() -> None:
    # A scraper that cannot read one line drops all of them.
    metrics = Metrics()
    metrics.add(SEEN, queue="a")
    metrics.add(SEEN, 2, queue="a")
    metrics.set(DEPTH, 7.5)
    for value in (0.05, 0.1, 0.5, 3.0):
        metrics.observe(TIMES, value, queue="a", name="x")
    found = parsed(prometheus(metrics))
    labels = (("name", "x"), ("queue", "a"))
    assert found["seen_total", (("queue", "a"),)] == 3
    assert found["depth", ()] == 7.5
    assert (
        found["times_seconds_bucket", (*labels, ("le", "0.1"))] == 2
    )  # a bound belongs to its bucket
    assert found["times_seconds_bucket", (*labels, ("le", "1"))] == 3
    assert found["times_seconds_bucket", (*labels, ("le", "+Inf"))] == 4
    assert found["times_seconds_count", labels] == 4
    assert found["times_seconds_sum", labels] == pytest.approx(3.65)


@pytest.mark.parametrize("text", ['say "no"', "back\\slash", "two\nlines", "a,b={}", "ä€"])
def test_labels_come_back_whatever_they_hold(text: str) -> None:
    # Names of jobs and queues are the users' own.
    metrics = Metrics()
    metrics.add(SEEN, name=text)
    assert parsed(prometheus(metrics)) == {("seen_total", (("name", text),)): 1}


def test_the_order_of_labels_in_a_call_makes_no_second_series() -> None:
    # Two series of one thing are each half wrong.
    metrics = Metrics()
    metrics.add(SEEN, a="1", b="2")
    metrics.add(SEEN, b="2", a="1")
    assert metrics.value(SEEN, b="2", a="1") == 2


def test_a_label_that_never_repeats_fills_no_memory() -> None:
    # An id as a label is a mistake that should cost a figure, not the process.
    metrics = Metrics()
    for number in range(SERIES_MAX + 50):
        metrics.add(SEEN, id=str(number))
    assert len(metrics.families[SEEN]) == SERIES_MAX + 1
    assert metrics.value(SEEN, other="true") == 50


def test_threads_lose_no_count() -> None:
    # Workers, handlers and stores share one.
    metrics = Metrics()
    threads = [
        threading.Thread(target=lambda: [metrics.add(SEEN) for _ in range(2000)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert metrics.value(SEEN) == 8000


# -- CloudWatch


def checked(line: str) -> dict[str, Any]:
    """A document that follows the specification of the format, as far as CloudWatch refuses those
    that do not.
    """
    document = json.loads(line)
    about = document["_aws"]
    assert set(about) == {"Timestamp", "CloudWatchMetrics"}
    assert isinstance(about["Timestamp"], int)
    for directive in about["CloudWatchMetrics"]:
        assert set(directive) == {"Namespace", "Dimensions", "Metrics"}
        for dimensions in directive["Dimensions"]:
            assert len(dimensions) <= 30
            assert all(isinstance(document[name], str) for name in dimensions)
        for metric in directive["Metrics"]:
            assert metric["Unit"] in ("Count", "Seconds", "Bytes", "Percent", "None")
            value = document[metric["Name"]]
            values = value if isinstance(value, list) else [value]
            assert 1 <= len(values) <= 100
            assert all(isinstance(value, (int, float)) for value in values)
    return document


@pytest.mark.parametrize(("value", "shown"), [("nan", "NaN"), ("inf", "+Inf"), ("-inf", "-Inf")])
def test_a_value_that_is_no_number_hides_no_other(value: str, shown: str) -> None:
    # One gauge that divides by zero must not blind whoever watches the program. CloudWatch refuses
    # such values.
    metrics = Metrics()
    metrics.set(DEPTH, float(value))
    metrics.observe(TIMES, float(value))
    metrics.add(SEEN)
    assert {f"depth {shown}", "seen_total 1"} <= set(prometheus(metrics).splitlines())
    assert [json.loads(line).get("seen_total") for line in emf(metrics, "test", 0.0)] == [1]


def test_cloudwatch_gets_a_document_for_each_series() -> None:
    # CloudWatch drops a document that is not of the shape, and says so only in another metric.
    metrics = Metrics()
    metrics.add(SEEN, 3, queue="a")
    metrics.set(DEPTH, 7.5)
    metrics.observe(TIMES, 0.25, queue="a")
    depth, seen, times = map(checked, emf(metrics, "Sortkey", 1700000000.25))
    assert seen["_aws"]["Timestamp"] == 1700000000250
    assert seen["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Sortkey"
    assert (seen["queue"], seen["seen_total"]) == ("a", 3)
    assert depth["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [[]]
    assert depth["depth"] == 7.5
    assert times["times_seconds"] == [0.25]
    assert times["_aws"]["CloudWatchMetrics"][0]["Metrics"] == [
        {"Name": "times_seconds", "Unit": "Seconds"}
    ]


def test_cloudwatch_gets_what_a_counter_grew_by() -> None:
    # It adds up what it is sent: a total sent twice would count twice.
    metrics = Metrics()
    metrics.add(SEEN, 3)
    assert [checked(line)["seen_total"] for line in emf(metrics, "S", 1)] == [3]
    assert emf(metrics, "S", 2) == []
    metrics.add(SEEN, 2)
    assert [checked(line)["seen_total"] for line in emf(metrics, "S", 3)] == [2]
    assert parsed(prometheus(metrics))["seen_total", ()] == 5


def test_many_values_go_to_cloudwatch_in_documents_of_a_hundred() -> None:
    # More than a hundred in one are refused. Between two calls only so many are kept.
    metrics = Metrics()
    for number in range(SAMPLES_MAX + 250):
        metrics.observe(TIMES, float(number))
    values = [checked(line)["times_seconds"] for line in emf(metrics, "S", 1)]
    assert [len(value) for value in values] == [100] * (SAMPLES_MAX // 100)
    assert values[-1][-1] == SAMPLES_MAX + 249
    assert emf(metrics, "S", 2) == []


# -- capacity

table = Table("MeteredThings", key=("pk",))


class Thing(Entity, table=table):
    """Something to be stored."""

    name: str

    @key("{name}")
    def key(*, name: str):
        """One thing."""


def test_capacity_is_counted_by_access_pattern_and_shown_with_the_rest() -> None:
    # What a pattern costs is asked of the patterns, not of the bill.
    metrics = Metrics()
    with sortkey.open(":memory:", metrics=metrics) as store:
        store.ensure(table)
        store.put(Thing(name="a"))
        store.get(Thing.key(name="a"))
        store.get(Thing.key(name="a"), consistent=True)
    assert metrics.patterns["Thing.key"].read_units == 1.5
    found = parsed(prometheus(metrics))
    assert found["sortkey_read_units_total", (("pattern", "Thing.key"),)] == 1.5
    assert found["sortkey_write_units_total", (("pattern", "Thing.PutItem"),)] == 1
    assert found["sortkey_requests_total", (("pattern", "Thing.key"),)] == 2
    sent = [checked(line) for line in emf(metrics, "S", 1)]
    read = {
        line["pattern"]: line["sortkey_read_units_total"]
        for line in sent
        if "sortkey_read_units_total" in line
    }
    assert read == {"Thing.key": 1.5}
    assert emf(metrics, "S", 2) == []


def test_a_store_without_metrics_asks_for_no_capacity() -> None:
    # Asking costs bytes in every answer and time in every call.
    requests: list[dict[str, Any]] = []
    with sortkey.open(":memory:") as store:
        store.ensure(table)
        call = store.backend.call

        def listen(operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            requests.append(request)
            return call(operation, request)

        store.backend.call = listen  # type: ignore[method-assign]
        store.put(Thing(name="a"))
        store.find(Thing.key(name="a"))
    assert len(requests) == 2
    assert not any("ReturnConsumedCapacity" in request for request in requests)


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (ValidationException("wrong"), "UserErrors"),
        (AccessDeniedException("no"), "UserErrors"),
        (ResourceNotFoundException("no table"), "UserErrors"),
        (ProvisionedThroughputExceededException("slower"), "ThrottledRequests"),
        (Throttled("slower"), "ThrottledRequests"),
        (InternalServerError("sorry"), "SystemErrors"),
        (Unreachable("nobody there"), "SystemErrors"),
        (ConditionalCheckFailedException("it is there"), None),
        (TransactionConflictException("again"), None),
    ],
)
def test_requests_that_fail_are_counted_as_cloudwatch_does(
    error: Exception, name: str | None
) -> None:
    # An alarm on errors must not ring for a condition that did its work.
    metrics = Metrics()
    store = Store(Failing(error), metrics=metrics)
    with pytest.raises(SortkeyError):
        store.find(Thing.key(name="x"))
    counted = {name: value for name, value in metrics.totals().items() if value}
    assert counted == ({} if name is None else {name: 1})


class Failing:
    """A backend that answers every call with one error."""

    capabilities = Capabilities()

    def __init__(self, error: Exception) -> None:
        self.error = error

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise self.error

    def close(self) -> None:
        pass
