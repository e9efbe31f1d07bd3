"""Recommendations that follow from figures. Each is a small function of a measurement."""

from __future__ import annotations

from collections.abc import Callable

from sortkey_systems.jobengine.parts import ExecutionSummary, PerformanceMetrics

ERROR_RATE_MAX = 0.01
SLOW_SECONDS = 300.0
SLOW_TABLE_SECONDS = 5.0
MEMORY_MEGABYTES_MAX = 1024
IDLE_PERCENT = 20
BUSY_PERCENT = 90

Advice = Callable[[ExecutionSummary, PerformanceMetrics], str | None]


def recommendations_for(execution: ExecutionSummary, metrics: PerformanceMetrics) -> list[str]:
    """What the figures of a step or a job recommend: at least that there is nothing to do."""
    return [text for advice in ADVICE if (text := advice(execution, metrics))] or [
        _all_well(execution)
    ]


def _all_well(execution: ExecutionSummary) -> str:
    step = execution.step_id.replace("_", " ").capitalize()
    return f"{step} performed well: {execution.duration:.1f} s, nothing to do"


def _did_not_end(execution: ExecutionSummary, metrics: PerformanceMetrics) -> str | None:
    if execution.status in ("failed", "cancelled"):
        return (
            f"{execution.step_id} did not end ({execution.status}): read its errors, fix the "
            "cause, then retry it"
        )
    return None


def _errors(execution: ExecutionSummary, metrics: PerformanceMetrics) -> str | None:
    if metrics.error_rate > ERROR_RATE_MAX:
        return (
            f"{metrics.error_rate:.1%} of the items failed: look at the error analysis before the "
            "next stage"
        )
    if metrics.error_rate:
        return f"{metrics.error_rate:.2%} of the items failed: check whether they may be left out"
    return None


def _slow_tables(execution: ExecutionSummary, metrics: PerformanceMetrics) -> str | None:
    seconds = metrics.average_table_processing_time or 0.0
    if seconds > SLOW_TABLE_SECONDS:
        return (
            f"A table takes {seconds:.1f} s on average: indexes on the source's keys make it "
            "quicker"
        )
    return None


def _long(execution: ExecutionSummary, metrics: PerformanceMetrics) -> str | None:
    if execution.duration > SLOW_SECONDS:
        minutes = execution.duration / 60
        return (
            f"{execution.step_id} took {minutes:.0f} minutes: consider parallel processing for "
            "larger databases"
        )
    return None


def _memory(execution: ExecutionSummary, metrics: PerformanceMetrics) -> str | None:
    megabytes = int((metrics.memory_usage or "0MB").removesuffix("MB"))
    if megabytes > MEMORY_MEGABYTES_MAX:
        return f"The worker needed {megabytes:,} MB: smaller batches need less"
    return None


def _processor(execution: ExecutionSummary, metrics: PerformanceMetrics) -> str | None:
    percent = float((metrics.cpu_utilization or "0%").removesuffix("%"))
    if percent > BUSY_PERCENT and execution.duration > SLOW_SECONDS:
        return "The processor is the limit: run stages of several journeys on several workers"
    if 0 < percent < IDLE_PERCENT and execution.duration > SLOW_SECONDS:
        return (
            "The worker mostly waits for the source or the target: larger batches make fewer round "
            "trips"
        )
    return None


ADVICE: tuple[Advice, ...] = (_did_not_end, _errors, _slow_tables, _long, _memory, _processor)
