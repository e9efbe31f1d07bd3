"""Stores: a read of the wrong kind, and results taken for what they are not, that a type checker
must refuse.
"""

from journeys import Journey, Stage, everything, model

from sortkey import AsyncStore, Page, Put, Store


def reads(store: Store) -> None:
    key, of_journey = (
        Stage.key(journey_id="J", order=1, stage_id="s"),
        Stage.of_journey(journey_id="J"),
    )
    store.get(of_journey)  # error: reportArgumentType
    store.query(key)  # error: reportArgumentType
    store.query(everything(journey_id="J"))  # error: reportArgumentType
    store.collection(of_journey)  # error: reportArgumentType
    store.batch_get(key)  # error: reportArgumentType
    store.scan(model)  # error: reportArgumentType
    journey: Journey = store.get(key)  # error: reportAssignmentType
    stage: Stage = store.find(key)  # error: reportAssignmentType
    stages: list[Journey] = store.query(of_journey)  # error: reportAssignmentType
    page: Page[Journey] = store.page(of_journey)  # error: reportAssignmentType
    cursor: str = store.page(of_journey).cursor  # error: reportAssignmentType
    grouped = store.collection(everything(journey_id="J"))
    found: list[Journey] = grouped.of(Stage)  # error: reportAssignmentType
    one: Journey = grouped.one(Journey)  # error: reportAssignmentType
    store.page(of_journey, "cursor")  # error: reportCallIssue
    print(journey, stage, stages, page, cursor, found, one)


def writes(store: Store, stage: Stage) -> None:
    store.create(Stage)  # error: reportArgumentType
    store.update(stage, set={"status": "running"})  # error: reportArgumentType
    key = Stage.key(journey_id="J", order=1, stage_id="s")
    store.update(key, status="running")  # error: reportCallIssue
    store.transact(stage)  # error: reportArgumentType
    operation = Put(Stage)  # error: reportArgumentType
    store.delete(Stage.of_journey(journey_id="J"))  # error: reportArgumentType
    print(operation)


async def awaited(store: AsyncStore) -> None:
    key, of_journey = (
        Stage.key(journey_id="J", order=1, stage_id="s"),
        Stage.of_journey(journey_id="J"),
    )
    await store.get(of_journey)  # error: reportArgumentType
    journey: Journey = await store.get(key)  # error: reportAssignmentType
    stage: Stage = store.get(key)  # error: reportAssignmentType
    stages: list[Journey] = await store.query(of_journey)  # error: reportAssignmentType
    page: Page[Journey] = await store.page(of_journey)  # error: reportAssignmentType
    for each in store.iterate(of_journey):  # error: reportGeneralTypeIssues
        print(each)
    store.create(Stage(journey_id="J", order=1, stage_id="s"))  # error: reportUnusedCoroutine
    print(journey, stage, stages, page)
