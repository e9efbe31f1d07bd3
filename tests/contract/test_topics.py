"""The contract of topics, on every adapter: who listens gets every message, from every process, and
misses none.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey.errors import MessageTooLarge, ModelError
from sortkey.runtime.topics import MESSAGE_BYTES_MAX, Message
from tests.contract.topics_adapters import Place, local, memory, moto_server, sns

PATIENCE = 10.0
"""Seconds until a message that must come counts as lost."""

READY = "session-ready"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_server() as url:
        yield url


@pytest.fixture(
    params=["memory", "local", pytest.param("sns", marks=pytest.mark.xdist_group("moto"))]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "memory":
        with memory() as made:
            yield made
    elif request.param == "local":
        with local(tmp_path) as made:
            yield made
    else:
        with sns(request.getfixturevalue("endpoint")) as made:
            yield made


def test_a_message_reaches_everyone_who_listens_also_in_another_process(place: Place) -> None:
    # The one who waits and the one who publishes are seldom the same process.
    with place.ours.subscribe(READY) as here, place.theirs.subscribe(READY) as there:
        id = place.ours.publish(READY, {"sessionId": "sess_1"}, attributes={"project": "p"})
        for subscription in (here, there):
            message = subscription.wait_for(timeout=PATIENCE)
            assert message is not None
            assert (message.topic, message.id, message.body) == (READY, id, {"sessionId": "sess_1"})
            assert message.attributes == {"project": "p"}
            assert abs(datetime.now(UTC) - message.at) < timedelta(minutes=1)


def test_messages_come_once_and_in_order_where_the_service_keeps_it(place: Place) -> None:
    # A progress that jumps back and forth is worse than none.
    with place.theirs.subscribe("progress") as there:
        for number in range(30):
            place.ours.publish("progress", number)
        found = [message.body for _ in range(30) if (message := there.wait_for(timeout=PATIENCE))]
        assert (found if place.keeps_order else sorted(found)) == list(range(30))
        assert there.wait_for(timeout=0.05) is None


def test_a_topic_is_not_heard_in_another(place: Place) -> None:
    # Names are all that separates them.
    with place.ours.subscribe("one") as one, place.ours.subscribe("two") as two:
        place.theirs.publish("two", "for two")
        assert two.wait_for(timeout=PATIENCE)
        assert one.wait_for(timeout=0.05) is None


def test_waiting_picks_the_message_that_matches_and_leaves_the_others(place: Place) -> None:
    # Many sessions become ready on one topic, and each caller waits for its own.
    with place.ours.subscribe(READY) as subscription:
        for name in ("sess_1", "sess_2", "sess_3"):
            place.theirs.publish(READY, {"sessionId": name, "at": 1})
        second = subscription.wait_for({"sessionId": "sess_2"}, PATIENCE)
        first = subscription.wait_for(
            lambda message: message.body["sessionId"] == "sess_1", PATIENCE
        )
        assert second is not None
        assert first is not None
        assert (second.body["sessionId"], first.body["sessionId"]) == ("sess_2", "sess_1")


def test_waiting_ends_after_its_timeout(place: Place) -> None:
    # A browser that never starts must not hold its caller for ever.
    place.theirs.publish(READY, {"sessionId": "sess_1"})
    began = time.monotonic()
    assert place.ours.wait_for(READY, {"sessionId": "sess_9"}, timeout=0.05) is None
    assert time.monotonic() - began < PATIENCE


def test_one_who_waits_is_woken_by_a_later_publish(place: Place) -> None:
    # The usual case: the wait begins long before there is something to tell.
    found: list[Message | None] = []
    with place.ours.subscribe(
        "warm-up"
    ) as warm:  # the first listener of a process may take a while to set up
        place.theirs.publish("warm-up", None)
        assert warm.wait_for(timeout=PATIENCE)
    waiting = threading.Thread(
        target=lambda: found.append(place.ours.wait_for("later", {"n": 2}, PATIENCE))
    )
    waiting.start()
    deadline = time.monotonic() + PATIENCE
    while not found and time.monotonic() < deadline:
        place.theirs.publish("later", {"n": 2})
        waiting.join(0.05)
    waiting.join(PATIENCE)
    assert found
    assert found[0] is not None


def test_since_finds_what_was_published_before_the_wait(place: Place) -> None:
    # A fast browser is ready before its creator has come to wait.
    with place.ours.subscribe(
        READY
    ) as listening:  # the process listens already, as one that serves requests does
        began = datetime.now(UTC) - timedelta(seconds=2)
        place.theirs.publish(READY, {"sessionId": "fast"})
        assert listening.wait_for(timeout=PATIENCE)
    assert place.ours.wait_for(READY, {"sessionId": "fast"}, 0.01) is None
    found = place.ours.wait_for(READY, {"sessionId": "fast"}, PATIENCE, since=began)
    assert found is not None


def test_a_callback_gets_messages_and_survives_its_own_failure(place: Place) -> None:
    # One bad message must not silence a subscriber.
    seen: list[Any] = []
    done = threading.Event()

    def callback(message: Message) -> None:
        if message.body == "bad":
            raise RuntimeError("bad message")
        seen.append(message.body)
        done.set()

    with place.theirs.subscribe("calls", callback):
        place.ours.publish("calls", "bad")
        place.ours.publish("calls", "good")
        assert done.wait(PATIENCE)
    assert seen == ["good"]


def test_a_subscription_is_an_iterator_that_ends_when_it_is_closed(place: Place) -> None:
    # `for message in subscription` is a worker's main loop; it must be possible to stop it.
    subscription = place.ours.subscribe("loop", match=lambda message: message.body != "noise")
    for body in ("noise", 1, 2):
        place.theirs.publish("loop", body)
    found: list[Any] = []
    for message in subscription:
        found.append(message.body)
        if len(found) == 2:
            subscription.close()
    assert sorted(found) == [1, 2]


def test_many_wait_at_once_without_a_thread_each(place: Place) -> None:
    # A web server has hundreds of callers that wait for their own session.
    async def run() -> list[Message | None]:
        names = [f"sess_{number}" for number in range(50)]
        with place.ours.subscribe(READY):  # so that setting up is behind us
            waits = [
                asyncio.create_task(place.ours.wait_for_async(READY, {"sessionId": name}, PATIENCE))
                for name in names
            ]
            await asyncio.sleep(0)
            threads = threading.active_count()
            for name in names:
                await asyncio.to_thread(place.theirs.publish, READY, {"sessionId": name})
            assert threading.active_count() - threads < 40
            return await asyncio.gather(*waits)

    found = asyncio.run(run())
    assert [message and message.body["sessionId"] for message in found] == [
        f"sess_{number}" for number in range(50)
    ]


def test_awaiting_ends_after_its_timeout_too(place: Place) -> None:
    # The same promise as to those who wait.
    assert asyncio.run(place.ours.wait_for_async("nothing", timeout=0.02)) is None


def test_a_message_that_no_topic_carries_is_refused(place: Place) -> None:
    # Found here, not on the day of the first deployment.
    with pytest.raises(MessageTooLarge, match="262,144"):
        place.ours.publish(READY, "x" * MESSAGE_BYTES_MAX)
    with pytest.raises(ModelError, match="must be JSON"):
        place.ours.publish(READY, {"at": object()})


def test_closing_ends_everything_and_twice_is_fine(place: Place) -> None:
    # Programs close in whatever order their parts end.
    opened = place.open()
    ended = threading.Event()
    subscription = opened.subscribe(READY)

    def listen() -> None:
        assert list(subscription) == []
        ended.set()

    threading.Thread(target=listen).start()
    opened.close()
    opened.close()
    assert ended.wait(PATIENCE)
