"""All of it used rightly. Assignments with a type say what a type checker must know the result to
be.
"""
# pyright: strict

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from journeys import Journey, Stage, Totals, everything, model, pending

import sortkey
from sortkey import (
    Action,
    AsyncStore,
    Attr,
    Check,
    Condition,
    Delete,
    Grouped,
    ItemKey,
    Page,
    Put,
    Query,
    Store,
    attr,
    not_,
)

key: ItemKey[Stage] = Stage.key(journey_id="J", order=1, stage_id="s")
of_journey: Query[Stage] = Stage.of_journey(journey_id="J").between(1, 9).descending().limit(3)
of_owner: Query[Stage] = Stage.of_owner(owner="ada", created_at=datetime(2026, 1, 1, tzinfo=UTC))
by_pattern: Query[Stage] = pending("J")

journey = Journey(journey_id="J", title="One", totals=Totals(total_jobs=3), labels={"blue"})
stage = Stage(journey_id="J", order=1, stage_id="s", expires_at=datetime(2099, 1, 1, tzinfo=UTC))
order: int = stage.order
again: Stage = stage.changed(order=2)
read: Stage = Stage.from_item(stage.to_item())

number: Attr[int] = attr(Stage.order)
jobs: Attr[int] = attr(Journey.totals.total_jobs)
test: Condition = (attr(Stage.order) > 1) & (Stage.status == "pending") | not_(Stage.owner == "bob")
also: Condition = (
    attr(Stage.owner).exists() & attr(Stage.owner).begins_with("a") & (attr(Stage.owner).size() < 9)
)
action: Action = attr(Stage.status).set("running")


def reads(store: Store) -> None:
    one: Stage = store.get(key, consistent=True)
    maybe: Stage | None = store.find(key)
    several: list[Stage | None] = store.batch_get([key])
    found: list[Stage] = store.query(of_journey.where(Stage.status == "pending").where(test))
    first: Stage | None = store.first(of_owner)
    page: Page[Stage] = store.page(by_pattern, size=10)
    following: Page[Stage] = store.page(by_pattern, cursor=page.cursor, size=10)
    count: int = store.count(of_journey)
    keys: list[ItemKey[Stage]] = store.keys(of_journey)
    all_of_it: Grouped = store.collection(everything(journey_id="J"))
    stages: list[Stage] = all_of_it.of(Stage)
    head: Journey | None = all_of_it.one(Journey)
    scanned: list[Stage] = store.scan(Stage)
    for each in store.iterate(of_journey):
        order: int = each.order
        print(order)
    print(
        one, maybe, several, found, first, page, following.items, count, keys, stages, head, scanned
    )


def writes(store: Store) -> None:
    created: Stage = store.create(stage)
    saved: Journey = store.save(store.put(journey).changed(title="Two"))
    moved: Stage = store.move(key, Stage.status, "running")
    updated: Stage = store.update(key, attr(Stage.owner).set("ada"), when=Stage.status == "running")
    same: Stage = store.update(key, set={"owner": "ada"}, when=also)
    store.transact(
        Put(again, "create"), Check(Journey.key(journey_id="J"), attr(Journey.title).exists())
    )
    store.transact(Delete(ItemKey.of_entity(again)))
    deleted: Stage | None = store.delete(key, when=attr(Stage.status) == "running")
    put: Stage = store.put(stage)
    differences: list[str] = store.ensure(model)
    print(created, saved, moved, updated, same, deleted, put, differences)


async def awaited(store: AsyncStore) -> None:
    one: Stage = await store.get(key)
    maybe: Stage | None = await store.find(key)
    several: list[Stage | None] = await store.batch_get([key])
    found: list[Stage] = await store.query(of_journey)
    page: Page[Stage] = await store.page(by_pattern)
    stages: list[Stage] = (await store.collection(everything(journey_id="J"))).of(Stage)
    created: Journey = await store.create(journey)
    updated: Stage = await store.update(key, action, when=Stage.status == "pending")
    async for each in store.iterate(of_journey):
        order: int = each.order
        print(order)
    print(one, maybe, several, found, page, stages, created, updated)


def main() -> None:
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        store.create(journey)
        writes(store)
        reads(store)


async def main_async() -> None:
    async with sortkey.open_async(":memory:") as store:
        await store.ensure(model)
        await store.create(stage)
        await awaited(store)


main()
asyncio.run(main_async())
