"""Entities with payloads written and read back, in every way a store writes."""

from __future__ import annotations

import asyncio
import io
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import Delete, Payload, Put, Store, Update, attr
from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidItem,
    ItemTooLarge,
    KeyValueError,
    ModelError,
    NotConfigured,
    ObjectNotFound,
    PreconditionFailed,
    StaleVersion,
    TransactionFailed,
    TransitionRefused,
)
from sortkey.model.operations import set_actions
from tests.contract.objects_adapters import new_s3_bucket
from tests.runtime.payloads.runs import Asset, Report, Run, Summary, model, run

GRAPH = {"nodes": [{"id": "aws_lambda_function.a"}], "edges": []}


def versions(store: Store, bucket: str = "artifacts") -> list[tuple[str, str]]:
    return [
        (version.key, version.version_id) for version in store.payloads.bucket(bucket).versions()
    ]


def key_of(made: Run) -> Any:
    assert made.created_at is not None
    return Run.key(user_id=made.user_id, created_at=made.created_at, run_id=made.run_id)


def test_the_item_shows_the_object_by_key_version_size_and_hash(any_store: Store) -> None:
    # The literal key of the document; the rest makes sure that it is this object and no other,
    # whole.
    made = any_store.create(run(graph=Payload(GRAPH)))
    assert made.graph is not None
    assert made.graph.key == "graphs/prod/12345/c8a91e/graph.json"
    info = any_store.payloads.bucket("artifacts").head(made.graph.key)
    assert (made.graph.version_id, made.graph.size, made.graph.sha256) == (
        info.version_id,
        info.size,
        info.sha256,
    )
    assert (info.content_type, info.content_encoding) == ("application/json", None)
    read = any_store.get(key_of(made), consistent=True)
    assert read == made
    assert read.graph is not None
    assert any_store.load(read.graph) == GRAPH
    item = made.to_item()
    assert item["graphS3Key"] == {"S": made.graph.key}
    assert "nodes" not in str(item)


def test_the_object_says_which_item_it_belongs_to(store: Store) -> None:
    # So that people and programs can distinguish objects in use from leftovers.
    made = store.create(run(graph=Payload(GRAPH)))
    info = store.payloads.bucket("artifacts").head("graphs/prod/12345/c8a91e/graph.json")
    sk = made.to_item()["SK"]["S"]
    assert info.metadata == {
        "sortkey-item": f'["graph-runs",{{"PK":{{"S":"USER#12345"}},"SK":{{"S":"{sk}"}}}}]'
    }


def test_a_payload_is_not_read_before_it_is_asked_for(store: Store) -> None:
    # The dashboard lists runs from their items alone.
    store.create(run(graph=Payload(GRAPH)))
    ((key, version),) = versions(store)
    store.payloads.bucket("artifacts").delete(key, version)
    (listed,) = store.scan(Run)
    assert listed.graph is not None
    with pytest.raises(ObjectNotFound):
        store.load(listed.graph)


def test_what_is_written_once_cannot_be_written_again(any_store: Store) -> None:
    # "Graph JSON is immutable per run": neither the object nor the pointer changes, whoever tries.
    made = any_store.create(run(graph=Payload(GRAPH)))
    other = Payload({"nodes": []})
    with pytest.raises(AlreadyExists) as refused:
        any_store.create(made.changed(graph=other))
    assert refused.value.item == made
    with pytest.raises(PreconditionFailed):
        any_store.update(key_of(made), set={"graph": other})
    with pytest.raises(PreconditionFailed):
        any_store.transact(Put(made.changed(graph=other), "put"))
    assert made.graph is not None
    assert versions(any_store) == [(made.graph.key, made.graph.version_id)]
    assert any_store.get(key_of(made)) == made


def test_an_update_puts_the_pointer_last(any_store: Store) -> None:
    # A run is complete with its graph, its status and its counts in one write, or not at all.
    made = any_store.create(run())
    done = any_store.move(
        key_of(made), Run.status, "COMPLETE", set={"graph": Payload(GRAPH), "node_count": 1}
    )
    assert (done.status, done.node_count) == ("COMPLETE", 1)
    assert done.graph is not None
    assert any_store.load(done.graph) == GRAPH
    assert any_store.get(key_of(made)) == done


def test_an_update_that_is_refused_leaves_no_object(any_store: Store) -> None:
    # Else every lost race would leave its megabytes.
    made = any_store.create(run())
    with pytest.raises(ConditionFailed):
        any_store.update(key_of(made), set={"graph": Payload(GRAPH)}, when=Run.status == "FAILED")
    any_store.move(key_of(made), Run.status, "FAILED")
    with pytest.raises(TransitionRefused):
        any_store.move(key_of(made), Run.status, "COMPLETE", set={"graph": Payload(GRAPH)})
    with pytest.raises(ConditionFailed, match="no such item"):
        any_store.update(key_of(made.changed(run_id="other")), set={"graph": Payload(GRAPH)})
    assert versions(any_store) == []
    assert any_store.get(key_of(made)).graph is None


def test_a_value_replaces_another_and_takes_nothing_of_it(store: Store) -> None:
    # An encoding that stayed would make the new value unreadable.
    key = Asset.key(database_id="d", asset_id="a")
    store.create(Asset(database_id="d", asset_id="a", note=Payload("long " * 1000)))
    packed = store.get(key).to_item()
    assert packed["note_encoding"] == {"S": "zstd"}
    plain = store.update(key, attr(Asset.note).set(Payload("short")))
    assert "note_encoding" not in plain.to_item()
    assert plain.note is not None
    assert store.load(plain.note) == "short"
    none = store.update(key, set={"note": None})
    assert none.note is None
    assert none.to_item().keys() == {"databaseId", "assetId"}


def test_the_replaced_version_stays_for_those_who_still_read(store: Store) -> None:
    # Reading is lazy: who has the item of a moment ago must not find nothing.
    old = store.put(Asset(database_id="d", asset_id="a", note=Payload("old")))
    store.put(Asset(database_id="d", asset_id="a", note=Payload("new")))
    assert old.note is not None
    assert store.load(old.note) == "old"


def test_save_checks_the_version_before_the_payload_is_shown(store: Store) -> None:
    # The loser's object goes, the winner's stays.
    report = Report(
        job_id="j", report_id="r", content=Payload(Summary(title="first", rows=[1] * 200))
    )
    first = store.save(report)
    winner = store.save(first.changed(content=Payload(Summary(title="winner", rows=[1] * 200))))
    with pytest.raises(StaleVersion):
        store.save(first.changed(content=Payload(Summary(title="loser", rows=[1] * 200))))
    assert winner.content is not None
    assert store.load(winner.content).title == "winner"
    assert len(versions(store, "job-reports")) == 2


def test_small_values_stay_in_the_item(store: Store) -> None:
    # One request instead of two, where the document allows it.
    key = Report.key(job_id="j", report_id="r")
    made = store.create(Report(job_id="j", report_id="r", content=Payload(Summary(title="small"))))
    assert versions(store, "job-reports") == []
    inside = made.to_item()["Data"]["M"]
    assert (inside["s3LocationSize"], "s3LocationVersionId" in inside) == ({"N": "27"}, False)
    assert inside["s3Location"] == {"S": "s3://job-reports/jobs/j/reports/r.json"}
    read = store.get(key)
    assert read.content is not None
    assert store.load(read.content) == Summary(title="small")
    with store.open_payload(read.content) as reader:
        assert reader.read() == b'{"title":"small","rows":[]}'
    large = store.update(key, set={"content": Payload(Summary(title="large", rows=[7] * 200))})
    assert "s3LocationInline" not in large.to_item()["Data"]["M"]
    assert len(versions(store, "job-reports")) == 1
    small = store.save(large.changed(content=Payload(Summary(title="small"))))
    assert store.get(key) == small
    assert "s3LocationSha256" not in small.to_item()["Data"]["M"]


def test_values_are_compressed_where_that_pays(any_store: Store) -> None:
    # JSON shrinks to a tenth; what is packed already would only cost time.
    made = any_store.create(
        run(graph=Payload({"nodes": [{"id": f"node-{n}"} for n in range(2000)]}))
    )
    assert made.graph is not None
    info = any_store.payloads.bucket("artifacts").head("graphs/prod/12345/c8a91e/graph.json")
    assert info.content_encoding == "zstd"
    assert info.size == made.graph.size
    assert info.size < 10_000
    assert len(any_store.load(made.graph)["nodes"]) == 2000
    noise = os.urandom(100_000)
    updated = any_store.update(key_of(made), set={"iac": Payload(noise, filename="a.zip")})
    assert updated.iac is not None
    assert (updated.iac.size, updated.to_item().get("iacS3Encoding")) == (100_000, None)
    assert any_store.load(updated.iac) == noise


@pytest.mark.parametrize("noise", [True, False])
def test_streams_are_stored_and_read_without_holding_them(
    any_store: Store, noise: bool, tmp_path: Path
) -> None:
    # An asset of many GB is never in memory.
    data = os.urandom(3 << 20) if noise else b"x" * (3 << 20)
    (tmp_path / "asset").write_bytes(data)
    with (tmp_path / "asset").open("rb") as file:
        made = any_store.create(run(iac=Payload.stream(file, filename="asset.bin")))
    assert made.iac is not None
    assert made.iac.size is not None
    assert (made.iac.size == len(data)) is noise
    with any_store.open_payload(made.iac) as reader:
        assert b"".join(reader) == data
    with any_store.open_payload(made.iac) as reader:
        assert reader.read(10) + reader.read(5) == data[:15]
    chunked = any_store.update(
        key_of(made), set={"iac": Payload.stream(iter([b"ab", b"cd"]), filename="small")}
    )
    assert chunked.iac is not None
    assert any_store.load(chunked.iac) == b"abcd"


def test_two_runs_share_a_key_and_each_shows_its_own_version(any_store: Store) -> None:
    # "The IaC key has no runId": the second upload of a file must not change what the first run was
    # made of.
    first = any_store.create(run("one", iac=Payload(b"resource one", filename="main.tf")))
    second = any_store.create(run("two", iac=Payload(b"resource two", filename="main.tf")))
    assert first.iac is not None
    assert second.iac is not None
    assert first.iac.key == second.iac.key == "uploads/prod/12345/main.tf"
    assert first.to_item()["iacS3VersionId"] != second.to_item()["iacS3VersionId"]
    assert (any_store.load(first.iac), any_store.load(second.iac)) == (
        b"resource one",
        b"resource two",
    )
    any_store.delete(second)
    assert any_store.load(first.iac) == b"resource one"
    assert versions(any_store) == [(first.iac.key, first.iac.version_id)]


def test_an_object_that_came_through_a_link_becomes_a_payload(any_store: Store) -> None:
    # The browser uploads, the program completes: it records which version it was.
    bucket = any_store.payloads.bucket("artifacts")
    bucket.put("uploads/prod/12345/main.tf", b"first")
    uploaded = bucket.head("uploads/prod/12345/main.tf")
    bucket.put("uploads/prod/12345/main.tf", b"somebody else's")
    made = any_store.create(run(iac=Payload.at(uploaded)))
    assert made.iac is not None
    assert made.to_item()["iacS3VersionId"] == {"S": uploaded.version_id}
    assert any_store.load(any_store.get(key_of(made)).iac or made.iac) == b"first"
    with pytest.raises(ValueError, match="does not match the key"):
        run(iac=Payload.at(bucket.put("graphs/secret.json", b"")))


def test_transactions_carry_payloads(any_store: Store) -> None:
    # All of them, or none, and no object of one that failed.
    first = run("one", graph=Payload(GRAPH))
    asset = Asset(database_id="d", asset_id="a", note=Payload("text"))
    any_store.transact(Put(first, "create"), Put(asset, "create"))
    (stored,) = any_store.scan(Run)
    assert len(versions(any_store)) == 2
    update = Update(key_of(stored), set_actions(Run, {"iac": Payload(b"x", filename="f")}))
    with pytest.raises(TransactionFailed):
        any_store.transact(
            update, Put(run("two", graph=Payload(GRAPH)), "create"), Put(asset, "create")
        )
    assert len(versions(any_store)) == 2
    any_store.transact(update, Delete(Asset.key(database_id="d", asset_id="a")))
    assert [key for key, _ in versions(any_store)] == [
        "graphs/prod/12345/one/graph.json",
        "uploads/prod/12345/f",
    ]
    updated = any_store.get(key_of(stored))
    assert updated.iac is not None
    assert any_store.load(updated.iac) == b"x"


def test_batches_carry_payloads(any_store: Store) -> None:
    # Without conditions, so not those that are written once.
    notes = [Asset(database_id="d", asset_id=f"{n}", note=Payload(f"note {n}")) for n in range(30)]
    written = any_store.batch_write(notes)
    assert [any_store.load(each.note) for each in written if isinstance(each, Asset) and each.note][
        7
    ] == "note 7"
    any_store.batch_write(deletes=[Asset.key(database_id="d", asset_id=f"{n}") for n in range(29)])
    assert [key for key, _ in versions(any_store)] == ["d/29/note.txt"]
    with pytest.raises(ModelError, match="written once"):
        any_store.batch_write([Run(user_id="u", run_id="r", graph=Payload(GRAPH))])


def test_an_item_made_from_another_has_an_object_of_its_own(any_store: Store) -> None:
    # A key cannot change, so items are moved by writing another one. The first takes its object
    # with it when it goes.
    first = any_store.create(Asset(database_id="d", asset_id="a", note=Payload("text")))
    second = any_store.create(first.changed(asset_id="b"))
    any_store.delete(first)
    assert second.note is not None
    assert second.note.key == "d/b/note.txt"
    assert any_store.load(second.note) == "text"
    made = any_store.create(run("one", iac=Payload(b"x", filename="f")))
    again = any_store.create(made.changed(run_id="two", environment="dev"))
    any_store.delete(made)
    assert again.iac is not None
    assert again.iac.key == "uploads/dev/12345/f"
    assert any_store.load(again.iac) == b"x"


def test_writing_what_was_read_uploads_nothing(store: Store) -> None:
    # A change of one field must not cost a copy of the object.
    store.create(Asset(database_id="d", asset_id="a", note=Payload("text")))
    read = store.get(Asset.key(database_id="d", asset_id="a"))
    assert store.put(read) == read
    archived = store.archive(read)
    assert store.put(archived) == archived
    assert len(versions(store)) == 1
    assert archived.note is not None
    assert store.load(archived.note) == "text"
    assert store.restore(archived) == read


def test_what_cannot_be_stored_leaves_nothing(store: Store) -> None:
    # Whatever fails after the first of two uploads takes it away again.
    for wrong, error in (
        ({"graph": Payload(GRAPH), "iac": Payload(b"x")}, ModelError),
        ({"graph": Payload(GRAPH), "iac": Payload(b"x", filename="../x")}, KeyValueError),
        (
            {"graph": Payload(GRAPH), "iac": Payload(b"x", filename="f"), "user_id": "u" * 5000},
            Exception,
        ),
    ):
        with pytest.raises(error):
            store.create(Run(**{"user_id": "12345", "run_id": "r", **wrong}))
    assert versions(store) == []
    with pytest.raises(ItemTooLarge):
        store.create(
            Asset(
                database_id="d", asset_id="a", description="long " * 100_000, note=Payload("text")
            )
        )
    assert versions(store) == []


@pytest.mark.slow
@pytest.mark.xdist_group("s3")
def test_a_bucket_without_versions_is_refused(store: Store, s3_endpoint: str) -> None:
    # Without them a writer that loses would have replaced what the winner's pointer shows.
    without = Store(
        store.backend, objects={"artifacts": new_s3_bucket(s3_endpoint, versions=False)}
    )
    with pytest.raises(NotConfigured, match="has no versions"):
        without.create(run(graph=Payload(GRAPH)))


def test_what_is_read_is_of_the_type(store: Store) -> None:
    # A program that changed its model must hear it here, and not three functions later.
    bucket = store.payloads.bucket("job-reports")
    bucket.put("jobs/j/reports/r.json", b'{"rows": "none"}')
    made = store.create(
        Report(job_id="j", report_id="r", content=Payload.at(bucket.head("jobs/j/reports/r.json")))
    )
    assert made.content is not None
    with pytest.raises(InvalidItem, match="title"):
        store.load(made.content)


def test_the_same_awaited(tmp_path: Path) -> None:
    # Objects are read and written in threads; the steps are the same.
    async def story() -> None:
        async with sortkey.open_async(":memory:", objects=str(tmp_path / "{bucket}")) as store:
            await store.ensure(model)
            made = await store.create(
                run(graph=Payload(GRAPH), iac=Payload(b"x" * 5000, filename="f"))
            )
            assert made.graph is not None
            assert made.iac is not None
            assert await store.load(made.graph) == GRAPH
            with await store.open_payload(made.iac) as reader:
                assert await asyncio.to_thread(reader.read) == b"x" * 5000
            for wrong in (
                store.create(made.changed(graph=Payload({}))),
                store.put(made.changed(graph=Payload({}))),
            ):
                with pytest.raises(ConditionFailed):
                    await wrong
            updated = await store.update(key_of(made), set={"iac": Payload(b"y", filename="g")})
            moved = await store.move(key_of(made), Run.status, "FAILED")
            assert moved == updated.changed(status="FAILED")
            assert await store.verify(model) == []
            assert len((await store.sweep(model, grace=timedelta(0))).removed) == 1
            await store.batch_write([Asset(database_id="d", asset_id="a", note=Payload("t"))])
            await store.transact(Delete(Asset.key(database_id="d", asset_id="a")))
            assert await store.delete(key_of(made)) is not None
            assert list(store.payloads.bucket("artifacts").versions()) == []

    asyncio.run(story())


def test_a_store_opens_its_buckets_by_their_names(tmp_path: Path) -> None:
    # One address for all of them, or one for each.
    with sortkey.open(tmp_path / "data", objects=tmp_path / "buckets" / "{bucket}") as store:
        store.ensure(model)
        store.create(run(iac=Payload.stream(io.BytesIO(b"x"), filename="f")))
    with sortkey.open(
        tmp_path / "data", objects={"artifacts": tmp_path / "buckets" / "artifacts"}
    ) as store:
        (read,) = store.scan(Run)
        assert read.iac is not None
        assert store.load(read.iac) == b"x"
    with pytest.raises(ModelError, match=r"must contain \{bucket\}"):
        sortkey.open(":memory:", objects="buckets")
    for wrong in ("http://bucket", "s3://", "s3://bucket/path", "s3://bucket?colour=red"):
        with pytest.raises(ModelError, match="not an address of a bucket"):
            sortkey.open_objects(wrong)
