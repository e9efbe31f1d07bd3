"""backfill(): stored items get what their entity says today, while others go on writing, and
nothing is overwritten.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sortkey import AsyncStore, Entity, KeyOnly, Progress, Store, Table, camel, index, key
from sortkey.errors import LeaseLost, ModelError, StoreError, TableMissing
from sortkey.runtime.backend import Capabilities
from sortkey.runtime.evolution.state import Run, Segment
from sortkey.runtime.store import Store as SyncStore
from tests.contract.store.evolving import (
    STATUSES,
    Age,
    by_index,
    by_scan,
    fill,
    first_age,
    second_age,
    third_age,
)
from tests.contract.store.stores import Awaiting


@pytest.fixture
def shop(store: Store, fresh: str) -> Iterator[Age]:
    """The first age with forty orders; the indexes of the later ones are there already."""
    age = first_age(fresh)
    store.ensure(third_age(fresh).model)
    fill(store, age, 40)
    yield age
    store.backend.call("DeleteTable", {"TableName": age.table.name})


class Meddling:
    """A backend in front of another: before some of the writes of a backfill somebody else does
    something.
    """

    capabilities = Capabilities()

    def __init__(self, backend: Any, meddle: Callable[[dict[str, Any]], None]) -> None:
        self._backend, self._meddle = backend, meddle

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation == "UpdateItem" and request["TableName"] != "sortkey-evolution":
            self._meddle(request)
        return self._backend.call(operation, request)

    def close(self) -> None:
        self._backend.close()


class AsyncMeddling(Meddling):
    async def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:  # type: ignore[override]
        if operation == "UpdateItem" and request["TableName"] != "sortkey-evolution":
            await self._meddle(request)  # type: ignore[misc]
        return await self._backend.call(operation, request)


def meddled(store: Any, meddle: Callable[[Any, dict[str, Any]], Any]) -> Any:
    """The same store, where `meddle` gets the backend and each request that a backfill is about to
    send.
    """
    if isinstance(store, Awaiting):
        plain = store._store.backend

        async def asynchronous(request: dict[str, Any]) -> None:
            for operation, more in meddle(request):
                await plain.call(operation, more)

        return Awaiting(AsyncStore(AsyncMeddling(plain, asynchronous), random=float), store._runner)  # type: ignore[arg-type]

    def synchronous(request: dict[str, Any]) -> None:
        for operation, more in meddle(request):
            store.backend.call(operation, more)

    return SyncStore(Meddling(store.backend, synchronous), random=float)


def item_of(store: Store, age: Age, customer: str, number: int) -> dict[str, Any]:
    key = age.order.key(customer=customer, number=number).item
    return store.backend.call(
        "GetItem", {"TableName": age.table.name, "Key": key, "ConsistentRead": True}
    )["Item"]


def test_stored_items_get_the_keys_of_new_indexes(store: Store, fresh: str, shop: Age) -> None:
    # Every query by the new index gives what a scan with a filter gives; other kinds are left
    # alone.
    age = second_age(fresh)
    done = store.backfill(age.order)
    assert (done.read, done.written, done.unchanged, done.failed) == (40, 40, 0, 0)
    assert done.entities == ("Order",)
    for status in STATUSES:
        assert by_index(store, age, status) == by_scan(store, age, status) != []
    assert len(store.query(age.order.in_region(region="eu"))) == 40
    assert "GSI1PK" not in store.get(age.note.key(customer="c1")).to_item()


def test_a_second_backfill_writes_nothing(store: Store, fresh: str, shop: Age) -> None:
    age = second_age(fresh)
    store.backfill(age.order)
    again = store.backfill(age.order)
    assert (again.read, again.written, again.unchanged, again.is_resumed) == (40, 0, 40, False)


def test_a_dry_run_counts_and_writes_nothing(store: Store, fresh: str, shop: Age) -> None:
    # How much would it be? That is asked before it is paid for.
    age = second_age(fresh)
    would = store.backfill(age.order, dry_run=True)
    assert (would.read, would.written, would.is_complete) == (40, 40, False)
    assert store.backfill(age.order).written == 40


def test_older_versions_become_those_of_today(store: Store, fresh: str, shop: Age) -> None:
    # With the keys of indexes that are made of new fields, and without what the upgrade used up.
    age = third_age(fresh)
    assert store.backfill(age.order).written == 40
    assert len(store.query(age.order.by_buyer(last="L1"))) == 10
    item = item_of(store, age, "c1", 1)
    assert item["schemaVersion"] == {"N": "2"}
    assert "buyer" not in item
    assert store.plan(age.model).backfills == ()


def test_items_of_a_newer_program_are_left_alone(store: Store, fresh: str, shop: Age) -> None:
    # It knows better what belongs there: its keys may be made otherwise.
    newer = third_age(fresh)
    store.backfill(newer.order)
    before = item_of(store, newer, "c1", 1)
    done = store.backfill(second_age(fresh).order)
    assert (done.newer, done.written) == (40, 0)
    assert item_of(store, newer, "c1", 1) == before


def test_only_what_is_lacking_is_written(store: Store, fresh: str, shop: Age) -> None:
    # What this program does not know of stays, and so does everything that is no key.
    age = second_age(fresh)
    before = item_of(store, shop, "c1", 1)
    strange = {**before, "colour": {"S": "red"}}
    store.backend.call("PutItem", {"TableName": age.table.name, "Item": strange})
    store.backfill(age.order)
    after = item_of(store, age, "c1", 1)
    keys = {name: after.pop(name) for name in ("GSI1PK", "GSI1SK", "GSI2SK", "region")}
    assert after == strange
    assert keys["GSI1PK"] == {"S": "STATUS#paid"}


def test_a_key_of_another_template_is_made_anew(store: Store, fresh: str, shop: Age) -> None:
    # And one that is sparse goes where its value is missing.
    store.backfill(second_age(fresh).order)
    age = second_age(fresh)

    class Order(Entity, table=age.table, kind="Other", names=camel):
        customer: KeyOnly[str]
        number: int
        status: str = "open"
        note: str | None = None

        @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
        def key(*, customer: str, number: int): ...

        @index("ByStatus", "ST#{status}", "{note}")
        def in_status(*, status: str): ...

    for number in (1, 2):
        item = {**item_of(store, age, f"c{number}", number), "EntityType": {"S": "Other"}}
        item |= {"note": {"S": "n"}} if number == 1 else {}
        store.backend.call("PutItem", {"TableName": age.table.name, "Item": item})
    assert store.backfill(Order).written == 2
    assert [each.number for each in store.query(Order.in_status(status="paid"))] == [1]
    assert "GSI1SK" not in item_of(store, age, "c2", 2)


def test_a_whole_table_is_done_in_one_pass(store: Store, fresh: str, shop: Age) -> None:
    # Reading it is what costs.
    age = third_age(fresh)
    done = store.backfill(age.table)
    assert (done.entities, done.read, done.written) == (("Order", "Note"), 47, 40)


@pytest.mark.parametrize("segments", [1, 3, 16])
def test_a_table_may_be_read_in_segments(
    store: Store, fresh: str, shop: Age, segments: int
) -> None:
    # All of them together are the table, once.
    age = second_age(fresh)
    heard: list[Progress] = []
    done = store.backfill(age.order, segments=segments, on_progress=heard.append)
    assert (done.read, done.written, done.segments, done.segments_done) == (
        40,
        40,
        segments,
        segments,
    )
    assert heard[-1].segments_done == segments
    assert [progress.read for progress in heard] == sorted(progress.read for progress in heard)
    assert by_index(store, age, "open") == by_scan(store, age, "open")


def test_what_cannot_be_read_is_reported_and_left(store: Store, fresh: str, shop: Age) -> None:
    # The rest is done; and nobody writes down that all items have what they need.
    age = second_age(fresh)
    broken = {**item_of(store, shop, "c3", 3), "status": {"S": "lost"}}
    store.backend.call("PutItem", {"TableName": age.table.name, "Item": broken})
    done = store.backfill(age.order)
    assert (done.written, done.failed, done.is_complete) == (39, 1, False)
    assert "PK='CUSTOMER#c3', SK='ORDER#000003'" in done.problems[0]
    assert store.plan(age.model).backfills != ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"segments": 0}, "1 to 1000 segments, not 0"),
        ({"segments": 1001}, "1 to 1000 segments"),
        ({"writes_per_second": 0}, "it must be more than 0"),
    ],
)
def test_a_backfill_that_cannot_be_meant_is_refused(
    store: Store, fresh: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        store.backfill(second_age(fresh).order, **settings)
    with pytest.raises(ModelError, match="not an entity class"):
        store.backfill("Order")  # type: ignore[arg-type]


# -- others write at the same time


def change(
    age: Age, key: dict[str, Any], name: str, value: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    return "UpdateItem", {
        "TableName": age.table.name,
        "Key": key,
        "UpdateExpression": "SET #n = :v",
        "ExpressionAttributeNames": {"#n": name},
        "ExpressionAttributeValues": {":v": value},
    }


def test_a_change_of_somebody_else_is_never_overwritten(
    store: Store, fresh: str, shop: Age
) -> None:
    # Just before each write: of the field that the key is made of, and of one that it is not.
    age, met = second_age(fresh), set[str]()

    def meddle(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        place = request["Key"]["SK"]["S"]
        if place in met:
            return []
        met.add(place)
        return [
            change(shop, request["Key"], "status", {"S": "sent"}),
            change(shop, request["Key"], "note", {"S": place}),
        ]

    done = meddled(store, meddle).backfill(age.order)
    assert (done.written, done.conflicts) == (
        40,
        27,
    )  # those that were sent already are as they were read
    assert len(by_index(store, age, "sent")) == 40
    assert {order.note for order in store.scan(age.order)} == met


def test_an_item_that_is_deleted_meanwhile_stays_deleted(
    store: Store, fresh: str, shop: Age
) -> None:
    # An update would make it again, with nothing but its keys.
    age = second_age(fresh)

    def meddle(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("DeleteItem", {"TableName": age.table.name, "Key": request["Key"]})]

    done = meddled(store, meddle).backfill(age.order)
    assert (done.gone, done.written) == (40, 0)
    assert store.scan(age.order) == []


def test_an_upgrade_takes_in_what_an_older_program_adds_in_the_same_moment(
    store: Store, fresh: str, shop: Age
) -> None:
    # The item has no buyer when it is read; the old program writes one before the upgrade is
    # stored.
    age, place = third_age(fresh), shop.order.key(customer="c1", number=1).item
    request = {"TableName": age.table.name, "Key": place, "UpdateExpression": "REMOVE buyer"}
    store.backend.call("UpdateItem", request)
    met: list[bool] = []

    def meddle(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        if met or request["Key"] != place:
            return []
        met.append(True)
        return [change(shop, place, "buyer", {"S": "Grace Hopper"})]

    meddled(store, meddle).backfill(age.order)
    found = store.query(age.order.by_buyer(last="Hopper"))
    assert [(each.first, each.number) for each in found] == [("Grace", 1)]
    assert "buyer" not in item_of(store, age, "c1", 1)


def test_an_item_that_others_change_all_the_time_is_reported(
    store: Store, fresh: str, shop: Age
) -> None:
    # It does not hold up the rest, and a later backfill finds it.
    age, busy, turns = (
        second_age(fresh),
        shop.order.key(customer="c1", number=1).item,
        iter(range(10**6)),
    )

    def meddle(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        if request["Key"] != busy:
            return []
        return [change(shop, busy, "status", {"S": STATUSES[next(turns) % 3]})]

    done = meddled(store, meddle).backfill(age.order)
    assert (done.written, done.failed) == (39, 1)
    assert "others changed it 20 times" in done.problems[0]
    assert store.backfill(age.order).written == 1


@pytest.mark.parametrize("seed", range(4))
def test_whatever_others_do_meanwhile_the_index_shows_what_the_items_are(
    store: Store, fresh: str, shop: Age, seed: int
) -> None:
    # The property: programs of two ages, and the backfill between them, leave no item where it does
    # not belong.
    old, new, chance = shop, second_age(fresh), random.Random(seed)

    def meddle(request: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for _ in range(chance.randrange(3)):
            number = chance.randrange(60)
            customer = f"c{number % 7}"
            place = old.order.key(customer=customer, number=number).item
            picked = request["Key"] if chance.random() < 0.5 else place
            made = new.order(
                customer=customer, number=number, status=chance.choice(STATUSES)
            ).to_item()
            yield chance.choice(
                [
                    ("PutItem", {"TableName": old.table.name, "Item": made}),
                    ("DeleteItem", {"TableName": old.table.name, "Key": place}),
                    status_change(old, picked, chance.choice(STATUSES)),
                ]
            )

    meddled(store, meddle).backfill(new.order, segments=1 + seed)
    for status in STATUSES:
        assert by_index(store, new, status) == by_scan(store, new, status)


def status_change(age: Age, key: dict[str, Any], status: str) -> tuple[str, dict[str, Any]]:
    """As the new program does it: the field and its key in one write. It does nothing where there
    is no item.
    """
    customer, number = key["PK"]["S"].partition("#")[2], key["SK"]["S"].partition("#")[2]
    return "TransactWriteItems", {
        "TransactItems": [{"Update": _update(age, key, status, f"{customer}#{number}")}]
    } | {"ClientRequestToken": f"{random.random()}"[:36]}


def _update(age: Age, key: dict[str, Any], status: str, sort: str) -> dict[str, Any]:
    return {
        "TableName": age.table.name,
        "Key": key,
        "UpdateExpression": "SET #s = :s, GSI1PK = :k, GSI1SK = :o, EntityType = :e, #n = :n, #b = :b",
        "ExpressionAttributeNames": {"#s": "status", "#n": "number", "#b": "buyer"},
        "ExpressionAttributeValues": {
            ":s": {"S": status},
            ":k": {"S": f"STATUS#{status}"},
            ":o": {"S": sort},
            ":e": {"S": "Order"},
            ":n": {"N": str(int(sort.partition("#")[2]))},
            ":b": {"S": "Ada"},
        },
    }


# -- cut off, and taken up again


def cut_off(store: Any, after: int) -> Any:
    """A store whose backfill ends with an error after so many writes."""
    left = iter(range(after))

    def meddle(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        if next(left, None) is None:
            raise StoreError("cut off")
        return []

    return meddled(store, meddle)


@pytest.mark.parametrize("segments", [1, 4])
def test_a_backfill_that_was_cut_off_goes_on_where_it_was(
    store: Store, fresh: str, shop: Age, segments: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Page by page, and counted over all of its tries. Another number of segments is for the next
    # one.
    monkeypatch.setattr("sortkey.runtime.evolution.segment_backfill.PAGE", 5)
    age = second_age(fresh)
    with pytest.raises(StoreError, match="cut off"):
        cut_off(store, 23).backfill(age.order, segments=segments)
    done = store.backfill(age.order, segments=2)
    assert (done.is_resumed, done.segments, done.is_complete) == (True, segments, True)
    assert done.read == 40  # what was noted before, and the rest
    assert by_index(store, age, "paid") == by_scan(store, age, "paid")


def test_a_backfill_of_another_form_begins_anew(store: Store, fresh: str, shop: Age) -> None:
    # The places of the one that was cut off say nothing of the new keys. So does `restart`.
    with pytest.raises(StoreError, match="cut off"):
        cut_off(store, 7).backfill(second_age(fresh).order)
    done = store.backfill(third_age(fresh).order)
    assert (done.is_resumed, done.read) == (False, 40)
    with pytest.raises(StoreError, match="cut off"):
        cut_off(store, 0).backfill(notes_by_text(fresh))
    assert not store.backfill(notes_by_text(fresh), restart=True).is_resumed


def notes_by_text(name: str) -> Any:
    """Notes, found by their text."""
    known = second_age(name).table
    table = Table(known.name, key=known.key, indexes=known.indexes)

    class Note(Entity, table=table, kind="Note", names=camel):
        customer: KeyOnly[str]
        text: str

        @key("CUSTOMER#{customer}", "NOTE")
        def key(*, customer: str): ...

        @index("ByStatus", "TEXT#{text}", "{customer}")
        def of_text(*, text: str): ...

    return Note


def test_whoever_lost_a_backfill_to_another_process_notices(
    store: Store, fresh: str, shop: Age
) -> None:
    # Two that note their places in turns would each undo the other's.
    age = second_age(fresh)
    name = age.table.name
    taken: list[bool] = []

    def meddle(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        if taken:
            return []
        taken.append(True)
        run = Run.key(table=name, entities="Order").item
        part = Segment.key(table=name, run=1, entities="Order", number=0).item
        set_lease = {
            "UpdateExpression": "SET lease = :l",
            "ExpressionAttributeValues": {":l": {"N": "9"}},
        }
        return [
            ("UpdateItem", {"TableName": "sortkey-evolution", "Key": each, **set_lease})
            for each in (run, part)
        ]

    with pytest.raises(LeaseLost, match="another process has taken over this backfill"):
        meddled(store, meddle).backfill(age.order, segments=1)
    assert store.backfill(age.order).is_resumed


@pytest.mark.parametrize("dry_run", [True, False])
def test_of_a_table_that_is_not_there_nothing_is_written_down(
    sortkey_store: SyncStore, fresh: str, dry_run: bool
) -> None:
    # A run that never was would be taken up by the next one.
    with pytest.raises(TableMissing, match="does not exist"):
        sortkey_store.backfill(first_age(fresh).table, dry_run=dry_run)
    assert sortkey_store.backend.call("ListTables", {})["TableNames"] == []
