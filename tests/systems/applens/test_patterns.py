"""AppLens's access patterns and writes, on the embedded engine."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest

import sortkey
from sortkey import Store
from sortkey.errors import AlreadyExists, ModelError, TransitionRefused
from sortkey_systems.applens.model import Run, latest_run, model

AT = datetime(2026, 2, 22, 19, 12, 11, tzinfo=UTC)


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(model)
        yield opened


def create(
    store: Store,
    run_id: str,
    minutes: int = 0,
    user_id: str = "12345",
    environment: Literal["dev", "prod"] = "prod",
) -> Run:
    at = AT + timedelta(minutes=minutes)
    return store.create(Run(user_id=user_id, run_id=run_id, environment=environment, created_at=at))


def test_the_patterns_are_those_of_the_document_in_its_words() -> None:
    # Whoever looks for what the table can answer finds it here.
    described = {pattern.name: pattern.doc for pattern in model.patterns()}
    assert described["Run.of_user"].startswith("Query all runs for a user")
    assert "latest run" in described["latest_run"]
    assert "only runId is known" in described["Run.by_id"]
    assert set(described) == {
        "Run.key",
        "Run.of_user",
        "Run.by_id",
        "Run.of_environment",
        "latest_run",
    }


def test_the_tables_that_were_made_do_not_differ_from_the_model(store: Store) -> None:
    # AL-1, AL-2, AL-27, AL-35 as the engine describes them.
    assert store.ensure(model) == []


@pytest.mark.accepts("AL-5", "AL-7")
def test_AL_5_all_runs_of_a_user_in_one_query_in_the_order_of_time(store: Store) -> None:
    # Chronological from the key alone, whatever the order of writing and of ids.
    for run_id, minutes in (("aaa", 30), ("zzz", 10), ("mmm", 20)):
        create(store, run_id, minutes)
    create(store, "other", 15, user_id="123456")
    assert [run.run_id for run in store.query(Run.of_user(user_id="12345"))] == [
        "zzz",
        "mmm",
        "aaa",
    ]


def test_AL_6_the_latest_run_is_one_item_read(store: Store) -> None:
    # Descending with a limit of one: no scan, and not all runs of the user.
    for number in range(5):
        create(store, f"run{number}", number)
    assert [run.run_id for run in store.query(latest_run("12345"))] == ["run4"]
    explained = next(each for each in model.patterns() if each.name == "latest_run").explain(
        items=1000
    )
    assert (explained.operation, explained.items, explained.read_units) == ("Query", 1, 0.5)


def test_AL_8_two_runs_of_one_second_are_ordered_by_id(store: Store) -> None:
    # The tie is accepted, and it is always the same.
    create(store, "b")
    create(store, "a")
    assert [run.run_id for run in store.query(Run.of_user(user_id="12345"))] == ["a", "b"]


def test_AL_9_a_run_id_belongs_to_one_run(store: Store) -> None:
    # Six hex digits collide; a second run of the same id, even another user's, must take a new one.
    create(store, "c8a91e")
    with pytest.raises(AlreadyExists):
        create(store, "c8a91e", minutes=5, user_id="999")
    assert len(store.query(Run.by_id(run_id="c8a91e"))) == 1


@pytest.mark.accepts("AL-4", "AL-13", "AL-14")
def test_AL_13_a_new_run_gets_its_instants_from_the_store(store: Store) -> None:
    # One instant for the attribute and for the key.
    run = store.create(Run(user_id="1", run_id="fresh", environment="dev"))
    assert run.created_at is not None
    item = run.to_item()
    assert item["SK"]["S"] == f"RUN#{item['createdAt']['S']}#fresh"
    assert item["createdAt"] == item["updatedAt"]
    assert store.query(Run.of_user(user_id="1"))[0].to_item() == item


@pytest.mark.accepts("AL-11", "AL-14", "AL-34")
def test_AL_11_a_status_only_moves_forward(store: Store) -> None:
    # The condition is part of the write: a late callback cannot revive a finished run.
    create(store, "c8a91e")
    key = Run.key(user_id="12345", created_at=AT, run_id="c8a91e")
    with pytest.raises(TransitionRefused):
        store.update(key, set={"status": "COMPLETE"})
    started = store.update(key, set={"status": "PROCESSING"})
    assert started.updated_at is not None
    assert started.updated_at >= AT
    store.update(key, set={"status": "FAILED", "last_error": "no Terraform in the archive"})
    with pytest.raises(TransitionRefused):
        store.update(key, set={"status": "PROCESSING"})
    assert store.get(key).last_error == "no Terraform in the archive"


def test_AL_11_a_new_run_is_uploaded(store: Store) -> None:
    # A run that begins finished was never checked.
    with pytest.raises(ModelError, match="UPLOADED"):
        store.create(Run(user_id="1", run_id="x", environment="dev", status="COMPLETE"))


@pytest.mark.accepts("AL-28", "AL-29")
def test_AL_28_a_callback_that_knows_only_the_id_finds_the_whole_run(store: Store) -> None:
    # The index projects everything, so one read is enough.
    made = create(store, "c8a91e")
    create(store, "c8a91e2", minutes=1)
    assert store.query(Run.by_id(run_id="c8a91e")) == [made]


def test_AL_30_runs_of_one_environment_without_reading_the_others(store: Store) -> None:
    # The environment is in the key of an index; no filter pays for what it drops.
    create(store, "d1", 1, environment="dev")
    create(store, "p1", 2)
    create(store, "d2", 3, environment="dev")
    asked = Run.of_environment(user_id="12345", environment="dev")
    assert [run.run_id for run in store.query(asked)] == ["d1", "d2"]
    assert asked.filter is None


@pytest.mark.accepts("AL-31", "AL-32", "AL-33")
def test_AL_32_the_dashboard_renders_from_the_items_alone(store: Store) -> None:
    # Status, links and summary are all there after the run; nothing is read from S3.
    create(store, "c8a91e")
    key = Run.key(user_id="12345", created_at=AT, run_id="c8a91e")
    store.update(key, set={"status": "PROCESSING"})
    summary = {
        "node_count": 42,
        "edge_count": 67,
        "internet_exposed_count": 2,
        "datastore_count": 4,
    }
    store.update(key, set={"status": "COMPLETE", "graph_hash": "sha256:abc123", **summary})
    (run,) = store.query(Run.of_user(user_id="12345"))
    shown = (
        run.status,
        run.node_count,
        run.edge_count,
        run.internet_exposed_count,
        run.datastore_count,
    )
    assert shown == ("COMPLETE", 42, 67, 2, 4)
