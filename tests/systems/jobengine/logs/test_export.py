"""Logs to take away: JSON, CSV and text, as a stream; and what they say in short: errors by kind,
the timeline.
"""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey import Objects, Put, Store, open_objects
from sortkey.errors import ModelError, NotFound
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.logs import summary as log_summary
from sortkey_systems.jobengine.logs.export import CONTENT_TYPES, FORMATS, export_logs
from sortkey_systems.jobengine.logs.search import LogFilter
from sortkey_systems.jobengine.logs.summary import error_summary, job_timeline, shape_of
from sortkey_systems.jobengine.model import Job as JobItem
from sortkey_systems.jobengine.model import StageJob
from sortkey_systems.jobengine.parts import LogCounts
from tests.systems.jobengine import examples
from tests.systems.jobengine.log_lines import ID, JOB, STAGE, START, file_of, opened, written
from tests.systems.jobengine.service_fixtures import at_home, buckets

__all__ = ["at_home", "buckets"]


@pytest.fixture
def folder(tmp_path: Path) -> Objects:
    return open_objects(tmp_path / "logs")


def exported(bucket: Objects, format: Any, where: LogFilter | None = None, **how: Any) -> str:
    return b"".join(export_logs(bucket, ID, STAGE, JOB, format, where, **how)).decode()


def test_an_export_as_json_is_one_array_of_all_steps(buckets: Buckets) -> None:
    # The same lines as the files have, and any program can read it.
    written(buckets.logs, "schema_extraction", 700)
    written(buckets.logs, "data_profiling", 3, at=START + timedelta(hours=1))
    both = file_of(buckets.logs, "schema_extraction") + file_of(buckets.logs, "data_profiling")
    assert json.loads(exported(buckets.logs, "json")) == both
    assert json.loads(exported(buckets.logs, "json", step="data_profiling")) == both[700:]
    wanted = json.loads(exported(buckets.logs, "json", LogFilter.of(level="error")))
    assert [line["details"]["number"] for line in wanted] == [99, 199, 299, 399, 499, 599, 699]


def test_an_export_as_csv_comes_back_from_any_reader(folder: Objects) -> None:
    # Commas, quotes and several lines in a message are what breaks the others.
    log = opened(folder)
    for number in range(1200):
        log.add("INFO", f'he said "{number}",\nthen left', START, number=number)
    log.close()
    rows = list(csv.DictReader(io.StringIO(exported(folder, "csv"), newline="")))
    assert len(rows) == 1200
    assert rows[7]["message"] == 'he said "7",\nthen left'
    assert json.loads(rows[7]["details"]) == {"number": 7}
    assert (rows[7]["level"], rows[7]["timestamp"], rows[7]["jobId"]) == (
        "INFO",
        "2025-11-01T20:30:00.000000Z",
        JOB,
    )


@pytest.mark.parametrize("message", ["=HYPERLINK()", "+1", "-1", "@SUM(A1)", "\tx"])
def test_no_cell_of_a_csv_is_a_formula(folder: Objects, message: str) -> None:
    # A message may quote the data of strangers, and a spreadsheet would run it.
    log = opened(folder)
    log.add("INFO", message)
    log.close()
    (row,) = csv.DictReader(io.StringIO(exported(folder, "csv"), newline=""))
    assert row["message"] == f"'{message}"


def test_an_export_as_text_has_one_line_for_each(folder: Objects) -> None:
    # A message of several lines could pass for a line that nobody wrote.
    log = opened(folder)
    log.add("WARNING", "forged\n2025-11-01T20:30:00.000000Z ERROR   nobody: said this", START)
    log.add("INFO", "with details", START, rows=5)
    log.close()
    assert exported(folder, "txt").splitlines() == [
        "2025-11-01T20:30:00.000000Z WARNING schema_extraction: "
        "forged\\n2025-11-01T20:30:00.000000Z ERROR   nobody: said this",
        '2025-11-01T20:30:00.000000Z INFO    schema_extraction: with details {"rows":5}',
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_a_job_without_a_log_has_an_empty_export(folder: Objects, format: Any) -> None:
    # Valid in its format, so that a program which reads it need not know.
    assert (
        exported(folder, format)
        == {"json": "[]\n", "csv": ",".join(_COLUMNS) + "\r\n", "txt": ""}[format]
    )
    assert format in CONTENT_TYPES


_COLUMNS = ("timestamp", "level", "step_id", "message", "jobId", "details")


def test_another_format_is_refused_with_those_that_there_are(folder: Objects) -> None:
    # At once, and not when the first chunk is asked for.
    with pytest.raises(ModelError, match="json, csv, txt"):
        export_logs(folder, ID, STAGE, JOB, "pdf")  # pyright: ignore[reportArgumentType]


# -- in short


def test_errors_that_are_alike_are_one_kind(buckets: Buckets) -> None:
    # A thousand times the same is one thing to fix.
    log = opened(buckets.logs)
    for number in range(30):
        log.add(
            "ERROR",
            f"row {number} of 'orders' has no customer",
            START + timedelta(seconds=number),
            row=number,
        )
    log.add("ERROR", "the source is gone", START + timedelta(minutes=1))
    log.add("WARNING", "orders is empty", START)
    log.add("DEBUG", "chatter", START)
    log.close()
    summary = error_summary(buckets.logs, ID, STAGE, JOB)
    assert summary.counts == LogCounts(
        total_logs=33, error_count=31, warning_count=1, debug_count=1
    )
    first, second = summary.errors()
    assert (first.count, first.example, first.details) == (
        30,
        "row 0 of 'orders' has no customer",
        {"row": 0},
    )
    assert (first.first, first.last) == (START, START + timedelta(seconds=29))
    assert (second.count, second.example, second.main_step) == (
        1,
        "the source is gone",
        "schema_extraction",
    )
    assert [group.example for group in summary.errors("warning")] == ["orders is empty"]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("row 17 of 'orders'", "row 4 of 'items'", True),
        ("took 1.5 s", "took 12 s", True),
        ("job 3f2a9c1e-77aa failed", "job 00ff9c1e-1234 failed", True),
        ("orders has no key", "items has no key", False),
    ],
)
def test_messages_are_alike_without_numbers_ids_and_quoted_names(
    one: str, other: str, alike: bool
) -> None:
    # Tables that are not quoted stay: which one it was is what one wants to know.
    assert (shape_of(one) == shape_of(other)) is alike


def test_a_summary_does_not_grow_with_the_log(
    folder: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten thousand different errors must not be ten thousand kinds in memory.
    monkeypatch.setattr(log_summary, "GROUPS_MAX", 3)
    log = opened(folder)
    for letter in "abcdefgh":
        log.add("ERROR", f"error {letter}")
    log.close()
    summary = error_summary(folder, ID, STAGE, JOB)
    assert len(summary.errors()) == 3
    assert summary.ungrouped["ERROR"] == 5
    assert summary.counts.error_count == 8


def test_a_timeline_tells_a_job_from_its_creation_to_its_end(
    buckets: Buckets, at_home: Store
) -> None:
    # Steps, and what went wrong in them, in the order of time.
    job = JobItem.from_item(examples.stored(examples.JOB))
    at_home.transact(Put(job), Put(StageJob.of(job)))
    log = opened(buckets.logs, "metadata_analysis")
    log.add("ERROR", "no foreign keys", START + timedelta(seconds=60))
    log.add("INFO", "not of interest", START + timedelta(seconds=61))
    log.close()
    moments = [
        (moment.kind, moment.text) for moment in job_timeline(buckets.logs, at_home, ID, JOB)
    ]
    assert moments == [
        ("job", "created by user"),
        ("job", "execution 1 of raw_analysis starts"),
        ("step", "schema_extraction starts"),
        ("step", "schema_extraction completed after 45.0 s"),
        ("step", "metadata_analysis starts"),
        ("error", "no foreign keys"),
        ("step", "metadata_analysis completed after 65.5 s"),
        ("step", "data_profiling starts"),
        ("step", "data_profiling completed after 15.0 s"),
        ("job", "completed"),
    ]
    with pytest.raises(NotFound, match="JOB-4"):
        job_timeline(buckets.logs, at_home, ID, "JOB-4")


def test_a_timeline_stays_short(
    folder: Objects, at_home: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first mishaps, and how many more there were.
    monkeypatch.setattr(log_summary, "MOMENTS_MAX", 2)
    at_home.put(JobItem.from_item(examples.stored(examples.JOB)))
    written(folder, "schema_extraction", 100)
    moments = [moment.text for moment in job_timeline(folder, at_home, ID, JOB)]
    assert "7 more warnings in the log" in moments
    assert "1 more error in the log" in moments
