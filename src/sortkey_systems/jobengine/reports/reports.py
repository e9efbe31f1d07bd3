"""Reports of steps and jobs: the full one as a file, and its catalog entry. The file is written
first.

A file has one entry; writing it again replaces both. `kinds` has the content of a job's reports.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, cast

import orjson

from sortkey import Delete, ObjectReader, Objects, Put, Store
from sortkey.errors import NotFound
from sortkey_systems.jobengine.buckets import uri
from sortkey_systems.jobengine.model import Job, Report
from sortkey_systems.jobengine.parts import (
    REPORT_FILE,
    ExecutionSummary,
    PerformanceMetrics,
    ReportFile,
    ReportMetrics,
    ReportType,
    StepRun,
)
from sortkey_systems.jobengine.reports.recommendations import recommendations_for
from sortkey_systems.jobengine.reports.usage import Usage
from sortkey_systems.jobengine.stages.work import to_json

SECTIONS = (
    "summary",
    "executionSummary",
    "performanceMetrics",
    "detailedResults",
    "recommendations",
)


@dataclass(frozen=True, slots=True)
class FullReport:
    """A report as stored in the bucket, with its catalog entry, if it has one."""

    file: ReportFile
    location: str
    content_size: int
    catalog: Report | None


def write_step_report(
    objects: Objects,
    store: Store,
    *,
    job: Job,
    step: StepRun,
    title: str,
    summary: str,
    results: Any,
    recommendations: Sequence[str] = (),
    report_type: ReportType = "performance",
    items: int = 0,
    errors: int = 0,
    tables: int | None = None,
    usage: Usage | None = None,
) -> Report:
    """Write the report of a finished step: the file, then its catalog entry. Writing it twice is
    fine.

    `results` is what the step returned. Recommendations that follow from the figures are added to
    the given ones.
    """
    began, now = time.perf_counter(), datetime.now(UTC)
    execution = _execution(job, step, items, now)
    performance = measured(execution.duration, items, errors, tables, usage)
    file = ReportFile(
        report_id=f"{job.job_id}_{step.step_id}",
        report_type=report_type,
        title=title,
        summary=summary,
        execution_summary=execution,
        performance_metrics=performance,
        detailed_results=_as_dict(results),
        recommendations=[*recommendations, *recommendations_for(execution, performance)],
        generated_at=now,
    )
    return _publish(objects, store, job, step.step_id, file, began)


def create_job_report(
    objects: Objects,
    store: Store,
    journey_id: str,
    job_id: str,
    report_type: ReportType,
    title: str,
    content: Any,
    summary: str,
    *,
    recommendations: Sequence[str] = (),
    name: str | None = None,
) -> Report:
    """Write a report of a whole job, `{reportType}_summary.json`, and its catalog entry. Raises
    NotFound.

    A custom report may have another `name`; a second one of the same name replaces the first.
    """
    began, now = time.perf_counter(), datetime.now(UTC)
    job = job_of(store, journey_id, job_id)
    step_id = name or f"{report_type}_summary"
    step = StepRun(
        step_id=step_id, status="completed", start_time=job.start_time, end_time=job.end_time
    )
    execution = _execution(job, step, job.results.records_processed, now).model_copy(
        update={"status": job.status}
    )
    performance = measured(
        execution.duration,
        execution.items_processed,
        job.results.records_failed,
        job.results.tables_analyzed or None,
    )
    file = ReportFile(
        report_id=f"{job_id}_{step_id}",
        report_type=report_type,
        title=title,
        summary=summary,
        execution_summary=execution,
        performance_metrics=performance,
        detailed_results=_as_dict(content),
        recommendations=list(recommendations) or recommendations_for(execution, performance),
        generated_at=now,
    )
    return _publish(objects, store, job, step_id, file, began)


def get_job_reports(
    objects: Objects, store: Store, journey_id: str, job_id: str, stage_name: str
) -> Iterator[FullReport]:
    """All reports of a job, by name, read one at a time."""
    catalog = {report.s3_location: report for report in store.query(Report.of_job(job_id=job_id))}
    prefix = REPORT_FILE.prefix(
        {"journey_id": journey_id, "stage_id": stage_name, "job_id": job_id}
    ).text
    after = None
    while True:
        page = objects.list(prefix, after=after)
        for stored in page.objects:
            location = uri(objects, stored.key)
            file = ReportFile.model_validate_json(objects.read(stored.key))
            yield FullReport(file, location, stored.size, catalog.get(location))
        if (after := page.after) is None:
            return


def open_report(objects: Objects, report: Report) -> ObjectReader:
    """The file of a catalog entry as a stream, whatever its size. Raises ObjectNotFound."""
    return objects.open(report.s3_location.removeprefix(f"s3://{objects.name}/"))


def read_report(objects: Objects, report: Report) -> ReportFile:
    """The file of a catalog entry. Raises ObjectNotFound."""
    with open_report(objects, report) as reader:
        return ReportFile.model_validate_json(reader.read())


def job_of(store: Store, journey_id: str, job_id: str) -> Job:
    """A job by its ID. Raises NotFound, also where it is of another journey."""
    job = store.first(Job.by_id(job_id=job_id))
    if job is None or job.journey_id != journey_id:
        raise NotFound(
            f"the journey {journey_id} has no job {job_id}: list_jobs shows those it has"
        )
    return job


def measured(
    seconds: float,
    items: int,
    errors: int = 0,
    tables: int | None = None,
    usage: Usage | None = None,
) -> PerformanceMetrics:
    """The figures of an execution."""
    return PerformanceMetrics(
        throughput=_ratio(items, seconds),
        tables_per_second=_ratio(tables, seconds) if tables else None,
        average_table_processing_time=round(seconds / tables, 3) if tables else None,
        error_rate=_ratio(errors, items),
        memory_usage=usage.memory if usage else None,
        cpu_utilization=usage.cpu if usage else None,
    )


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def _execution(job: Job, step: StepRun, items: int, now: datetime) -> ExecutionSummary:
    start = step.start_time or job.start_time or job.created_at or now
    end = step.end_time or now
    seconds = (
        step.duration if step.duration is not None else max(0.0, (end - start).total_seconds())
    )
    return ExecutionSummary(
        step_id=step.step_id,
        job_id=job.job_id,
        status=step.status,
        start_time=start,
        end_time=end,
        duration=seconds,
        items_processed=items,
    )


def _as_dict(content: Any) -> dict[str, Any]:
    plain = to_json(content)
    return cast(dict[str, Any], plain) if isinstance(plain, dict) else {"result": plain}


def _publish(
    objects: Objects, store: Store, job: Job, step_id: str, file: ReportFile, began: float
) -> Report:
    names = {
        "journey_id": job.journey_id,
        "stage_id": job.stage_id,
        "job_id": job.job_id,
        "step_id": step_id,
    }
    key = str(REPORT_FILE.render(names))
    content = file.model_dump(by_alias=True, mode="json")
    data = orjson.dumps(content, option=orjson.OPT_INDENT_2)
    objects.put(key, data, content_type="application/json")
    entry = Report(
        journey_id=job.journey_id,
        report_id="RPT-" + sha256(file.report_id.encode()).hexdigest()[:12].upper(),
        job_id=job.job_id,
        report_type=file.report_type,
        title=file.title,
        summary=file.summary,
        s3_location=uri(objects, key),
        generated_at=file.generated_at,
        created_at=file.generated_at,
        metrics=ReportMetrics(
            content_size=len(data),
            generation_time=round(time.perf_counter() - began, 6),
            report_sections=sum(1 for section in SECTIONS if content.get(section)),
        ),
    )
    _replace(store, entry)
    return entry


def _replace(store: Store, entry: Report) -> None:
    """Replace the previous entries of the same file with this one."""
    entries = store.query(Report.of_type(journey_id=entry.journey_id, job_id=entry.job_id))
    before = [report for report in entries if report.report_id == entry.report_id]
    keys = [
        Report.key(**{name: getattr(report, name) for name in _KEY})
        for report in before
        if any(getattr(report, name) != getattr(entry, name) for name in _KEY)
    ]
    store.transact(Put(entry), *(Delete(key) for key in keys))


_KEY = ("journey_id", "job_id", "report_type", "generated_at", "report_id")
