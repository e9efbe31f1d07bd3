"""Objects go when their items go, and not before; what nobody shows is found and removed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey import Change, Objects, Payload, Store, StreamWorker, on_change
from sortkey.engine import Engine
from sortkey.errors import ObjectCorrupt, ObjectNotFound
from sortkey.testing import FrozenClock
from tests.runtime.payloads.runs import Asset, Report, Run, Summary, model, run

NOTE = Asset.key(database_id="d", asset_id="a")
DAY = 24 * 3600


def note(text: str) -> Asset:
    return Asset(database_id="d", asset_id="a", note=Payload(text))


def keys(store: Store, bucket: str = "artifacts") -> list[str]:
    return [version.key for version in store.payloads.bucket(bucket).versions()]


def found(store: Store, **how: Any) -> list[tuple[str, str]]:
    return [(finding.kind, finding.key) for finding in store.verify(model, **how)]


def test_a_delete_takes_the_objects_along(any_store: Store) -> None:
    # By version id: what another item shows under the same key stays.
    made = any_store.create(run(graph=Payload({}), iac=Payload(b"x", filename="f")))
    any_store.create(run("other", iac=Payload(b"y", filename="f")))
    assert any_store.delete(made) == made
    assert keys(any_store) == ["uploads/prod/12345/f"]
    assert any_store.delete(made) is None
    again = any_store.create(run(graph=Payload({"nodes": []})))
    assert again.graph is not None
    assert any_store.load(again.graph) == {"nodes": []}


def test_what_expires_is_collected_by_the_stream(
    store: Store, engine: Engine, clock: FrozenClock
) -> None:
    # TTL deletes the item behind the program's back; the handler hears of it.
    @on_change(Run, kinds=["deleted"])
    def tidy(change: Change[Run]) -> None:
        store.collect(change)

    expires = datetime.fromtimestamp(clock() + 10).astimezone()
    store.create(
        run("short", expires_at=expires, graph=Payload({}), iac=Payload(b"x", filename="f"))
    )
    store.create(run("long", graph=Payload({})))
    clock.advance(60)
    engine.work()
    assert len(keys(store)) == 3
    StreamWorker(store, [tidy], name="tidy", clock=clock).run_until_idle()
    assert keys(store) == ["graphs/prod/12345/long/graph.json"]
    assert store.verify(model, grace=timedelta(0)) == []


class Gone:
    """The change that an archive's first half is for a handler."""

    def __init__(self, old: Asset) -> None:
        self.old, self.new = old, None


def test_what_is_archived_keeps_its_objects(store: Store) -> None:
    # For the stream an archived item is one that was deleted, and another one that came.
    made = store.create(note("text"))
    archived = store.archive(made)
    store.collect(Gone(made))
    assert archived.note is not None
    assert store.load(archived.note) == "text"
    store.sweep(model, grace=timedelta(0))
    assert store.load(archived.note) == "text"
    restored = store.restore(archived)
    store.collect(Gone(archived))
    assert restored.note is not None
    assert store.load(restored.note) == "text"
    store.delete(store.archive(restored))
    assert keys(store) == []


def test_a_late_event_does_not_take_what_is_shown_again(store: Store) -> None:
    # Streams tell at least once, and late.
    first = store.create(note("text"))
    second = store.put(first)
    store.collect(Gone(first))
    assert second.note is not None
    assert store.load(second.note) == "text"


def test_a_sweep_leaves_what_is_young(store: Store, clock: FrozenClock) -> None:
    # An upload waits for its pointer, a reader has the item of a moment ago.
    store.put(note("old"))
    shown = store.put(note("new"))
    assert store.sweep(model).removed == []
    clock.advance(DAY + 1)
    swept = store.sweep(model)
    assert [(finding.kind, finding.key) for finding in swept.removed] == [
        ("orphaned", "d/a/note.txt")
    ]
    assert swept.bytes == 3
    assert shown.note is not None
    assert store.load(shown.note) == "new"
    assert store.sweep(model).removed == []


def test_a_sweep_leaves_what_is_none_of_its_business(store: Store, clock: FrozenClock) -> None:
    # A bucket may hold more than payloads; and a pointer without a version shows whatever is there.
    bucket = store.payloads.bucket("artifacts")
    bucket.put("thumbnails/cat.webp", b"")
    bucket.put("graphs/readme.txt", b"")
    bucket.put("d/b/note.txt", b"theirs")
    theirs = {"databaseId": {"S": "d"}, "assetId": {"S": "b"}, "note_key": {"S": "d/b/note.txt"}}
    store.backend.call("PutItem", {"TableName": "assets", "Item": theirs})
    clock.advance(2 * DAY)
    assert store.sweep(model).removed == []
    read = store.get(Asset.key(database_id="d", asset_id="b"))
    assert read.note is not None
    assert store.load(read.note) == "theirs"
    store.delete(read)
    assert bucket.read("d/b/note.txt") == b"theirs"


def test_nothing_is_wrong_with_what_was_written_right(any_store: Store) -> None:
    # Else nobody would look at what it says.
    any_store.create(
        run(graph=Payload({"nodes": ["n" * 5000]}), iac=Payload.stream([b"x" * 99], filename="f"))
    )
    for number in range(3):
        any_store.create(
            Report(
                job_id="j",
                report_id=f"{number}",
                content=Payload(Summary(title="t", rows=[1] * 150 * number)),
            )
        )
    any_store.archive(any_store.create(note("text")))
    assert any_store.verify(model, grace=timedelta(seconds=-60)) == []
    assert any_store.verify(model, grace=timedelta(seconds=-60), quick=True) == []


def test_what_is_missing_changed_or_orphaned_is_listed(any_store: Store) -> None:
    # A backup that was put back in part, a hand in the bucket, a killed writer.
    bucket = any_store.payloads.bucket("artifacts")
    gone = any_store.create(run("gone", graph=Payload({})))
    assert gone.graph is not None
    bucket.delete(gone.graph.key or "", gone.graph.version_id)
    changed = any_store.create(note("text")).to_item()
    other = bucket.put("d/a/note.txt", b"tex!")
    any_store.backend.call(
        "PutItem",
        {"TableName": "assets", "Item": {**changed, "note_version_id": {"S": other.version_id}}},
    )
    bucket.put("graphs/prod/12345/lost/graph.json", b"{}")
    wanted = [
        ("changed", "d/a/note.txt"),
        ("missing", "graphs/prod/12345/gone/graph.json"),
        ("orphaned", "d/a/note.txt"),
        ("orphaned", "graphs/prod/12345/lost/graph.json"),
    ]
    assert sorted(found(any_store, grace=timedelta(seconds=-60))) == wanted
    assert sorted(found(any_store, grace=timedelta(seconds=-60), quick=True)) == wanted
    assert sorted(found(any_store)) == wanted[:2]
    (missing,) = [finding for finding in any_store.verify(model) if finding.kind == "missing"]
    assert (missing.table, missing.version_id) == ("graph-runs", gone.graph.version_id)
    assert missing.item is not None
    assert missing.item["PK"] == {"S": "USER#12345"}


def damage(buckets: dict[str, Objects], tmp_path: Path, version: str | None) -> None:
    """A bit that fell over on the disk."""
    assert version is not None
    (path,) = (tmp_path / "artifacts" / "objects").glob(f"*/{version}")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


@pytest.mark.parametrize("text", ["short text", "long text " * 1000])
def test_what_was_damaged_on_the_disk_is_never_given_out(
    store: Store, buckets: dict[str, Objects], tmp_path: Path, text: str
) -> None:
    # Also where it is packed, and the damage hits the packing.
    made = store.create(note(text))
    assert made.note is not None
    damage(buckets, tmp_path, made.note.version_id)
    with pytest.raises(ObjectCorrupt):
        store.load(made.note)
    with store.open_payload(made.note) as reader, pytest.raises(ObjectCorrupt):
        list(iter(lambda: reader.read(7), b""))
    assert found(store, quick=True) == []
    assert found(store) == [("changed", "d/a/note.txt")]


def test_what_was_cut_off_or_lost_on_the_disk_is_reported(
    store: Store, buckets: dict[str, Objects], tmp_path: Path
) -> None:
    # A disk that was full, a hand in the folder.
    made = store.create(note("some text"))
    assert made.note is not None
    (path,) = (tmp_path / "artifacts" / "objects").glob(f"*/{made.note.version_id}")
    path.write_bytes(b"some")
    with pytest.raises(ObjectCorrupt, match="5 bytes early"):
        store.load(made.note)
    path.unlink()
    with pytest.raises(ObjectCorrupt, match="backup"):
        store.load(made.note)
    assert found(store) == [("changed", "d/a/note.txt")]


def test_an_object_of_another_version_is_not_taken_for_the_one_that_was_shown(store: Store) -> None:
    # The pointer says which bytes; a version with others is damage, whoever wrote it.
    made = store.create(note("text"))
    item = {**made.to_item(), "note_sha256": {"S": "0" * 64}}
    store.backend.call("PutItem", {"TableName": "assets", "Item": item})
    read = store.get(NOTE)
    assert read.note is not None
    with pytest.raises(ObjectCorrupt, match="should be 0000"):
        store.load(read.note)
    with pytest.raises(ObjectNotFound):
        store.open_payload(Payload("not stored"))
