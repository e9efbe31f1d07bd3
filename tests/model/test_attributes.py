"""Fields in conditions and updates: what the service is sent, and what is refused before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from sortkey import (
    Action,
    CamelPart,
    Condition,
    Entity,
    Instant,
    KeepNull,
    KeyOnly,
    Part,
    Range,
    Table,
    attr,
    camel,
    key,
    not_,
)
from sortkey.errors import KeyValueError, ModelError
from sortkey.model.attributes import render_actions
from sortkey.model.expressions import Names

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Step(CamelPart):
    started_at: Instant | None = None
    exit_code: Annotated[int, Range(0, 255)] = 0


class Counts(Part):
    done: Annotated[int, Range(0, 10)] = 0


class Job(Entity, table=Table("Jobs", key=("PK",)), envelope="Data", names=camel):
    job_id: KeyOnly[str]
    status: Literal["pending", "running"] = "pending"
    progress: Annotated[int, Range(0, 100)] = 0
    ratio: Annotated[float, Field(ge=0, le=1)] = 0
    starts_with: int = 10
    started_at: Instant | None = None
    error: Annotated[str | None, KeepNull] = None
    note: str | None = None
    owner: str
    labels: set[str] = set()
    moments: set[Instant] = set()
    steps: list[Step] = []
    images: Annotated[list[str], Field(max_length=3)] = []
    counts: Counts = Counts()
    more: Counts | None = None
    anything: dict[str, Any] = {}

    @key("JOB#{jobId}")
    def key(*, job_id: str): ...


class Other(Entity, table=Table("Others", key=("PK",))):
    other_id: KeyOnly[str]
    title: str | None = None

    @key("{other_id}")
    def key(*, other_id: str): ...


def rendered(actions: Action | tuple[Action, ...]) -> str:
    names = Names()
    return names.readable(
        render_actions(actions if isinstance(actions, tuple) else (actions,), names)
    )


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Job.status == "running", "Data.status = 'running'"),
        (Job.status != "running", "Data.status <> 'running'"),
        (Job.progress < 5, "Data.progress < 5"),
        (Job.progress <= 5, "Data.progress <= 5"),
        (
            Job.progress > -1,
            "Data.progress > -1",
        ),  # outside of the field's limits, but a fair question
        (Job.progress >= 5, "Data.progress >= 5"),
        (Job.progress == attr(Job.starts_with), "Data.progress = Data.startsWith"),
        (attr(Job.progress).between(1, 5), "Data.progress BETWEEN 1 AND 5"),
        (attr(Job.status).isin("pending", "running"), "Data.status IN ('pending', 'running')"),
        (attr(Job.note).exists(), "attribute_exists(Data.note)"),
        (attr(Job.note).missing(), "attribute_not_exists(Data.note)"),
        (attr(Job.owner).begins_with("a"), "begins_with(Data.owner, 'a')"),
        (attr(Job.owner).contains("b"), "contains(Data.owner, 'b')"),
        (attr(Job.labels).contains("b"), "contains(Data.labels, 'b')"),
        (attr(Job.moments).contains(NOON), "contains(Data.moments, '2026-01-01T12:00:00.000000Z')"),
        (attr(Job.owner).has_type("S"), "attribute_type(Data.owner, 'S')"),
        (attr(Job.steps).size() >= 2, "size(Data.steps) >= 2"),
        (Job.started_at < NOON, "Data.startedAt < '2026-01-01T12:00:00.000000Z'"),  # type: ignore[operator]
        (attr(Job.error) == None, "Data.error = True"),  # noqa: E711  NULL, which this field keeps
        (
            attr(Job.steps)[0].started_at < NOON,
            "Data.steps[0].startedAt < '2026-01-01T12:00:00.000000Z'",
        ),
        (attr(Job.counts).done > 3, "Data.counts.done > 3"),
        (attr(Job.more).done > 3, "Data.more.done > 3"),
        (attr(Job.anything)["a.b"][2] == {"x": 1}, "Data.anything.a.b[2] = {'x': {'N': '1'}}"),
        (
            (Job.progress > 1) & (Job.status == "running"),
            "(Data.progress > 1) AND (Data.status = 'running')",
        ),
        (
            (Job.progress > 1) | ~attr(Job.note).exists(),
            "(Data.progress > 1) OR (NOT (attribute_exists(Data.note)))",
        ),
        (not_(Job.progress > 1), "NOT (Data.progress > 1)"),
    ],
)
def test_a_condition_says_what_was_written(condition: Condition, text: str) -> None:
    # Python's operators on the left, DynamoDB's words on the right; instants as the item holds
    # them.
    assert repr(condition) == text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (attr(Job.status).set("running"), "SET Data.status = 'running'"),
        (attr(Job.note).set(None), "REMOVE Data.note"),
        (attr(Job.error).set(None), "SET Data.error = True"),
        (attr(Job.started_at).set(NOON), "SET Data.startedAt = '2026-01-01T12:00:00.000000Z'"),
        (attr(Job.progress).set(attr(Job.starts_with)), "SET Data.progress = Data.startsWith"),
        (attr(Job.note).set_if_missing("x"), "SET Data.note = if_not_exists(Data.note, 'x')"),
        (attr(Job.note).remove(), "REMOVE Data.note"),
        (attr(Job.images).remove(), "SET Data.images = []"),
        (attr(Job.error).remove(), "SET Data.error = True"),
        (attr(Job.progress).add(2), "SET Data.progress = if_not_exists(Data.progress, 0) + 2"),
        (
            attr(Job.starts_with).add(2),
            "SET Data.startsWith = if_not_exists(Data.startsWith, 10) + 2",
        ),
        (attr(Job.progress).subtract(2), "SET Data.progress = if_not_exists(Data.progress, 0) - 2"),
        (attr(Job.labels).add({"b", "a"}), "ADD Data.labels ['a', 'b']"),
        (attr(Job.labels).discard("a"), "DELETE Data.labels ['a']"),
        (attr(Job.moments).add({NOON}), "ADD Data.moments ['2026-01-01T12:00:00.000000Z']"),
        (
            attr(Job.steps).append(Step(started_at=NOON)),
            "SET Data.steps = list_append(if_not_exists(Data.steps, []), "
            "[{'M': {'startedAt': {'S': '2026-01-01T12:00:00.000000Z'}, 'exitCode': {'N': '0'}}}])",
        ),
        (
            attr(Job.images).prepend("a", "b"),
            "SET Data.images = list_append([{'S': 'a'}, {'S': 'b'}], if_not_exists(Data.images, "
            "[]))",
        ),
        (
            attr(Job.steps)[1].started_at.set(NOON),
            "SET Data.steps[1].startedAt = '2026-01-01T12:00:00.000000Z'",
        ),
        (
            attr(Job.steps)[1]["startedAt"].set(NOON),
            "SET Data.steps[1].startedAt = '2026-01-01T12:00:00.000000Z'",
        ),
        (attr(Job.steps)[1].remove(), "REMOVE Data.steps[1]"),
        (attr(Job.steps)[1].started_at.set(None), "REMOVE Data.steps[1].startedAt"),
        (attr(Job.anything)["x"].set(None), "SET Data.anything.x = True"),
        (
            (attr(Job.progress).add(1), attr(Job.labels).add({"x"}), attr(Job.note).remove()),
            "SET Data.progress = if_not_exists(Data.progress, 0) + 1 ADD Data.labels ['x'] REMOVE "
            "Data.note",
        ),
    ],
)
def test_an_action_says_what_was_written(action: Action | tuple[Action, ...], text: str) -> None:
    # What an entity without the attribute would have is what a missing attribute counts as.
    assert rendered(action) == text


@pytest.mark.parametrize(
    ("action", "within"),
    [
        (attr(Job.progress).add(2), "attribute_not_exists(Data.progress) OR Data.progress <= 98"),
        (
            attr(Job.progress).subtract(2),
            "attribute_not_exists(Data.progress) OR Data.progress >= 2",
        ),
        (attr(Job.progress).add(-2), "attribute_not_exists(Data.progress) OR Data.progress >= 2"),
        (
            attr(Job.counts).done.add(1),
            "attribute_not_exists(Data.counts.done) OR Data.counts.done <= 9",
        ),
        (
            attr(Job.images).append("a", "b"),
            "attribute_not_exists(Data.images) OR size(Data.images) <= 1",
        ),
        (attr(Job.starts_with).add(1), "None"),
        (attr(Job.steps).append(Step()), "None"),
    ],
)
def test_a_field_cannot_be_moved_out_of_its_limits(action: Action, within: str) -> None:
    # An item with 101 % of progress could not be read again, by anybody.
    assert repr(action.within) == within


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Job.progress == "many", "progress cannot be 'many'"),
        (lambda: attr(Job.status).set("paused"), "status cannot be 'paused'"),  # type: ignore[arg-type]
        (lambda: attr(Job.progress).set(101), "less than or equal to 100"),
        (lambda: attr(Job.owner).set(None), "owner cannot be None"),  # type: ignore[arg-type]
        (lambda: attr(Job.started_at).set(datetime(2026, 1, 1)), "has no time zone"),
        (lambda: Job.started_at < datetime(2026, 1, 1), "has no time zone"),  # type: ignore[operator]
        (lambda: attr(Job.steps)[0].exit_code.set(256), "less than or equal to 255"),
        (lambda: attr(Job.steps).append("x"), "an element of Job.Data.steps cannot be 'x'"),
        (lambda: attr(Job.labels).add({5}), "an element of Job.Data.labels cannot be 5"),
    ],
)
def test_a_value_that_a_field_cannot_have_is_refused_where_it_is_written(
    call: Any, message: str
) -> None:
    # Not when the request is sent: the line with the mistake is the one in the traceback.
    with pytest.raises(KeyValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Job.note == None, r"never stored as None: test with .missing\(\)"),  # noqa: E711
        (lambda: bool(Job.status == "running"), "combine with & and"),
        (lambda: attr("status"), "attr.. takes a field of an entity class"),
        (lambda: not_(False), "False is not a condition"),
        (lambda: (Job.progress > 1) & True, "True is not a condition"),  # type: ignore[operator]
        (lambda: attr(Job.status).isin(), "isin takes 1 to 100 values, not 0"),
        (lambda: attr(Job.progress).isin(*range(101)), "isin takes 1 to 100 values, not 101"),
        (lambda: attr(Job.owner).remove(), "Job.Data.owner is required"),
        (lambda: attr(Job.progress).add("5"), "'5' cannot be added"),
        (lambda: attr(Job.progress).subtract("5"), "'5' cannot be added"),
        (lambda: attr(Job.labels).subtract({"a"}), "cannot be added"),
        (lambda: attr(Job.note).set(attr(Other.title)), "Other.title is not a field of Job"),
        (lambda: attr(Job.note).set(attr(Job.job_id)), "Job.jobId exists only in keys"),
        (lambda: attr(Job.labels).discard(), "an empty set cannot be stored"),
    ],
)
def test_what_cannot_be_meant_is_refused(call: Any, message: str) -> None:
    # Each of these is a slip that would send something else than what was thought.
    with pytest.raises(ModelError, match=message):
        call()


def test_a_name_that_a_part_does_not_have_is_an_attribute_error() -> None:
    # As everywhere in Python.
    with pytest.raises(AttributeError, match="has no 'nothing'"):
        attr(Job.counts).nothing  # type: ignore[attr-defined]  # noqa: B018


def test_values_are_taken_when_they_are_written_down() -> None:
    # A list that changes later must not change an operation that waits to be sent.
    elements = ["a"]
    action = attr(Job.images).set(elements)
    elements.append("b")
    assert rendered(action) == "SET Data.images = [{'S': 'a'}]"
