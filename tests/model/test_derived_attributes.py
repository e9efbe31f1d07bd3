"""Any update through the model leaves the item, with its index keys, that a put of the result
would: nothing drifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import computed_field

import sortkey
from sortkey import (
    GSI,
    LSI,
    Action,
    Attr,
    Created,
    Entity,
    EpochSeconds,
    Follows,
    Instant,
    KeepNull,
    KeyOnly,
    Part,
    Range,
    Store,
    Table,
    Updated,
    Version,
    attr,
    camel,
    index,
    key,
)
from sortkey.errors import ModelError
from sortkey.values.attributes import Item, read_item

table = Table(
    "Tasks",
    key=("PK", "SK"),
    indexes=[
        GSI("ByStatus", "GSI1PK", "GSI1SK"),
        GSI("ByDue", "owner", "GSI2SK"),
        GSI("ByShown", "shown", "expiresAt"),
        GSI("Spread", "GSI3PK", "GSI3SK"),
        LSI("ByChange", "LSK"),
    ],
    types={"expiresAt": "N"},
)
Status = Literal["open", "doing", "done"]
SHOWN = {"open": "WAITING", "doing": "WAITING", "done": "DONE"}


class Size(Part):
    hours: int = 0
    note: str | None = None


class Fields(Entity, table=table, names=camel):
    """What both kinds of task have: fields of every sort, in keys of every sort."""

    team: KeyOnly[str]
    task_id: str
    status: Status = "open"
    shown: Annotated[str, Follows("status", SHOWN), sortkey.Outside] = "WAITING"
    owner: Annotated[str, sortkey.Outside]
    priority: Annotated[int | None, Range(0, 99)] = None
    due: Instant | None = None
    expires_at: Annotated[EpochSeconds | None, sortkey.Outside] = None
    title: str = "untitled"
    nickname: str = ""
    reason: Annotated[str | None, KeepNull] = None
    hits: int = 5
    tags: set[str] | None = None
    notes: list[str] = []
    size: Size = Size()
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None
    version: Annotated[int, Version] = 0

    @computed_field
    @property
    def label(self) -> str | None:
        return f"{self.nickname} ({self.status})" if self.nickname else None

    @index("ByStatus", "STATUS#{status}", "{priority:02d}#{title}")
    def by_status(*, status: str, priority: int | None = None): ...

    @index("ByDue", "{owner}", "{due}#{taskId}")
    def by_due(*, owner: str): ...

    @index("ByShown", "{shown}", "{expiresAt}")
    def by_shown(*, shown: str): ...

    @index("Spread", "ALL#{shard}", "{createdAt}", shards=3)
    def spread(): ...

    @index("ByChange", "TEAM#{team}", "{updatedAt}")
    def by_change(*, team: str): ...


class Flat(Fields, kind="Flat"):
    @key("TEAM#{team}", "FLAT#{taskId}")
    def key(*, team: str, task_id: str): ...


class Wrapped(Fields, kind="Wrapped", envelope="Data"):
    @key("TEAM#{team}", "WRAPPED#{taskId}")
    def key(*, team: str, task_id: str): ...


HALF = settings(
    max_examples=settings().max_examples // 2
)  # each of them is several requests to the engine

WORDS = st.text(alphabet="ab", min_size=1, max_size=3)
MOMENTS = st.datetimes(
    min_value=datetime(2020, 1, 1), max_value=datetime(2030, 1, 1), timezones=st.just(UTC)
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "status": st.sampled_from(["open", "doing", "done"]),
    "owner": WORDS,
    "priority": st.none() | st.integers(0, 99),
    "due": st.none() | MOMENTS,
    "expires_at": st.none() | MOMENTS,
    "title": WORDS,
    "nickname": st.just("") | WORDS,
    "reason": st.none() | WORDS,
    "hits": st.integers(-9, 9),
    "tags": st.none() | st.sets(WORDS, min_size=1, max_size=2),
    "notes": st.lists(WORDS, max_size=2),
    "size": st.builds(Size, hours=st.integers(0, 9), note=st.none() | WORDS),
}


def tasks(kind: type[Fields]) -> st.SearchStrategy[Fields]:
    return st.fixed_dictionaries(VALUES).map(lambda values: kind(team="t", task_id="x", **values))


def set_or_remove(kind: type[Fields], name: str) -> st.SearchStrategy[Action]:
    field: Attr[Any] = getattr(kind, name)
    sets = VALUES[name].map(field.set)
    return sets if name == "owner" else sets | st.just(field.remove())


@st.composite
def actions(draw: st.DrawFn, kind: type[Fields]) -> list[Action]:
    """One action each on some fields."""
    made: list[Action] = []
    for name in draw(
        st.lists(st.sampled_from(sorted(VALUES)), unique=True, min_size=1, max_size=4)
    ):
        choices = [set_or_remove(kind, name)]
        if name == "hits":
            choices += [
                st.integers(-3, 3).map(attr(kind.hits).add),
                st.integers(-3, 3).map(attr(kind.hits).subtract),
            ]
        if name == "tags":
            choices += [st.just(attr(kind.tags).add({"c"})), st.just(attr(kind.tags).discard("a"))]
        if name == "notes":
            choices += [
                st.just(attr(kind.notes).append("c")),
                st.just(attr(kind.notes).prepend("d")),
            ]
        if name == "size":
            choices += [st.just(kind.size.hours.add(1)), st.just(kind.size.note.set(None))]  # type: ignore[attr-defined]
        made.append(draw(st.one_of(choices)))
    return made


class Ticking:
    """A clock on which every look is a second later."""

    now = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with sortkey.open(":memory:", clock=Ticking(), background=False) as opened:
        opened.ensure(table)
        yield opened


def stored(store: Store, task: Fields) -> Item:
    key = type(task).key(team=task.team, task_id=task.task_id)  # type: ignore[attr-defined]
    return store.backend.call("GetItem", {"TableName": table.name, "Key": key.item})["Item"]


@pytest.mark.parametrize("kind", [Flat, Wrapped])
@HALF
@given(data=st.data())
def test_any_update_leaves_what_a_put_of_the_result_leaves(
    store: Store, kind: Any, data: st.DataObject
) -> None:
    # Index keys that drift on update are what the users of every other library report first.
    before = store.put(data.draw(tasks(kind)))
    known = {
        name: getattr(before, name) for name in ("status", "priority", "title", "nickname", "due")
    }
    asked = data.draw(actions(kind))
    key = kind.key(team="t", task_id="x")
    assuming = {
        name: value
        for name, value in known.items()
        if name not in {a.attr.place.name for a in asked}
    }
    after = store.update(key, *asked, assuming=assuming)
    assert stored(store, after) == read_item(after.to_item())[0]


@pytest.mark.parametrize("kind", [Flat, Wrapped])
@HALF
@given(data=st.data())
def test_an_update_that_does_not_know_enough_changes_nothing(
    store: Store, kind: Any, data: st.DataObject
) -> None:
    # Without `assuming` the model must find out by itself whether it can keep keys and computed
    # fields right.
    before = store.put(data.draw(tasks(kind)))
    item = stored(store, before)
    try:
        after = store.update(kind.key(team="t", task_id="x"), *data.draw(actions(kind)))
    except ModelError:
        assert stored(store, before) == item
    else:
        assert stored(store, after) == read_item(after.to_item())[0]


@HALF
@given(data=st.data())
def test_an_upsert_makes_the_item_that_a_put_makes(store: Store, data: st.DataObject) -> None:
    # A counter that begins to exist by being counted must be found in the same indexes as all
    # others.
    key = Flat.key(team="t", task_id="new")
    store.delete(key)
    values = {name: data.draw(VALUES[name]) for name in ("owner", "status", "title", "nickname")}
    hits = data.draw(st.integers(-3, 3))
    after = store.update(
        key, attr(Flat.hits).add(hits), set=values, assuming={"priority": None}, upsert=True
    )
    assert stored(store, after) == read_item(after.to_item())[0]
    assert after.hits == 5 + hits
    assert after.created_at == after.updated_at
    again = store.update(
        key, attr(Flat.hits).add(hits), set=values, assuming={"priority": None}, upsert=True
    )
    assert stored(store, again) == read_item(again.to_item())[0]
    assert (again.hits, again.version, again.created_at) == (5 + 2 * hits, 2, after.created_at)
