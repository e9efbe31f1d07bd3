"""Browsers from their start to their end, on a real Chromium: nothing is lost, and nothing is left."""

import asyncio
import io
import os
import shutil
import signal
import tarfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.browsers.port import (
    BrowserDidNotStart,
    BrowserGone,
    BrowserStopped,
    ClientsChanged,
    Viewport,
)
from tests.systems.wallcrawler.browsers.local.running import (
    nothing_left_of,
    processes_of,
    running,
    site,
    spec,
    until,
)

pytestmark = pytest.mark.slow


def test_a_browser_starts_answers_and_ends_without_a_trace(tmp_path: Path) -> None:
    # Left-over processes and folders are what people complain about most in such services.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start(viewport=Viewport(1024, 768))
            state = run.state(session)
            status = await run.browsers.status(session)
            assert status is not None
            assert [page.url for page in status.pages] == ["about:blank"]
            assert (status.clients, status.has_had_clients) == (0, False)
            async with run.client(session) as client:
                page = await client.page()
                assert await client.evaluate("[innerWidth, innerHeight]", page) == [1024, 768]
                await run.heard(ClientsChanged(session, 1))
            await run.heard(ClientsChanged(session, 0))
            ended = await run.browsers.end(session, "released")
            assert (ended.reason, ended.profile_archive) == ("released", None)
            await nothing_left_of(state)
            assert not Path(state.home).exists()
            assert await run.browsers.running() == []
            assert not any(isinstance(event, BrowserStopped) for event in run.events)
            assert await run.browsers.end(session, "again") == ended
            await run.browsers.discard(session)
            assert not run.browsers.folder(session).exists()

    asyncio.run(scenario())


def test_every_session_has_a_user_and_a_sandbox_of_its_own(tmp_path: Path) -> None:
    # A page that breaks out of its renderer must still not read another tenant's profile.
    if os.geteuid() != 0:
        pytest.skip("only root can give each session a user")

    async def scenario() -> None:
        async with running(tmp_path) as run:
            first, second = [run.state(await run.start(name)) for name in ("a", "b")]
            assert first.uid != second.uid
            for state in (first, second):
                owners = {path.name: path.stat().st_uid for path in Path(state.home).iterdir()}
                assert owners["profile"] == state.uid
                assert owners["uploads"] == 0
                assert Path(state.home, "profile").stat().st_mode & 0o077 == 0
                assert any(_has_seccomp_filter(pid) for pid in processes_of(state))
                assert not any(
                    b"--no-sandbox" in Path(f"/proc/{pid}/cmdline").read_bytes()
                    for pid in processes_of(state)
                )

    asyncio.run(scenario())


def test_a_profile_comes_back_with_logins_and_storage(tmp_path: Path) -> None:
    # That is what contexts are for: a login once, not in every session. Cookies without an expiry
    # never reach Chromium's disk, and still have to come back.
    async def scenario(url: str) -> None:
        async with running(tmp_path) as run:
            session = await run.start("first", persist=True)
            async with run.client(session) as client:
                page = await client.page()
                await client.goto(url, page)
                await client.evaluate("document.cookie = 'kept=1; max-age=9999'", page)
                await client.evaluate("document.cookie = 'transient=1'", page)
                await client.evaluate("localStorage.setItem('name', 'value')", page)
            ended = await run.browsers.end(session, "released")
            assert ended.profile_archive is not None
            again = await run.start("second", profile_archive=ended.profile_archive)
            async with run.client(again) as client:
                page = await client.page()
                await client.goto(f"{url}/cookie", page)
                assert await client.evaluate("document.body.innerText", page) in (
                    "kept=1; transient=1",
                    "transient=1; kept=1",
                )
                assert await client.evaluate("localStorage.getItem('name')", page) == "value"
            assert (await run.browsers.end(again, "released")).profile_archive is None

    with site() as url:
        asyncio.run(scenario(url))


def test_a_crash_loses_seconds_and_not_the_login(tmp_path: Path) -> None:
    # Chromium writes cookies to disk twice a minute; a session that dies in between had been lost.
    async def scenario(url: str) -> None:
        async with running(tmp_path) as run:
            session = await run.start("first", persist=True)
            state = run.state(session)
            async with run.client(session) as client:
                page = await client.page()
                await client.goto(url, page)
                await client.evaluate("document.cookie = 'login=1; max-age=9999'", page)
                saved = run.browsers.folder(session) / "cookies.json"
                await until(lambda: saved.exists() and "login" in saved.read_text())
                for pid in processes_of(state):
                    if pid != state.holder_pid:
                        with suppress(ProcessLookupError):  # some end with their parent
                            os.kill(pid, signal.SIGKILL)
                with pytest.raises(BrowserGone):
                    await client.event("Never.comes")
            await run.heard(BrowserStopped)
            ended = await run.browsers.end(session, "crashed")
            assert "Chromium ended" in ended.reason
            again = await run.start("second", profile_archive=ended.profile_archive)
            async with run.client(again) as client:
                page = await client.page()
                await client.goto(url, page)
                assert await client.evaluate("document.cookie", page) == "login=1"

    with site() as url:
        asyncio.run(scenario(url))


def test_a_killed_holder_takes_its_browser_with_it(tmp_path: Path) -> None:
    # Nobody else would end the browser, and the session must get an honest status.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            state = run.state(session)
            os.kill(state.holder_pid, signal.SIGKILL)
            await run.heard(BrowserStopped)
            await until(lambda: processes_of(state) == [])
            (found,) = await run.browsers.running()
            assert not found.is_alive
            assert abs(found.last_seen_at - time.time()) < 10
            assert await run.browsers.status(session) is None
            with pytest.raises(BrowserGone):
                await run.browsers.connect(session)
            await run.browsers.end(session, "the holder died")
            assert not Path(state.home).exists()
            assert await run.browsers.running() == []

    asyncio.run(scenario())


def test_the_next_server_finds_the_sessions_of_the_last(tmp_path: Path) -> None:
    # A server is restarted; what its clients have open in their browsers goes on.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            async with run.client(session) as client:
                page = await client.page()
                await client.evaluate("window.mark = 42", page)
            await run.browsers.close()
            async with running(tmp_path) as next_run:
                (found,) = await next_run.browsers.running()
                assert (found.session_id, found.project_id) == (session, "project_test")
                assert found.is_alive
                async with next_run.client(session) as client:
                    assert await client.evaluate("window.mark", await client.page()) == 42

    asyncio.run(scenario())


def test_a_browser_without_a_server_ends_by_itself(tmp_path: Path) -> None:
    # The server may never come back. The profile is archived all the same.
    async def scenario() -> None:
        async with running(tmp_path, orphan_seconds=1.0) as run:
            session = await run.start(persist=True)
            state = run.state(session)
            await run.browsers.close()
            await until(lambda: processes_of(state) == [])
            async with running(tmp_path) as next_run:
                (found,) = await next_run.browsers.running()
                assert not found.is_alive
                ended = await next_run.browsers.end(session, "found dead")
                assert "no server" in ended.reason
                assert ended.profile_archive is not None

    asyncio.run(scenario())


def test_a_warm_browser_is_given_away_once_and_replaced(tmp_path: Path) -> None:
    # Creating a session is to take milliseconds; and a browser must never have two tenants.
    async def scenario() -> None:
        async with running(tmp_path, warm=1) as run:
            await run.browsers.end(await run.start("first"), "released")
            await until(lambda: run.browsers.warm_browsers == 1)
            first = await run.browsers.start(spec("a", viewport=Viewport(900, 700)))
            second = await run.browsers.start(spec("b"))
            assert (first.is_warm, second.is_warm) == (True, False)
            async with run.client("sess_a") as client:
                page = await client.page()
                assert await client.evaluate("[innerWidth, innerHeight]", page) == [900, 700]
            await until(lambda: run.browsers.warm_browsers == 1)
            assert run.state("sess_a").session_id == "sess_a"
            assert len(await run.browsers.running()) == 2

    asyncio.run(scenario())


def test_no_browser_waits_where_nobody_uses_them(tmp_path: Path) -> None:
    # Most who start all systems never use a browser, and should not pay for one with their memory.
    async def scenario() -> None:
        async with running(tmp_path, warm=1, warm_idle_seconds=1.0) as run:
            assert (run.browsers.warm_browsers, os.listdir(run.homes)) == (0, [])
            await run.browsers.end(await run.start(), "released")
            await until(lambda: run.browsers.warm_browsers == 1)
            await until(lambda: os.listdir(run.homes) == [])
            assert run.browsers.warm_browsers == 0

    asyncio.run(scenario())


def test_a_start_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    # A creator may hang up at any moment of the start, and nobody would ever end that browser.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            for number in range(4):
                task = asyncio.create_task(run.browsers.start(spec(f"s{number}")))
                await asyncio.sleep(0.1 * number)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert await run.browsers.running() == []
            assert list(run.homes.iterdir()) == []

    asyncio.run(scenario())


def test_a_hostile_archive_is_refused_before_chromium_starts(tmp_path: Path) -> None:
    # An archive can be uploaded by anybody who has a key.
    archive = tmp_path / "hostile.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo("../../escaped")
        member.size = 4
        tar.addfile(member, io.BytesIO(b"evil"))

    async def scenario() -> None:
        async with running(tmp_path) as run:
            with pytest.raises(BrowserDidNotStart, match="leads out of the profile"):
                await run.start(profile_archive=archive)
            assert await run.browsers.running() == []

    asyncio.run(scenario())


def test_without_chromium_the_reason_says_what_to_install(tmp_path: Path) -> None:
    # Everything else of the system works without it.
    async def scenario() -> None:
        async with running(tmp_path, chromium=str(tmp_path / "missing"), warm=1) as run:
            with pytest.raises(BrowserDidNotStart, match="apt install chromium"):
                await run.start()

    asyncio.run(scenario())


def test_a_program_that_is_not_chromium_fails_with_what_it_said(tmp_path: Path) -> None:
    # A broken installation is found by its message, not by waiting for half a minute.
    program = shutil.which("ls")

    async def scenario() -> None:
        async with running(tmp_path, chromium=program) as run:
            with pytest.raises(BrowserDidNotStart, match=r"exited with status 2\. .*headless"):
                await run.start()
            assert await run.browsers.running() == []

    asyncio.run(scenario())


def _has_seccomp_filter(pid: int) -> bool:
    try:
        return "Seccomp:\t2" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
