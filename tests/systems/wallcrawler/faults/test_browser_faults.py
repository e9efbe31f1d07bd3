"""Torture of browsers: everything is killed, again and again, and nothing may be left or lost."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.browsers.local.home import PROFILE
from sortkey_systems.wallcrawler.browsers.local.process_tree import descendants, program_name
from sortkey_systems.wallcrawler.browsers.port import BrowserStopped
from tests.systems.wallcrawler.browsers.local.running import (
    Running,
    need_chromium,
    nothing_left_of,
    running,
    until,
)
from tests.systems.wallcrawler.faults import server_stub

pytestmark = pytest.mark.slow

TIMES = 20
FIND_SECONDS = 3.0


def test_a_killed_chromium_ends_its_session_and_leaves_nothing(tmp_path: Path) -> None:
    # Browsers crash. A session that seems to run on is worse than one that has ended.
    async def scenario() -> None:
        async with running(tmp_path, warm=2) as run:
            for number in range(TIMES):
                session = await run.start(f"s{number}")
                state = run.state(session)
                async with run.client(session) as client:
                    await client.page()
                    os.kill(_main_process(state.holder_pid), signal.SIGKILL)
                    await until(lambda: _stopped(run, session))  # noqa: B023
                assert "SIGKILL" in (await run.browsers.end(session, "crashed")).reason
                await nothing_left_of(state)
                assert not Path(state.home).exists()

    asyncio.run(scenario())


def test_clients_that_vanish_in_the_middle_of_a_command_leave_the_browser_to_others(
    tmp_path: Path,
) -> None:
    # Scripts are killed all the time. What they were waiting for must not pile up.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            holder = run.state(session).holder_pid
            async with run.client(session) as client:  # the recorder has opened its files after it
                await client.call("Target.createBrowserContext")
            descriptors = _descriptors(holder)
            for _ in range(TIMES):
                async with run.client(session) as client:
                    page = await client.page()
                    await client.call("Target.createBrowserContext")
                    endless = {"expression": "new Promise(() => {})", "awaitPromise": True}
                    await client.send("Runtime.evaluate", endless, page)
            async with run.client(session) as client:
                assert (await client.call("Target.getBrowserContexts"))["browserContextIds"] == []
                assert await client.evaluate("6 * 7", await client.page()) == 42
            await until(lambda: _descriptors(holder) <= descriptors)

    asyncio.run(scenario())


def test_a_server_that_is_killed_finds_its_session_again(tmp_path: Path) -> None:
    # The pipe of a browser dies with its owner. That owner is not the server.
    need_chromium()
    mark = "window.mark = (window.mark || 0) + 1"

    async def use(expected: int) -> None:
        is_last = expected == TIMES
        async with (
            running(tmp_path, homes=None, ends_sessions=is_last) as run,
            run.client("sess_a") as client,
        ):
            assert await client.evaluate(mark, await client.page()) == expected

    for number in range(TIMES):
        with _server(tmp_path / "data") as (server, line):
            if number:
                word, found, seconds = line.split()
                assert (word, found) == ("serving", "sess_a")
                assert float(seconds) < FIND_SECONDS
            server.kill()
        asyncio.run(use(number + 1))


def test_many_sessions_one_after_another_leave_no_trace(tmp_path: Path) -> None:
    # A service runs for months. One descriptor or process left by each session ends it in days.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            await _create_and_release(run, "warmup")
            descriptors, children = _descriptors(os.getpid()), len(descendants(os.getpid()))
            for number in range(8):  # the service has its own fifty
                await asyncio.gather(
                    _create_and_release(run, f"a{number}"), _create_and_release(run, f"b{number}")
                )
            assert os.listdir(run.homes) == []
            assert await run.browsers.running() == []
            await until(lambda: _descriptors(os.getpid()) == descriptors)
            await until(lambda: len(descendants(os.getpid())) == children)

    asyncio.run(scenario())


def test_a_disk_that_is_full_loses_the_archive_and_says_so(tmp_path: Path) -> None:
    # The profile of the session before stays what it was; and the session still ends.
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")

    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start(persist=True, log=False)
            state = run.state(session)
            large = Path(state.home) / PROFILE / "Default" / "large"
            large.write_bytes(os.urandom(2_000_000))  # what a site has stored, and does not shrink
            ended = await run.browsers.end(session, "released")
            assert ended.profile_archive is None
            assert "No space left on device" in (ended.archive_error or "")
            await nothing_left_of(state)
            assert not Path(state.home).exists()

    with _small_disk(tmp_path / "data"):
        asyncio.run(scenario())


def test_a_page_that_never_loads_does_not_hold_up_the_end(tmp_path: Path) -> None:
    # The request is still open when the session is released.
    async def scenario() -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            async with running(tmp_path) as run:
                session = await run.start()
                async with run.client(session) as client:
                    page = await client.page()
                    port = silent.getsockname()[1]
                    url = f"http://127.0.0.1:{port}/"
                    await client.send("Page.navigate", {"url": url}, page)
                    await asyncio.to_thread(silent.accept)
                began = time.monotonic()
                await run.browsers.end(session, "released")
                assert time.monotonic() - began < 10

    asyncio.run(scenario())


def test_pages_that_crash_again_and_again_leave_the_browser_running(tmp_path: Path) -> None:
    # A site can crash its renderer at every visit; the session goes on.
    async def scenario() -> None:
        async with running(tmp_path) as run, run.client(await run.start()) as client:
            for _ in range(TIMES):
                target = await client.call("Target.createTarget", {"url": "about:blank"})
                page = await client.attach(target["targetId"])
                await client.call("Inspector.enable", session=page)
                await client.send("Page.crash", {}, page)
                await client.event("Inspector.targetCrashed")
                await client.call("Target.closeTarget", target)
            assert (await client.call("Browser.getVersion"))["product"]

    asyncio.run(scenario())


# -- means


async def _create_and_release(run: Running, name: str) -> None:
    session = await run.start(name)
    async with run.client(session) as client:
        assert await client.evaluate("1 + 1", await client.page()) == 2
    await run.browsers.end(session, "released")
    await run.browsers.discard(session)


def _stopped(run: Running, session_id: str) -> bool:
    return any(
        isinstance(event, BrowserStopped) and event.session_id == session_id for event in run.events
    )


def _main_process(holder: int) -> int:
    """Chromium itself, which may be inside bubblewrap."""
    return next(pid for pid in descendants(holder) if program_name(pid) != "bwrap")


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


@contextlib.contextmanager
def _server(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the line that it printed when it was ready."""
    command = [sys.executable, server_stub.__file__, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server, server.stdout.readline()
        finally:
            server.kill()


@contextlib.contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k,mode=700", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
