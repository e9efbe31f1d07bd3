"""The log of a step: one file of literal form, nothing lost, nothing doubled, one writer; items for
quick queries.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey import Objects, Store, open_objects
from sortkey.errors import LeaseLost, ModelError, ObjectCorrupt
from sortkey.values.sizes import text_size, value_size
from sortkey_systems.jobengine.buckets import LOGS, Buckets
from sortkey_systems.jobengine.logs import step_log
from sortkey_systems.jobengine.logs.search import recent
from sortkey_systems.jobengine.logs.step_log import archive_logs
from sortkey_systems.jobengine.model import Log
from sortkey_systems.jobengine.parts import LogCounts
from tests.systems.jobengine.examples import LOG_FILE, parsed
from tests.systems.jobengine.log_lines import (
    ID,
    JOB,
    START,
    file_of,
    key_of,
    keys,
    messages,
    opened,
    read,
    written,
)
from tests.systems.jobengine.service_fixtures import at_home, buckets

__all__ = ["at_home", "buckets"]

FILE = key_of("schema_extraction")


@pytest.fixture
def folder(tmp_path: Path) -> Objects:
    """A bucket, for what is the same in every bucket."""
    return open_objects(tmp_path / "logs")


@pytest.mark.accepts("JE-45", "JE-46", "JE-49")
def test_JE_45_a_step_leaves_one_array_under_the_literal_key(buckets: Buckets) -> None:
    # Others read these files too: the place, the form and the names are the document's.
    log = opened(buckets.logs)
    for line in parsed(LOG_FILE):
        log.add(
            line["level"],
            line["message"],
            datetime.fromisoformat(line["timestamp"]),
            **line["details"],
        )
    assert FILE not in keys(buckets.logs)  # collected in memory; uploaded after the step
    assert log.close() == f"s3://{buckets.logs.name}/{FILE}"
    assert buckets.logs.name.endswith(LOGS)
    assert file_of(buckets.logs) == parsed(LOG_FILE)
    assert keys(buckets.logs) == [FILE]
    assert buckets.logs.head(FILE).content_type == "application/json"


@pytest.mark.accepts("JE-48")
def test_JE_48_a_level_is_written_in_upper_case_in_the_file_and_in_lower_case_in_the_table(
    buckets: Buckets, at_home: Store
) -> None:
    # Two forms, and people write both.
    log = opened(buckets.logs, store=at_home, index_levels=("Warning",))
    log.add("wArNiNg", "mixed")
    log.close()
    assert file_of(buckets.logs)[0]["level"] == "WARNING"
    assert recent(at_home, JOB)[0].level == "warning"
    with pytest.raises(ModelError, match="loud"):
        log.add("loud", "?")


@pytest.mark.accepts("JE-50")
def test_JE_50_logs_are_read_of_one_step_or_of_all_in_the_order_in_which_they_ran(
    buckets: Buckets,
) -> None:
    # Scenario 2 calls it without a step; by name, data_profiling would come first.
    for minute, step in enumerate(["schema_extraction", "metadata_analysis", "data_profiling"]):
        written(buckets.logs, step, 3, at=START + timedelta(minutes=minute))
    assert [line.step_id for line in read(buckets.logs)] == [
        *["schema_extraction"] * 3,
        *["metadata_analysis"] * 3,
        *["data_profiling"] * 3,
    ]
    assert messages(buckets.logs, "metadata_analysis") == [
        f"line {n} of metadata_analysis" for n in range(3)
    ]
    assert read(buckets.logs, "no_such_step") == []
    assert read(buckets.logs, job_id="JOB-45") == []


def test_what_was_flushed_can_be_read_before_the_step_ends(buckets: Buckets) -> None:
    # One looks into the log of a job because it is still running.
    log = opened(buckets.logs)
    for number in range(3):
        log.add("INFO", f"line {number}")
        log.flush()
    log.add("INFO", "not yet")
    assert messages(buckets.logs) == ["line 0", "line 1", "line 2"]
    assert log.position == 3
    reading = iter(read_one_by_one(buckets))
    assert next(reading) == "line 0"
    log.close()
    assert list(reading) == ["line 1", "line 2", "not yet"]  # it has moved to the file in between


def read_one_by_one(buckets: Buckets) -> Any:
    return (line.message for line in step_log.get_job_logs(buckets.logs, ID, "raw_analysis", JOB))


@pytest.mark.accepts("JE-45", "JE-51")
def test_JE_51_a_step_that_is_taken_up_again_loses_no_line_and_doubles_none(
    buckets: Buckets,
) -> None:
    # The first attempt was flushed, checkpointed and flushed again; the second begins at the
    # checkpoint.
    first = opened(buckets.logs)
    for number in range(4):
        first.add("INFO", "the same words", number=number)
    first.flush()
    position = first.position
    first.add("INFO", "the same words", number=0)  # behind the checkpoint: said again, and kept
    first.add("WARNING", "took 5 s", seconds=5)
    first.flush()
    first.add("INFO", "never flushed")

    second = opened(buckets.logs, resume_from=position)
    second.add("INFO", "the same words", number=0)
    second.add("WARNING", "took 6 s", seconds=6)
    second.add("INFO", "never flushed")
    second.add("INFO", "the same words", number=0)  # once more than the first attempt: another line
    second.close()
    said = [(line["message"], *line["details"].values()) for line in file_of(buckets.logs)]
    assert said == [
        *[("the same words", number) for number in (0, 1, 2, 3, 0)],
        ("took 5 s", 5),
        ("took 6 s", 6),
        ("never flushed",),
        ("the same words", 0),
    ]
    assert second.counts == LogCounts(total_logs=9, info_count=7, warning_count=2)


def test_a_step_that_starts_again_logs_nothing_twice(buckets: Buckets) -> None:
    # Without a checkpoint the whole step runs again.
    for lines in (5, 6, 7):
        log = opened(buckets.logs)
        for number in range(lines):
            log.add("INFO", f"line {number}")
        log.flush() if lines < 7 else log.close()
    assert messages(buckets.logs) == [f"line {number}" for number in range(7)]


def test_a_closed_log_can_be_gone_on_with(buckets: Buckets) -> None:
    # A worker that was killed after the upload, and before it could say so.
    opened_and_closed = opened(buckets.logs)
    opened_and_closed.add("INFO", "first")
    assert opened_and_closed.close() == opened_and_closed.close()
    with pytest.raises(ModelError, match="closed"):
        opened_and_closed.add("INFO", "too late")
    again = opened(buckets.logs)
    again.add("INFO", "first")
    again.add("INFO", "second")
    again.close()
    other = opened(buckets.logs, resume_from=None)
    other.add("INFO", "first")
    other.close()
    assert messages(buckets.logs) == ["first", "second", "first"]
    assert [each for each in keys(buckets.logs) if each != FILE] == []


def test_an_empty_log_is_an_empty_array(buckets: Buckets) -> None:
    # A step that had nothing to say has a file nevertheless: it ran.
    opened(buckets.logs).close()
    assert file_of(buckets.logs) == []
    assert read(buckets.logs) == []


def test_a_worker_that_lost_its_step_cannot_write_any_more(buckets: Buckets) -> None:
    # It was silent for too long, another goes on, and now it wakes up.
    old = opened(buckets.logs)
    old.add("INFO", "by the first")
    old.flush()
    new = opened(buckets.logs)
    old.add("INFO", "too late")
    for late in (old.flush, old.close):
        with pytest.raises(LeaseLost):
            late()
    new.add("INFO", "by the second")
    new.close()
    with pytest.raises(LeaseLost):
        old.close()
    assert messages(buckets.logs) == ["by the first", "by the second"]


def test_a_worker_without_anything_to_say_cannot_close_over_another(buckets: Buckets) -> None:
    # Its file would lack what the other has said.
    old, new = opened(buckets.logs), opened(buckets.logs)
    new.add("INFO", "here")
    new.flush()
    with pytest.raises(LeaseLost):
        old.close()
    new.close()
    with pytest.raises(LeaseLost):
        old.close()
    assert messages(buckets.logs) == ["here"]


def test_many_parts_become_a_file_on_the_way(
    buckets: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A step that flushes ten thousand times would otherwise be ten thousand objects to read.
    monkeypatch.setattr(step_log, "FOLD_PARTS", 5)
    log = opened(buckets.logs)
    for number in range(23):
        log.add("INFO", f"line {number}")
        log.flush()
        assert messages(buckets.logs) == [f"line {each}" for each in range(number + 1)]
        assert len({key for key in keys(buckets.logs) if key != FILE}) <= 5
    log.close()
    assert [line["message"] for line in file_of(buckets.logs)] == [
        f"line {number}" for number in range(23)
    ]


def test_lines_are_kept_without_being_asked_when_they_are_many(
    buckets: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Memory must not grow with what a step says.
    monkeypatch.setattr(step_log, "FLUSH_BYTES", 2000)
    log = opened(buckets.logs)
    for number in range(50):
        log.add("INFO", f"line {number}", payload="x" * 100)
    assert log.position >= 40
    log.close()
    assert messages(buckets.logs) == [f"line {number}" for number in range(50)]


def test_a_part_that_is_gone_is_reported(buckets: Buckets) -> None:
    # A log with a hole must not look whole.
    log = opened(buckets.logs)
    for number in range(3):
        log.add("INFO", f"line {number}")
        log.flush()
    second = [
        version for version in buckets.logs.versions() if version.key.endswith("/00000003.jsonl")
    ]
    buckets.logs.delete(second[0].key, second[0].version_id)
    with pytest.raises(ObjectCorrupt, match="missing"):
        read(buckets.logs)


def nested(depth: int) -> Any:
    value: Any = "bottom"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"when": datetime(2025, 11, 1, tzinfo=UTC)}, {"when": "2025-11-01T00:00:00+00:00"}),
        (
            {"tables": ("a", "b"), "by_id": {7: "seven"}},
            {"tables": ["a", "b"], "by_id": {"7": "seven"}},
        ),
        ({"text": "caf\udce9"}, {"text": "caf?"}),
        ({"large": 2**70, "flag": True}, {"large": str(2**70), "flag": True}),
        ({"error": ValueError("no"), "share": float("nan")}, {"error": "no", "share": None}),
        ({"names": {"a\udc80"}, "deep": nested(300)}, {"names": ["a?"]}),
    ],
    ids=["instant", "tuple", "no-unicode", "large", "object", "deep"],
)
def test_a_log_takes_what_it_is_given(
    folder: Objects, given: dict[str, Any], kept: dict[str, Any]
) -> None:
    # A line that cannot be written would end the step that only wanted to say something.
    log = opened(folder)
    log.add("INFO", 'message\nof two "lines" \udcff', **given)
    log.close()
    (line,) = file_of(folder)
    assert {name: value for name, value in line["details"].items() if name != "deep"} == kept
    assert len(read(folder)) == 1


@pytest.mark.accepts("JE-47", "JE-68")
def test_JE_47_warnings_and_errors_become_small_items_as_well(
    buckets: Buckets, at_home: Store
) -> None:
    # For quick queries; the file has all of it, and its place stands in the item.
    log = opened(buckets.logs, store=at_home)
    log.add("INFO", "not in the table")
    log.add(
        "ERROR", "a " + "long " * 1000 + "story", START, tables_extracted=45, rows=["x" * 100] * 100
    )
    log.flush()
    (entry,) = recent(at_home, JOB)  # also while the step runs
    item = entry.to_item()
    assert item["SK"]["S"] == f"LOG#{JOB}#schema_extraction#2025-11-01T20:30:00.000000Z#LOG-000002"
    assert (item["GSI1PK"]["S"], item["GSI1SK"]["S"]) == (
        f"JOB#{JOB}",
        "2025-11-01T20:30:00.000000Z",
    )
    assert sum(text_size(name) + value_size(value) for name, value in item.items()) < 2048
    assert entry.s3_location == log.close()
    assert entry.details == {"tables_extracted": 45, "inFile": True}
    assert at_home.query(Log.of_job(job_id=JOB)) == [entry]


@pytest.mark.parametrize(
    ("details", "in_table"),
    [
        (
            {"share": 1e-300, "large": 1e200, "none": 0.0},
            {"share": "1e-300", "large": "1e+200", "none": 0.0},
        ),
        ({"counts": {"": 5}, "rows": 1}, {"counts": '{"":5}', "rows": 1}),
        ({"first": 1, "": 2}, {"first": 1, "inFile": True}),
        ({"deep": nested(50)}, {"deep": "[" * 50 + '"bottom"' + "]" * 50}),
    ],
    ids=["numbers", "names", "no-name", "deep"],
)
def test_what_no_item_can_hold_is_text_in_the_table(
    buckets: Buckets, at_home: Store, details: dict[str, Any], in_table: dict[str, Any]
) -> None:
    # A warning must not end the step because of a number in its details; the file has them as they
    # were.
    log = opened(buckets.logs, store=at_home)
    log.add("WARNING", "odd", **details)
    log.close()
    assert recent(at_home, JOB)[0].details == in_table
    assert file_of(buckets.logs)[0]["details"] == details


def test_JE_47_entries_that_a_crash_left_out_are_made_up_for(
    buckets: Buckets, at_home: Store
) -> None:
    # Killed between the part and its items; and what has an item does not get a second one.
    dying = opened(buckets.logs)
    dying.add("ERROR", "first", START)
    dying.flush()
    for _ in range(2):
        again = opened(buckets.logs, store=at_home)
        again.add("ERROR", "first")
        again.close()
    assert [(entry.message, entry.timestamp) for entry in recent(at_home, JOB)] == [
        ("first", START)
    ]


@pytest.mark.accepts("JE-63", "JE-36")
def test_JE_63_recent_logs_are_a_hundred_the_newest_first(buckets: Buckets, at_home: Store) -> None:
    # The job itself lies in the same partition of the index, and must not take the place of a log.
    written(buckets.logs, "schema_extraction", 1500, store=at_home)
    found = recent(at_home, JOB)
    assert len(found) == 100
    assert found[0].message == "line 1499 of schema_extraction"
    assert [entry.timestamp for entry in found] == sorted(
        (entry.timestamp for entry in found), reverse=True
    )


@pytest.mark.accepts("JE-51")
def test_JE_51_logs_may_move_to_the_archive_after_90_days_and_are_never_deleted(
    folder: Objects,
) -> None:
    # An option. The tier `archive` of a folder is Glacier on S3 (tests of the adapter show its
    # form).
    written(folder, "schema_extraction", 3)
    assert list(folder.lifecycle()) == []
    archive_logs(folder)
    days = {"archive_after_days": 90, "expire_after_days": None, "old_versions_after_days": None}
    (rule,) = folder.lifecycle()
    assert {name: getattr(rule, name) for name in days} == days
    assert folder.apply_lifecycle(datetime.now(UTC) + timedelta(days=89)).archived == []
    done = folder.apply_lifecycle(datetime.now(UTC) + timedelta(days=91))
    assert (done.archived, done.expired, done.removed_versions) == ([FILE], [], [])
    assert len(read(folder)) == 3


def test_a_log_without_a_store_has_no_items(folder: Objects) -> None:
    # The entries are optional.
    log = opened(folder)
    log.add("ERROR", "here")
    log.close()
    assert messages(folder) == ["here"]
