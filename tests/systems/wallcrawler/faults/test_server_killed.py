"""The server killed with -9, again and again: sessions run on, are found, and end in time."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from sortkey.wire.addresses import bind
from tests.systems.wallcrawler.driven import Cdp, need_chromium, wait_until

pytestmark = pytest.mark.slow

KILLS = 20
FOUND_SECONDS = 3.0


@contextmanager
def serving(folder: Path, port: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`sortkey rest wallcrawler`, at the root of its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", "rest", "wallcrawler", "--port", str(port)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "WALLCRAWLER_WARM": "0"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield found[0], process
    finally:
        process.kill()
        process.communicate()


def command(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "sortkey", "wallcrawler", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def connected(url: str, seconds: float) -> Cdp:
    """A client that tries until the server is there again."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return Cdp(url)
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def test_a_session_survives_twenty_servers(tmp_path: Path) -> None:
    # A deployment, a crash, the memory killer: what people were doing goes on under the same URL.
    need_chromium()
    [free] = bind("127.0.0.1", 0)[:1]
    port = free.getsockname()[1]
    free.close()
    with serving(tmp_path, port) as (address, process):
        command(tmp_path, "projects", "create", "project_one")
        made = json.loads(
            command(tmp_path, "keys", "create", "t", "--project", "project_one", "--json")
        )
        headers = {"X-BB-API-Key": made["key"]}
        body = {"keepAlive": True, "timeout": 1800}
        session = httpx.post(
            f"{address}/v1/sessions", json=body, headers=headers, timeout=60
        ).json()
        target = Cdp(session["connectUrl"]).call(
            "Target.createTarget", {"url": "about:blank#kept"}
        )["targetId"]
        process.send_signal(signal.SIGKILL)
    for number in range(KILLS):
        with serving(tmp_path, port) as (address, process):
            cdp = connected(session["connectUrl"], FOUND_SECONDS)
            targets = [each["targetId"] for each in cdp.call("Target.getTargets")["targetInfos"]]
            assert target in targets, f"lost after {number + 1} kills"
            process.send_signal(signal.SIGKILL)
    with serving(tmp_path, port) as (address, _):
        path = f"{address}/v1/sessions/{session['id']}"
        assert httpx.get(path, headers=headers).json()["status"] == "RUNNING"
        released = httpx.post(
            path, json={"status": "REQUEST_RELEASE"}, headers=headers, timeout=60
        ).json()
        assert released["status"] == "COMPLETED"
        sessions = tmp_path / "data" / "wallcrawler" / "sessions"
        wait_until(lambda: not list(sessions.iterdir()))
        assert urlsplit(address).port == port
