"""Search in full logs: by level, step, time, text and details, page by page, also while the job
runs.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortkey
from sortkey import Objects, Store, open_objects
from sortkey.errors import BadCursor, ModelError
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.logs import search as log_search
from sortkey_systems.jobengine.logs.search import LogFilter, LogPage, search_logs
from tests.systems.jobengine.log_lines import ID, JOB, STAGE, START, messages, opened, written
from tests.systems.jobengine.service_fixtures import at_home, buckets

__all__ = ["at_home", "buckets"]

STEPS = ("schema_extraction", "metadata_analysis")


def page(bucket: Objects, store: Store, where: LogFilter | None = None, **how: Any) -> LogPage:
    return search_logs(bucket, store, ID, STAGE, JOB, where, **how)


def found(
    bucket: Objects, store: Store, *, step: str | None = None, size: int = 7, **where: Any
) -> list[str]:
    """The messages of all pages."""
    all_found, cursor = list[str](), None
    while True:
        each = page(bucket, store, LogFilter.of(**where), step=step, cursor=cursor, limit=size)
        assert len(each.items) == size or each.cursor is None
        all_found += [line.message for line in each.items]
        if (cursor := each.cursor) is None:
            return all_found


@pytest.fixture
def two_steps(buckets: Buckets) -> Objects:
    for number, step in enumerate(STEPS):
        written(buckets.logs, step, 200, at=START + timedelta(hours=number))
    return buckets.logs


@pytest.mark.accepts("JE-48", "JE-52")
def test_JE_52_a_log_is_searched_by_level_step_time_text_and_details(
    two_steps: Objects, at_home: Store
) -> None:
    # What a person asks who looks for the cause of a failure.
    everything = messages(two_steps)
    assert found(two_steps, at_home, size=100) == everything
    assert found(two_steps, at_home, level="eRRoR") == [
        f"line {number} of {step}" for step in STEPS for number in (99, 199)
    ]
    assert len(found(two_steps, at_home, level=["warning", "ERROR"], size=50)) == 40
    assert found(two_steps, at_home, step="metadata_analysis", size=100) == everything[200:]
    since, until = START + timedelta(seconds=10), START + timedelta(seconds=13)
    assert found(two_steps, at_home, since=since, until=until) == everything[10:13]
    assert found(two_steps, at_home, text="LINE 17 of m") == ["line 17 of metadata_analysis"]
    assert found(two_steps, at_home, details={"number": 5}) == [
        f"line 5 of {step}" for step in STEPS
    ]
    assert found(two_steps, at_home, details={"number": "5", "table": "t1"}) == []
    both = found(
        two_steps,
        at_home,
        level="warning",
        step="schema_extraction",
        details={"table": "t2"},
        text="9",
    )
    assert both == [f"line {number} of schema_extraction" for number in (29, 59, 89, 119, 149, 179)]


@pytest.mark.parametrize(
    ("where", "matches"),
    [
        ({"text": "ÉTÉ"}, True),
        ({"text": "deep inside"}, True),
        ({"text": "42"}, True),
        ({"text": "rows"}, False),  # a name, no value
        ({"details": {"stats.rows": 42}}, True),
        ({"details": {"stats.rows": "42"}}, True),
        ({"details": {"stats.ok": "true"}}, True),
        ({"details": {"stats": "deep"}}, False),
        ({"details": {"stats.rows.more": 42}}, False),
        ({"details": {"a.b": "dotted"}}, True),
        ({"details": {"nothing": None}}, False),
        ({"since": START}, True),
        ({"until": START}, False),
    ],
)
def test_JE_52_details_are_found_however_deep(where: dict[str, Any], matches: bool) -> None:
    # What comes from a URL is a text; what was logged may be anything.
    details = {
        "stats": {"rows": 42, "ok": True, "notes": ["deep inside"]},
        "a.b": "dotted",
        "nothing": None,
    }
    line = {
        "level": "INFO",
        "message": "un été",
        "timestamp": "2025-11-01T20:30:00Z",
        "details": details,
    }
    assert LogFilter.of(**where).matches(line) is matches


@given(st.integers(1, 40), st.integers(0, 60), st.sampled_from([None, "warning", "info"]))
def test_pages_have_every_line_once(size: int, lines: int, level: str | None) -> None:
    # Whatever the size of a page, and wherever it ends.
    bucket, store = _world()
    job = f"JOB-{lines}"
    if lines and not bucket.list(f"journeys/{ID}/stages/{STAGE}/executions/{job}/").objects:
        log = opened(bucket, job_id=job)
        for number in range(lines):
            log.add("WARNING" if number % 4 == 0 else "INFO", f"line {number}")
        log.close()
    expected = [
        f"line {n}" for n in range(lines) if level in (None, "warning" if n % 4 == 0 else "info")
    ]
    cursor, seen, pages = None, list[str](), 0
    while True:
        each = search_logs(
            bucket, store, ID, STAGE, job, LogFilter.of(level=level), cursor=cursor, limit=size
        )
        seen, cursor, pages = seen + [line.message for line in each.items], each.cursor, pages + 1
        if cursor is None:
            break
        assert len(each.items) == size
    assert seen == expected
    assert pages == max(1, -(-len(expected) // size))


_WORLD: list[Any] = []


def _world() -> tuple[Objects, Store]:
    """One bucket for all examples: making one takes longer than an example."""
    return _WORLD[0], _WORLD[1]


@pytest.fixture(autouse=True, scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    bucket = open_objects(tmp_path_factory.mktemp("world") / "logs")
    with sortkey.open(":memory:") as store:
        _WORLD[:] = [bucket, store]
        yield
    bucket.close()


def test_the_next_page_does_not_read_what_is_before_it(
    two_steps: Objects, at_home: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last page of a long log should cost no more than the first.
    first = page(two_steps, at_home, limit=300)
    starts = list[int]()
    read = type(two_steps).open

    def watched(self: Any, key: str, *, start: int = 0, **how: Any) -> Any:
        starts.append(start)
        return read(self, key, start=start, **how)

    monkeypatch.setattr(type(two_steps), "open", watched)
    rest = page(two_steps, at_home, cursor=first.cursor, limit=300)
    assert len(rest.items) == 100
    assert max(starts) > 10_000


def test_a_cursor_survives_the_end_of_the_step(buckets: Buckets, at_home: Store) -> None:
    # The lines move from parts to the file between two pages, and to another version of it after a
    # crash.
    log = opened(buckets.logs)
    for number in range(5):
        log.add("INFO", f"line {number}")
        log.flush()
    first = page(buckets.logs, at_home, limit=2)
    log.close()
    second = page(buckets.logs, at_home, cursor=first.cursor, limit=2)
    again = opened(buckets.logs, resume_from=None)
    again.add("INFO", "line 5")
    again.close()
    third = page(buckets.logs, at_home, cursor=second.cursor, limit=9)
    assert [line.message for each in (first, second, third) for line in each.items] == [
        f"line {n}" for n in range(6)
    ]
    assert third.cursor is None


def test_a_running_job_is_followed(buckets: Buckets, at_home: Store) -> None:
    # As `tail -f`: a cursor at the end too, also over into the next step.
    log, seen, cursor = opened(buckets.logs), list[str](), None
    for number in range(3):
        log.add("INFO", f"line {number}", START + timedelta(seconds=number))
        log.flush()
        each = page(buckets.logs, at_home, cursor=cursor, follow=True)
        seen, cursor = seen + [line.message for line in each.items], each.cursor
    assert page(buckets.logs, at_home, cursor=cursor, follow=True).items == []
    log.close()
    written(buckets.logs, "metadata_analysis", 2, at=START + timedelta(minutes=1))
    seen += [line.message for line in page(buckets.logs, at_home, cursor=cursor, follow=True).items]
    assert seen == [
        "line 0",
        "line 1",
        "line 2",
        "line 0 of metadata_analysis",
        "line 1 of metadata_analysis",
    ]


def test_a_search_that_finds_nothing_for_long_says_where_it_is(
    two_steps: Objects, at_home: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One request reads so much and no more; the next goes on.
    monkeypatch.setattr(log_search, "LINES_READ_MAX", 150)
    where = LogFilter.of(text="line 199 of metadata")
    cursor, pages = None, list[int]()
    while True:
        each = page(two_steps, at_home, where, cursor=cursor)
        pages.append(len(each.items))
        if (cursor := each.cursor) is None:
            break
    assert pages == [0, 0, 1]


def test_a_cursor_of_another_search_is_refused(two_steps: Objects, at_home: Store) -> None:
    # It would leave out lines that nobody knows of.
    cursor = page(two_steps, at_home, LogFilter.of(level="info"), limit=1).cursor
    for where, how in [
        (LogFilter.of(level="error"), {}),
        (LogFilter.of(level="info"), {"step": "schema_extraction"}),
    ]:
        with pytest.raises(BadCursor):
            page(two_steps, at_home, where, cursor=cursor, **how)
    with pytest.raises(BadCursor):
        page(two_steps, at_home, cursor="made up")


@pytest.mark.parametrize(
    "wrong", [{"level": "loud"}, {"since": datetime(2025, 11, 1)}, {"until": datetime(2025, 11, 1)}]
)
def test_a_search_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    # An instant without a zone may be any clock's.
    with pytest.raises(ModelError):
        LogFilter.of(**wrong)


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_page_has_a_size(tmp_path: Path, at_home: Store, limit: int) -> None:
    # Of a million lines it would be no page.
    with pytest.raises(ModelError, match="1000"):
        page(open_objects(tmp_path / "logs"), at_home, limit=limit)
