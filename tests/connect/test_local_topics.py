"""Topics of a folder, beyond the contract: real processes, what a killed one leaves, what is kept
for how long.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sortkey.connect.local_topics import PIPE_PREFIX, STORED_SECONDS, LocalTopics
from sortkey.runtime.topic_hub import KEPT_SECONDS
from sortkey.testing import FrozenClock

PATIENCE = 20.0

LISTENER = """
import sys
from sortkey.connect.local_topics import LocalTopics
topics = LocalTopics(sys.argv[1])
with topics.subscribe("news") as news:
    print("listening", flush=True)
    for message in news:
        print(message.body, flush=True)
"""


def listener(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENER, str(folder)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "listening\n"
    return process


def pipes(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder / "topics") if name.startswith(PIPE_PREFIX)]


@pytest.mark.slow
def test_a_message_wakes_another_process_at_once(tmp_path: Path) -> None:
    # A listener sleeps until it is woken; a second of polling would be a second for every session.
    process = listener(tmp_path)
    assert process.stdout is not None
    try:
        with LocalTopics(tmp_path) as topics:
            times: list[float] = []
            for number in range(20):
                began = time.monotonic()
                topics.publish("news", number)
                assert process.stdout.readline() == f"{number}\n"
                times.append(time.monotonic() - began)
        assert sorted(times)[len(times) // 2] < 0.1
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.slow
def test_what_a_killed_listener_leaves_is_removed(tmp_path: Path) -> None:
    # Its pipe has no reader any more; it must neither block a publisher nor stay for ever.
    process = listener(tmp_path)
    assert len(pipes(tmp_path)) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    with LocalTopics(tmp_path) as topics:
        topics.publish("news", 1)
    assert pipes(tmp_path) == []


def test_a_listener_that_is_not_woken_looks_by_itself(tmp_path: Path) -> None:
    # A pipe only says "look"; nothing depends on its being heard.
    ours, theirs = LocalTopics(tmp_path, look_seconds=0.005), LocalTopics(tmp_path)
    with ours, theirs, ours.subscribe("news") as news:
        (pipe,) = pipes(tmp_path)
        os.unlink(tmp_path / "topics" / pipe)
        theirs.publish("news", 1)
        assert news.wait_for(timeout=PATIENCE)


def test_a_path_of_any_length_will_do(tmp_path: Path) -> None:
    # A Unix socket may have 107 characters, which folders of tests and deployments exceed.
    folder = tmp_path / ("long" * 30) / ("longer" * 30)
    with LocalTopics(folder) as ours, LocalTopics(folder) as theirs, ours.subscribe("news") as news:
        theirs.publish("news", 1)
        assert news.wait_for(timeout=PATIENCE)


def test_a_process_that_begins_to_listen_finds_the_messages_of_the_last_minute(
    tmp_path: Path, sortkey_clock: FrozenClock
) -> None:
    # It was started because of the message; older ones are nobody's business any more.
    with LocalTopics(tmp_path, clock=sortkey_clock) as theirs:
        theirs.publish("news", "old")
        sortkey_clock.advance(KEPT_SECONDS + 1)
        theirs.publish("news", "new")
    with LocalTopics(tmp_path, clock=sortkey_clock) as ours:
        found = ours.wait_for("news", timeout=PATIENCE, since=datetime.fromtimestamp(0, UTC))
        assert found is not None
        assert found.body == "new"


def test_messages_do_not_pile_up(tmp_path: Path, sortkey_clock: FrozenClock) -> None:
    # A file that only grows fills the disk of somebody who is not looking.
    with LocalTopics(tmp_path, clock=sortkey_clock) as topics:
        for _ in range(100):
            topics.publish("news", "x" * 1000)
        sortkey_clock.advance(STORED_SECONDS + 1)
        topics.publish("news", "last")
        topics.publish("news", "very last")
    import apsw

    database = apsw.Connection(str(tmp_path / "topics" / "topics.db"))
    assert database.execute("select count(*) from message").fetchone() == (2,)
    database.close()


def test_many_threads_publish_and_none_is_lost(tmp_path: Path) -> None:
    # Writers of several processes wait for each other, and for nothing else.
    with (
        LocalTopics(tmp_path) as ours,
        LocalTopics(tmp_path) as theirs,
        ours.subscribe("news") as news,
    ):

        def publish(topics: LocalTopics, first: int) -> None:
            for number in range(first, first + 100):
                topics.publish("news", number)

        threads = [
            threading.Thread(target=publish, args=(topics, 100 * n))
            for n, topics in enumerate((ours, theirs, theirs))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = [message.body for _ in range(300) if (message := news.wait_for(timeout=PATIENCE))]
        assert sorted(found) == list(range(300))
        for first in (0, 100, 200):
            assert [number for number in found if first <= number < first + 100] == list(
                range(first, first + 100)
            )
