"""What a session adds to its browser: downloads, uploads, allowed domains, log, recording, limits."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from tests.systems.wallcrawler.browsers.local.running import Cdp, CdpError, running, site, until

pytestmark = pytest.mark.slow


def test_downloads_get_their_names_in_the_folder_of_the_session(tmp_path: Path) -> None:
    # Clients fetch them as a zip, during the session and after it, and look for `report-<ms>.pdf`.
    async def scenario(url: str) -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            folder = run.browsers.folder(session) / "downloads"
            for behavior in (None, "allow", "allowAndName"):
                before = len(os.listdir(folder))
                async with run.client(session) as client:
                    page = await client.page()
                    if behavior:
                        params = {"behavior": behavior, "downloadPath": "downloads"}
                        await client.call("Browser.setDownloadBehavior", params)
                    await client.call("Page.navigate", {"url": f"{url}/download"}, page)
                    await until(lambda: len(_named(folder)) == before + 1)  # noqa: B023
            assert len(os.listdir(folder)) == 3
            await run.browsers.end(session, "released")
            files = _named(run.browsers.folder(session) / "downloads")
            assert [file.read_bytes() for file in files] == [b"pdf" * 99] * 3

    with site() as url:
        asyncio.run(scenario(url))


def test_an_uploaded_file_can_be_chosen_and_no_other(tmp_path: Path) -> None:
    # Clients name it as Browserbase documents it. What the server can read is not for tenants.
    async def scenario(url: str) -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            upload = run.browsers.folder(session) / "uploads" / "cv.txt"
            upload.write_text("my life")
            upload.chmod(0o644)
            async with run.client(session) as client:
                page = await client.page()
                await client.goto(url, page)
                root = (await client.call("DOM.getDocument", session=page))["root"]["nodeId"]
                query = {"nodeId": root, "selector": "#file"}
                node = (await client.call("DOM.querySelector", query, page))["nodeId"]
                chosen = {"nodeId": node, "files": ["/tmp/.uploads/cv.txt"]}
                await client.call("DOM.setFileInputFiles", chosen, page)
                text = await client.evaluate(
                    "document.querySelector('#file').files[0].text()", page
                )
                assert text == "my life"
                with pytest.raises(CdpError, match="not a file of this session"):
                    await client.call(
                        "DOM.setFileInputFiles", {"nodeId": node, "files": ["/etc/passwd"]}, page
                    )

    with site() as url:
        asyncio.run(scenario(url))


def test_main_frames_stay_inside_the_allowed_domains(tmp_path: Path) -> None:
    # By command, by redirect, by a script and in a new window: an agent that follows a link out
    # of its domains is what the setting is for.
    async def scenario(url: str) -> None:
        outside = url.replace("127.0.0.1", "localhost")
        async with running(tmp_path) as run:
            session = await run.start(allowed_domains=("127.0.0.1",))
            async with run.client(session) as client:
                page = await client.page()
                await client.goto(url, page)
                with pytest.raises(CdpError, match="allowedDomains"):
                    await client.call("Page.navigate", {"url": outside}, page)
                answer = await client.goto(f"{url}/redirect?{outside}/", page)
                assert answer["errorText"] == "net::ERR_BLOCKED_BY_CLIENT"
                await client.goto(url, page)
                frame = (
                    "new Promise(done => { const f = document.createElement('iframe');"
                    f" f.src = '{outside}/frame'; f.onload = () => done('loaded');"
                    " document.body.append(f) })"
                )
                assert await client.evaluate(frame, page) == "loaded"
                opening = {
                    "expression": f"void window.open('{outside}/opened')",
                    "userGesture": True,
                }
                await client.call("Runtime.evaluate", opening, page)
                await client.evaluate(f"void (location.href = '{outside}/script')", page)
                assert await _page_locations(client, 2) == ["chrome-error://chromewebdata/"] * 2

    with site() as url:
        asyncio.run(scenario(url))


def test_commands_and_events_are_logged_within_limits(tmp_path: Path) -> None:
    # The log is how people find out what their script did; a screenshot must not fill the disk.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            async with run.client(session) as client:
                page = await client.page()
                await client.evaluate("'x'.repeat(1_000_000)", page)
            await run.browsers.end(session, "released")
            lines = (run.browsers.folder(session) / "cdp.log").read_text().splitlines()
            entries = [json.loads(line) for line in lines]
            evaluated = next(entry for entry in entries if entry["method"] == "Runtime.evaluate")
            assert evaluated["pageId"] == 1
            assert evaluated["request"]["expression"].startswith("'x'")
            assert 3000 < len(evaluated["responseText"]) < 5000
            assert evaluated["requestAt"] <= evaluated["responseAt"]
            attached = next(
                entry for entry in entries if entry["method"] == "Target.attachedToTarget"
            )
            assert attached["event"]["params"]["targetInfo"]["type"] == "page"

            quiet = await run.start("b", log=False)
            async with run.client(quiet) as client:
                await client.page()
            await run.browsers.end(quiet, "released")
            assert not (run.browsers.folder(quiet) / "cdp.log").exists()

    asyncio.run(scenario())


def test_a_recorded_session_has_frames_and_its_clients_notice_nothing(tmp_path: Path) -> None:
    # Recording is on by default, so it must not show in what clients see of the browser.
    async def scenario(url: str) -> None:
        async with running(tmp_path) as run:
            session = await run.start(record=True)
            async with run.client(session) as client:
                page = await client.page()
                await client.goto(url, page)
                frames = run.browsers.folder(session) / "recording" / "0" / "frames.mjpeg"
                await until(lambda: frames.exists() and frames.stat().st_size > 0)
                assert not any("screencast" in event["method"] for event in client.events)
            await run.browsers.end(session, "released")
            recorded = run.browsers.folder(session) / "recording" / "0"
            assert (recorded / "frames.mjpeg").read_bytes().startswith(b"\xff\xd8")
            assert url in (recorded / "index.jsonl").read_text()

    with site() as url:
        asyncio.run(scenario(url))


def test_a_page_that_takes_too_much_memory_ends_and_the_machine_goes_on(tmp_path: Path) -> None:
    # One tenant's page must not push the others out of memory.
    if not os.access("/sys/fs/cgroup/memory", os.W_OK):
        pytest.skip("control groups of memory cannot be made here")

    async def scenario() -> None:
        async with running(tmp_path, memory_bytes_max=600 << 20) as run:
            session = await run.start()
            async with run.client(session) as client:
                page = await client.page()
                await client.call("Inspector.enable", session=page)
                greedy = "globalThis.kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1))"
                await client.send("Runtime.evaluate", {"expression": greedy}, page)
                await client.event("Inspector.targetCrashed")
                assert (await client.call("Browser.getVersion"))["product"]
            status = await run.browsers.status(session)
            assert status is not None
            assert status.memory_bytes < 600 << 20

    asyncio.run(scenario())


async def _page_locations(client: Cdp, count: int) -> list[str]:
    """What so many pages show, once all of them have left the page before."""
    for _ in range(200):
        targets = (await client.call("Target.getTargets"))["targetInfos"]
        pages = [target["targetId"] for target in targets if target["type"] == "page"]
        sessions = [await client.attach(page) for page in pages]
        locations = [await client.evaluate("location.href", session) for session in sessions]
        is_settled = not any(url.startswith(("about:", "http://127.")) for url in locations)
        if len(pages) == count and is_settled:
            return locations
        await asyncio.sleep(0.05)
    raise AssertionError(f"{count} pages did not load: {targets}")


def _named(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if re.fullmatch(r"report-\d{13}\.pdf", path.name)]
