"""Formats of metrics: Prometheus text for a scraper, embedded metric format for CloudWatch Logs.

https://prometheus.io/docs/instrumenting/exposition_formats/ and the "Specification: Embedded metric
format" in CloudWatch's user guide have the formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from math import isfinite, isnan
from typing import Any

import orjson

from sortkey.runtime.metrics import Family, Labels, Metrics, Series

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
EMF_VALUES_MAX = 100


def prometheus(metrics: Metrics) -> str:
    """All metrics in the text format of Prometheus."""
    lines: list[str] = []
    with metrics.lock:
        for family, several in sorted(metrics.by_family().items(), key=lambda entry: entry[0].name):
            lines.append(f"# HELP {family.name} {_escaped(family.help)}")
            lines.append(f"# TYPE {family.name} {family.kind}")
            for labels, series in sorted(several.items()):
                lines += _lines(family, labels, series)
    return "".join(f"{line}\n" for line in lines)


def emf(metrics: Metrics, namespace: str, now: float) -> list[str]:
    """Metrics since the last call as lines of JSON, to be printed where CloudWatch Logs collects
    them.

    Counters are sent as increments, histograms as their values, gauges as they are.
    """
    lines: list[str] = []
    with metrics.lock:
        for family, several in sorted(metrics.by_family().items(), key=lambda entry: entry[0].name):
            for labels, series in sorted(several.items()):
                lines += [
                    _document(family, labels, value, namespace, now)
                    for value in _unsent(family, series)
                ]
    return lines


def _lines(family: Family, labels: Labels, series: Series) -> Iterator[str]:
    if family.kind != "histogram":
        yield f"{family.name}{_label_text(labels)} {_number(series.value)}"
        return
    bounds = [*map(_number, family.buckets), "+Inf"]
    for bound, count in zip(bounds, accumulate(series.counts), strict=True):
        yield f"{family.name}_bucket{_label_text((*labels, ('le', bound)))} {count}"
    yield f"{family.name}_sum{_label_text(labels)} {_number(series.value)}"
    yield f"{family.name}_count{_label_text(labels)} {series.count}"


def _label_text(labels: Labels) -> str:
    inside = ",".join(f'{name}="{_escaped(value, quotes=True)}"' for name, value in labels)
    return f"{{{inside}}}" if inside else ""


def _escaped(text: str, *, quotes: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    if isnan(value):
        return "NaN"
    if not isfinite(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)


def _unsent(family: Family, series: Series) -> list[float | list[float]]:
    """The values to send: CloudWatch adds them up itself. Values that are not finite are left
    out.
    """
    if family.kind == "gauge":
        return [series.value] if isfinite(series.value) else []
    if family.kind == "counter":
        grown, series.sent = series.value - series.sent, series.value
        return [grown] if grown else []
    values = [value for value in series.unsent if isfinite(value)]
    series.unsent.clear()
    return [
        values[start : start + EMF_VALUES_MAX] for start in range(0, len(values), EMF_VALUES_MAX)
    ]


def _document(family: Family, labels: Labels, value: Any, namespace: str, now: float) -> str:
    directive = {
        "Namespace": namespace,
        "Dimensions": [[name for name, _ in labels]],
        "Metrics": [{"Name": family.name, "Unit": family.unit}],
    }
    about = {"Timestamp": int(now * 1000), "CloudWatchMetrics": [directive]}
    return orjson.dumps({"_aws": about, **dict(labels), family.name: value}).decode()
