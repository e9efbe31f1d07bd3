"""Many creates at once, and many one after the other: limits hold, and nothing adds up."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.systems.wallcrawler.driven import Driven, driven, processes_of, wait_until

pytestmark = pytest.mark.slow

CYCLES = 50


def zombies() -> int:
    """Dead children of this process that nobody has fetched."""
    states: list[str] = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            states.append(fields[0])
    return states.count("Z")


@pytest.mark.accepts("WC-30")
def test_of_twenty_creates_at_once_five_succeed_where_five_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The fifteen others learn at once that they have to wait, and the five are whole.
    with driven(tmp_path, monkeypatch, concurrency=5) as server:

        def create(_: int) -> httpx.Response:
            return server.client.post("/v1/sessions", json={})

        with ThreadPoolExecutor(20) as threads:
            answers = list(threads.map(create, range(20)))
        assert Counter(each.status_code for each in answers) == {201: 5, 429: 15}
        assert all(each.headers["Retry-After"] for each in answers if each.status_code == 429)
        assert len({each.json()["id"] for each in answers if each.status_code == 201}) == 5
        assert server.places_taken == 5


def test_fifty_sessions_one_after_the_other_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A leak of one process or folder a session is an outage after a week.
    with driven(tmp_path, monkeypatch, WARM="1", leaves_sessions=True) as server:
        before, dead_before = _what_is_open(server), zombies()  # other tests may have left some
        for _ in range(CYCLES):
            session = server.create(browserSettings={"recordSession": False})
            alive = processes_of(server.service, session)
            assert server.release(session)["status"] == "COMPLETED"
            wait_until(lambda: alive() == [])  # noqa: B023
        assert server.places_taken == 0
        wait_until(lambda: zombies() <= dead_before)
        assert not list((server.service.resources.folder / "sessions").iterdir())
        wait_until(lambda: _what_is_open(server) <= before + 5)


def _what_is_open(_: Driven) -> int:
    """Descriptors of the server, which runs in this process."""
    return len(os.listdir("/proc/self/fd"))
