"""The AI Job Engine on one machine: the latencies that its document claims, and the volume of a
job.

`python -m bench.jobengine` prints the section of the report. Measured in a process of its own, on
the embedded default: a folder for the table, folders for the buckets.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import sortkey
from bench.goals import met
from sortkey import Put, Store
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.costs import Volume, estimate
from sortkey_systems.jobengine.logs.search import LogFilter, recent, search_logs
from sortkey_systems.jobengine.logs.step_log import StepLog, get_job_logs
from sortkey_systems.jobengine.model import Job, Journey, Log, Stage, StageJob, model
from sortkey_systems.jobengine.parts import Source, StepRun
from sortkey_systems.jobengine.reports.reports import (
    get_job_reports,
    read_report,
    write_step_report,
)
from sortkey_systems.jobengine.stages.default_stages import default_stages

ID, STAGE = "JRN-BENCH0000000", "raw_analysis"
STEPS = ("schema_extraction", "metadata_analysis", "data_profiling")
ORDINARY, LARGE = "JOB-ordinary", "JOB-large"
START = datetime(2025, 11, 1, 20, 30, tzinfo=UTC)
JOURNEYS, JOBS, ROUNDS = 100, 20, 60
LARGE_ROUNDS = 5
ENTRIES, ENTRY_BYTES = 10_000, 5_000
REPORT_BYTES = 10 << 20
MEMORY_MB_MAX = 40
"""What writing and reading 50 MB of logs may add to the process."""

# What the document says a thing takes, in milliseconds, and up to where it is held here.
CLAIMS: dict[str, tuple[str, float]] = {
    "journey metadata": ("5", 5),
    "stages of a journey": ("10", 10),
    "status of a job": ("5", 5),
    f"list of {JOURNEYS} journeys": ("20", 20),
    f"dashboard of {JOBS} jobs": ("15–20", 20),
    "logs of a job by index, 100": ("15", 15),
    "recent logs, 100": ("15", 15),
    "full logs of a job, 145 lines": ("50–100", 100),
    "first page of 50 MB of logs": ("50–100", 100),
    "all reports of a job, 3": ("100–200", 200),
    "report of 10 MB": ("100", 100),
}


def measure() -> dict[str, Any]:
    """Everything, in this process: milliseconds by what was done, and the figures of the volume."""
    with tempfile.TemporaryDirectory(prefix="sortkey-jobengine-") as name:
        folder = Path(name)
        buckets = Buckets.open(str(folder / "buckets" / "{bucket}"))
        with sortkey.open(folder / "data") as store:
            store.ensure(model)
            _fill(store)
            _logs(buckets, store, ORDINARY, 145, 300)
            volume = _volume(buckets, store)
            result = {"ms": _latencies(buckets, store) | _reports(buckets, store), **volume}
        buckets.close()
        return result


def _fill(store: Store) -> None:
    source = Source(
        type="schema-based", schema_id="s", schema_name="Legacy", schema_version="1.0.0"
    )
    about = {"created_by": "bench", "oda_component_type": "PRODUCTCATALOG", "source": source}
    for number in range(JOURNEYS):
        journey_id = ID if number == 0 else f"JRN-{number:012d}"
        journey = Journey(
            journey_id=journey_id, name=f"Journey {number}", description="x" * 4000, **about
        )
        store.transact(Put(journey), *(Put(stage) for stage in default_stages(journey_id)))
    for number in range(1, JOBS + 1):
        job_id = {1: ORDINARY, 2: LARGE}.get(number, f"JOB-{number}")
        store.transact(*_puts(_job(job_id, number)))


def _job(job_id: str, number: int) -> Job:
    at = START + timedelta(minutes=number)
    runs = [
        StepRun(step_id=step, status="completed", start_time=at, end_time=at, duration=1.0)
        for step in STEPS
    ]
    about: dict[str, Any] = {"status": "running", "start_time": at, "steps": runs, "created_at": at}
    return Job(
        job_id=job_id, journey_id=ID, order=1, stage_id=STAGE, execution_number=number, **about
    )


def _puts(job: Job) -> Iterable[Put[Any]]:
    return Put(job), Put(StageJob.of(job))


def _logs(buckets: Buckets, store: Store, job_id: str, entries: int, size: int) -> None:
    """Logs of the three steps: every tenth line is in the table too."""
    for number, step in enumerate(STEPS):
        log = StepLog(
            buckets.logs,
            journey_id=ID,
            stage_id=STAGE,
            job_id=job_id,
            step_id=step,
            store=store,
            resume_from=None,
        )
        for line in range(number, entries, len(STEPS)):
            level, at = "WARNING" if line % 10 == 0 else "INFO", START + timedelta(seconds=line)
            log.add(
                level,
                f"Processing table {line}",
                at,
                table=f"table_{line}",
                sample="x" * (size - 220),
            )
        log.close()


def _volume(buckets: Buckets, store: Store) -> dict[str, Any]:
    before = _peak_mb()
    seconds = {"write": _seconds(lambda: _logs(buckets, store, LARGE, ENTRIES, ENTRY_BYTES))}
    where = LogFilter.of(level="warning", text="table 9990")
    count = sum(1 for _ in get_job_logs(buckets.logs, ID, STAGE, LARGE))
    size = sum(
        file.size
        for file in buckets.logs.list(f"journeys/{ID}/stages/{STAGE}/executions/{LARGE}/").objects
    )
    seconds["read"] = _best(lambda: sum(1 for _ in get_job_logs(buckets.logs, ID, STAGE, LARGE)))
    seconds["search"] = _best(lambda: search_logs(buckets.logs, store, ID, STAGE, LARGE, where))
    return {
        "seconds": seconds,
        "entries": count,
        "log_mb": size / 1e6,
        "memory_mb": _peak_mb() - before,
    }


def _latencies(buckets: Buckets, store: Store) -> dict[str, float]:
    def page() -> object:
        return search_logs(buckets.logs, store, ID, STAGE, LARGE)

    calls: dict[str, Callable[[], object]] = {
        "journey metadata": lambda: store.get(Journey.key(journey_id=ID)),
        "stages of a journey": lambda: store.query(Stage.of_journey(journey_id=ID)),
        "status of a job": lambda: store.first(Job.by_id(job_id=ORDINARY)),
        f"list of {JOURNEYS} journeys": lambda: store.query(Journey.all()),
        f"dashboard of {JOBS} jobs": lambda: store.query(
            StageJob.of_stage(journey_id=ID, stage_id=STAGE)
        ),
        "logs of a job by index, 100": lambda: store.page(Log.of_job(job_id=LARGE), size=100),
        "recent logs, 100": lambda: recent(store, LARGE),
        "full logs of a job, 145 lines": lambda: list(
            get_job_logs(buckets.logs, ID, STAGE, ORDINARY)
        ),
        "first page of 50 MB of logs": page,
    }
    return {name: _median_ms(call) for name, call in calls.items()}


def _reports(buckets: Buckets, store: Store) -> dict[str, float]:
    job = store.first(Job.by_id(job_id=ORDINARY))
    large = store.first(Job.by_id(job_id=LARGE))
    assert job is not None
    assert large is not None
    about: dict[str, Any] = {"title": "Report", "summary": "45 tables", "items": 45, "tables": 45}
    for step in job.steps:
        tables = [{"table": f"table_{number}", "fields": 10} for number in range(1000)]
        write_step_report(
            buckets.reports, store, job=job, step=step, results={"tables": tables}, **about
        )
    rows = [{"row": number, "text": "x" * 1000} for number in range(REPORT_BYTES // 1024)]
    entry = write_step_report(
        buckets.reports, store, job=large, step=large.steps[0], results={"rows": rows}, **about
    )
    return {
        "all reports of a job, 3": _median_ms(
            lambda: list(get_job_reports(buckets.reports, store, ID, ORDINARY, STAGE))
        ),
        "report of 10 MB": _median_ms(lambda: read_report(buckets.reports, entry), LARGE_ROUNDS),
    }


def _median_ms(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    call()
    return 1000 * median(_seconds(call) for _ in range(rounds))


def _best(call: Callable[[], object]) -> float:
    return min(_seconds(call) for _ in range(LARGE_ROUNDS))


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )


def markdown(result: dict[str, Any] | None = None) -> str:
    """The section of a report."""
    result = result or _measured_apart()
    seconds, megabytes, day = result["seconds"], result["log_mb"], Volume()
    writing = day.jobs_a_day * seconds["write"] * (day.log_megabytes / megabytes)
    lines = [
        "## AI Job Engine",
        "",
        "What its document claims for AWS, and the same on one machine: a folder for the table, "
        "folders for the",
        f"buckets. Median of {ROUNDS} calls, in the process.",
        "",
        "| | document, ms | measured, ms | |",
        "|" + "---|" * 4,
        *(
            f"| {name} | {CLAIMS[name][0]} | {ms:.1f} | {met(ms <= CLAIMS[name][1])} |"
            for name, ms in _rows(result)
        ),
        "",
        f"One job of {result['entries']:,} log entries, {megabytes:.0f} MB in three files, "
        f"{result['entries'] // 10:,}",
        f"of them in the table: written in {seconds['write']:.1f} s "
        f"({megabytes / seconds['write']:.0f} MB/s), read in",
        f"{seconds['read']:.2f} s, searched to the end in {seconds['search']:.2f} s, with "
        f"{result['memory_mb']:.0f} MB",
        f"more memory (at most {MEMORY_MB_MAX}: {met(result['memory_mb'] <= MEMORY_MB_MAX)}). The "
        "logs of",
        f"{day.jobs_a_day} such jobs, a day's, take {writing / 60:.1f} minutes to write.",
        "",
        "What a month of such days costs, by the document's prices a GB:",
        "",
        "```text",
        estimate().text().rstrip(),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _rows(result: dict[str, Any]) -> Iterable[tuple[str, float]]:
    return ((name, result["ms"][name]) for name in CLAIMS)


def _measured_apart() -> dict[str, Any]:
    """In a process of its own: peak memory never falls."""
    command = [sys.executable, "-m", "bench.jobengine", "--one"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", action="store_true", help="measure in this process and print JSON")
    print(json.dumps(measure()) if parser.parse_args().one else markdown())


if __name__ == "__main__":
    main()
