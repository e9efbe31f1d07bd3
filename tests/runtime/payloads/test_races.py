"""Two writers of one payload, writers that do not hear how their write ended: no pointer shows a
damaged object.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sortkey import Objects, Payload, Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.errors import (
    AlreadyExists,
    ConditionalCheckFailedException,
    ConditionFailed,
    PreconditionFailed,
    StaleVersion,
    Unreachable,
)
from sortkey.runtime.backend import Capabilities
from tests.runtime.payloads.runs import Asset, Report, Run, Summary, model, run

NOTE = Asset.key(database_id="d", asset_id="a")
WRITES = ("PutItem", "UpdateItem", "TransactWriteItems")


def note(text: str) -> Asset:
    return Asset(database_id="d", asset_id="a", note=Payload(text))


def versions(store: Store, bucket: str = "artifacts") -> list[tuple[str, str]]:
    return [
        (version.key, version.version_id) for version in store.payloads.bucket(bucket).versions()
    ]


class Between:
    """A backend that calls a function at the moment between object and pointer."""

    capabilities = Capabilities()

    def __init__(
        self, engine: Engine, before: Callable[[], Any], after: Callable[[], Any] = lambda: None
    ) -> None:
        self._backend, self._before, self._after = EmbeddedBackend(engine), before, after

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation not in WRITES:
            return self._backend.call(operation, request)
        self._before()
        answer = self._backend.call(operation, request)
        self._after()
        return answer

    def close(self) -> None:
        pass


def together(store: Store, engine: Engine, writes: list[Callable[[Store], Any]]) -> list[Any]:
    """Let all of them store their objects before one of them writes its item; gives their results
    and errors.
    """
    barrier = threading.Barrier(len(writes))
    outcomes: list[Any] = [None] * len(writes)

    def run_one(number: int) -> None:
        mine = Store(Between(engine, barrier.wait), objects=store.payloads.buckets)
        try:
            outcomes[number] = writes[number](mine)
        except Exception as error:
            outcomes[number] = error
            barrier.abort() if isinstance(error, threading.BrokenBarrierError) else None

    threads = [threading.Thread(target=run_one, args=(number,)) for number in range(len(writes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def settled(store: Store, outcomes: list[Any], error: type[Exception]) -> Any:
    """The one that won. The others were refused."""
    (winner,) = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
    assert [type(outcome) for outcome in outcomes if outcome is not winner] == [error] * (
        len(outcomes) - 1
    ), outcomes
    return winner


def test_of_two_creators_the_loser_leaves_nothing_and_harms_nothing(
    any_store: Store, engine: Engine
) -> None:
    # Both objects are there when the items are written. Only the version id tells whose is whose.
    for round in range(10):
        asset = Asset(database_id="d", asset_id=f"{round}")
        texts = ["first", "second", "third"]
        outcomes = together(
            any_store,
            engine,
            [
                lambda mine, text=text, asset=asset: mine.create(asset.changed(note=Payload(text)))
                for text in texts
            ],
        )
        winner = settled(any_store, outcomes, AlreadyExists)
        assert any_store.load(winner.note) == texts[outcomes.index(winner)]
        read = any_store.get(Asset.key(database_id="d", asset_id=f"{round}"), consistent=True)
        assert read == winner
        bucket = any_store.payloads.bucket("artifacts")
        left = [version.version_id for version in bucket.versions(f"d/{round}/")]
        assert left == [winner.note.version_id]
        assert bucket.head(winner.note.key).version_id == winner.note.version_id
    assert any_store.verify(model, grace=timedelta(seconds=-60)) == []


def test_of_two_savers_the_stale_one_leaves_nothing(any_store: Store, engine: Engine) -> None:
    # Both have read version 1.
    first = any_store.save(Report(job_id="j", report_id="r"))
    titles = ["one", "two"]
    rows = list(range(200))
    outcomes = together(
        any_store,
        engine,
        [
            lambda s, t=title: s.save(first.changed(content=Payload(Summary(title=t, rows=rows))))
            for title in titles
        ],
    )
    winner = settled(any_store, outcomes, StaleVersion)
    assert any_store.load(winner.content).title == titles[outcomes.index(winner)]
    assert versions(any_store, "job-reports") == [(winner.content.key, winner.content.version_id)]


def test_of_two_that_write_once_one_does(any_store: Store, engine: Engine) -> None:
    # The first object that is there keeps the second writer from storing one at all.
    made = any_store.create(run())
    assert made.created_at is not None
    key = Run.key(user_id=made.user_id, created_at=made.created_at, run_id=made.run_id)
    results: list[Any] = []

    def write(number: int) -> None:
        try:
            results.append(any_store.update(key, set={"graph": Payload({"nodes": [number]})}))
        except PreconditionFailed as error:
            results.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [result for result in results if isinstance(result, Run)]
    assert len(results) == 4
    graph = any_store.get(key, consistent=True).graph
    assert graph == winner.graph
    assert graph is not None
    assert versions(any_store) == [(graph.key, graph.version_id)]


def test_a_writer_that_comes_second_does_not_take_the_object_of_one_at_work(
    store: Store, engine: Engine
) -> None:
    # Nobody can tell a slow writer from a dead one. Whoever takes over writes a version of his own,
    # and either may win.
    for slow_wins in (True, False):
        key = Run.key(
            user_id="12345",
            created_at=store.create(run(f"{slow_wins}")).created_at,
            run_id=f"{slow_wins}",
        )  # type: ignore[arg-type]
        second: list[Any] = []

        def overtake(
            key: Any = key, slow_wins: bool = slow_wins, second: list[Any] = second
        ) -> None:
            quick = Store(
                Between(engine, lambda: _refuse() if slow_wins else None),
                objects=store.payloads.buckets,
            )
            try:
                second.append(quick.update(key, set={"graph": Payload({"by": "the second"})}))
            except ConditionFailed as error:
                second.append(error)

        slow = Store(Between(engine, overtake), objects=store.payloads.buckets)
        if slow_wins:
            slow.update(key, set={"graph": Payload({"by": "the first"})})
            assert isinstance(second[0], ConditionFailed)
        else:
            with pytest.raises(PreconditionFailed):
                slow.update(key, set={"graph": Payload({"by": "the first"})})
        read = store.get(key)
        assert read.graph is not None
        assert store.load(read.graph) == {"by": "the first" if slow_wins else "the second"}
        assert (read.graph.key, read.graph.version_id) in versions(store)
        mine = [version for name, version in versions(store) if name == read.graph.key]
        assert mine == [read.graph.version_id]


def _refuse() -> None:
    raise ConditionalCheckFailedException()


def test_without_an_answer_the_object_stays(store: Store, engine: Engine) -> None:
    # The item may have been written: removing its object would damage it. What is left over is
    # collected later.
    def lose() -> None:
        raise Unreachable("no answer")

    done = Store(Between(engine, lambda: None, lose), objects=store.payloads.buckets)
    with pytest.raises(Unreachable):
        done.create(note("was written"))
    read = store.get(NOTE)
    assert read.note is not None
    assert store.load(read.note) == "was written"
    not_done = Store(Between(engine, lose), objects=store.payloads.buckets)
    with pytest.raises(Unreachable):
        not_done.put(note("was not written"))
    assert len(versions(store)) == 2
    assert [finding.kind for finding in store.verify(model, grace=timedelta(0))] == ["orphaned"]
    assert len(store.sweep(model, grace=timedelta(0)).removed) == 1
    assert store.load(read.note) == "was written"


class Repeating(EmbeddedBackend):
    """A client whose first answer was lost, and that asked again."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation in WRITES:
            super().call(operation, request)
        return super().call(operation, request)


def test_a_write_that_was_refused_for_its_own_first_try_keeps_its_object(
    store: Store, engine: Engine
) -> None:
    # The first try was done, the second is refused because of it.
    repeating = Store(Repeating(engine), objects=store.payloads.buckets)
    with pytest.raises(AlreadyExists):
        repeating.create(note("text"))
    read = store.get(NOTE)
    assert read.note is not None
    assert store.load(read.note) == "text"
    with pytest.raises(AlreadyExists):
        repeating.create(run(graph=Payload({"nodes": []})))
    (stored,) = store.scan(Run)
    assert stored.graph is not None
    assert store.load(stored.graph) == {"nodes": []}


def test_a_leftover_of_a_dead_writer_does_not_block_what_is_written_once(
    any_store: Store, engine: Engine
) -> None:
    # Killed between object and pointer: the next try must not find that "it is there already", for
    # ever.
    def die() -> None:
        raise KeyboardInterrupt

    doomed = Store(Between(engine, die), objects=any_store.payloads.buckets)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            doomed.create(run(graph=Payload({"try": 1})))
    left = versions(any_store)
    assert len(left) == 2
    made = any_store.create(run(graph=Payload({"try": 2})))
    assert made.graph is not None
    assert any_store.load(made.graph) == {"try": 2}
    assert (
        any_store.payloads.bucket("artifacts").head(made.graph.key).version_id
        == made.graph.version_id
    )
    swept = any_store.sweep(model, grace=timedelta(seconds=-60))
    assert {(finding.key, finding.version_id) for finding in swept.removed} == set(left)
    assert versions(any_store) == [(made.graph.key, made.graph.version_id)]


def test_what_somebody_else_put_there_is_not_taken_over(store: Store) -> None:
    # An object that is none of ours may be wanted by whoever wrote it.
    store.payloads.bucket("artifacts").put("graphs/prod/12345/c8a91e/graph.json", b"{}")
    with pytest.raises(PreconditionFailed, match="already exists"):
        store.create(run(graph=Payload({"nodes": []})))
    assert store.scan(Run) == []
    assert len(versions(store)) == 1


def test_a_bucket_that_fails_while_it_is_tidied_does_not_hide_the_error(
    store: Store, engine: Engine, buckets: dict[str, Objects], caplog: pytest.LogCaptureFixture
) -> None:
    # The refusal is what the program must hear. The object is found by the next sweep.
    store.create(note("first"))
    bucket = buckets["artifacts"]

    def fail(key: str, version_id: str | None = None) -> None:
        raise Unreachable("the bucket is away")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket, "delete", fail)
        with pytest.raises(AlreadyExists):
            store.create(note("second"))
    assert "the bucket is away" in caplog.text
    assert len(versions(store)) == 2
    store.sweep(model, grace=timedelta(0))
    assert len(versions(store)) == 1
