"""Several CDP clients on one browser: each sees a browser of its own, and none reaches another's."""

import asyncio
import json
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.browsers.local.page_view import PageView
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserGone,
    ClientsChanged,
    CloseRequested,
    Role,
)
from tests.systems.wallcrawler.browsers.local.piped import ROOT, piped
from tests.systems.wallcrawler.browsers.local.running import CdpError, running, site, until


@pytest.mark.slow
def test_clients_with_the_same_ids_get_their_own_answers_and_sessions(tmp_path: Path) -> None:
    # Every client counts its messages from 1, and Chromium has one connection for all of them.
    async def scenario() -> None:
        async with (
            running(tmp_path) as run,
            run.client(await run.start()) as one,
            run.client("sess_a") as other,
        ):
            page, other_page = await one.page(), await other.page()
            assert page != other_page
            answers = await asyncio.gather(
                one.evaluate("'one'", page), other.evaluate("'other'", other_page)
            )
            assert answers == ["one", "other"]
            await one.call("Runtime.enable", session=page)
            assert (await one.event("Runtime.executionContextCreated"))["context"]
            await other.call("Browser.getVersion")
            assert not any("Runtime" in event["method"] for event in other.events)
            with pytest.raises(CdpError, match="Session with given id not found"):
                await other.evaluate("document.title = 'taken over'", page)

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_client_that_leaves_takes_its_contexts_with_it_and_leaves_the_pages(
    tmp_path: Path,
) -> None:
    # A client that crashes in a loop must not fill the browser with contexts that nobody closes.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            async with run.client(session) as client:
                context = (await client.call("Target.createBrowserContext"))["browserContextId"]
                url = {"url": "about:blank"}
                await client.call("Target.createTarget", {**url, "browserContextId": context})
                await client.call("Target.createTarget", url)
                status = await run.browsers.status(session)
                assert status is not None
                assert len(status.pages) == 3
            async with run.client(session) as other:
                contexts = await other.call("Target.getBrowserContexts")
                assert contexts["browserContextIds"] == []
                targets = (await other.call("Target.getTargets"))["targetInfos"]
                pages = [target for target in targets if target["type"] == "page"]
                assert len(pages) == 2

    asyncio.run(scenario())


@pytest.mark.slow
def test_another_clients_context_cannot_be_disposed_of(tmp_path: Path) -> None:
    # Its pages would vanish under the other client's hands.
    async def scenario() -> None:
        async with (
            running(tmp_path) as run,
            run.client(await run.start()) as one,
            run.client("sess_a") as other,
        ):
            context = await one.call("Target.createBrowserContext")
            with pytest.raises(CdpError, match="has not created"):
                await other.call("Target.disposeBrowserContext", context)
            await one.call("Target.disposeBrowserContext", context)

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_message_of_ten_megabytes_goes_both_ways(tmp_path: Path) -> None:
    # Screenshots and uploads are that large; and the other clients go on meanwhile.
    text = "x" * 10_000_000 + "€"

    async def scenario() -> None:
        async with (
            running(tmp_path) as run,
            run.client(await run.start()) as client,
            run.client("sess_a") as other,
        ):
            page, other_page = await client.page(), await other.page()
            answers = await asyncio.gather(
                client.evaluate(json.dumps(text), page), other.evaluate("6 * 7", other_page)
            )
            assert answers[0] == text
            assert answers[1] == 42

    asyncio.run(scenario())


@pytest.mark.slow
def test_what_is_not_a_command_is_answered_and_the_connection_goes_on(tmp_path: Path) -> None:
    # A client with a bug should see its bug, and Chromium should not see the message at all.
    messages = {
        "{": "valid JSON",
        "[]": "must be an object",
        '{"method": "Browser.getVersion"}': "integer 'id'",
        '{"id": true, "method": "Browser.getVersion"}': "integer 'id'",
        '{"id": 1}': "string 'method'",
        '{"id": 1, "method": "Browser.getVersion", "params": []}': "object 'params'",
        '{"id": 1, "method": "Browser.getVersion", "sessionId": 5}': "string 'sessionId'",
        '{"id": 1, "method": "Runtime.evaluate", "params": {"a": 1e999}}': "not JSON compliant",
        "[" * 100_000: "valid JSON",
    }

    async def scenario() -> None:
        async with running(tmp_path) as run, run.client(await run.start()) as client:
            for message, problem in messages.items():
                await client.connection.send(message)
                assert problem in (await client.receive())["error"]["message"]
            assert (await client.call("Browser.getVersion"))["product"]

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_command_named_twice_is_checked_as_it_is_sent(tmp_path: Path) -> None:
    # JSON allows a name twice. If the filter and Chromium chose differently, the filter was passed.
    async def scenario() -> None:
        async with running(tmp_path) as run, run.client(await run.start()) as client:
            page = await client.page()
            for first, second in (("about:blank", "file:///etc/passwd"), ("file:///etc", "data:,")):
                await client.connection.send(
                    f'{{"id": 900, "method": "Page.navigate", "sessionId": "{page}",'
                    f' "params": {{"url": "{first}", "url": "{second}"}}}}'
                )
                while (answer := await client.receive()).get("id") != 900:
                    pass
                assert ("error" in answer) == second.startswith("file")
            assert await client.evaluate("location.href", page) == "data:,"

    asyncio.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize("keep_alive", [False, True])
def test_browser_close_is_answered_and_never_reaches_chromium(
    tmp_path: Path, keep_alive: bool
) -> None:
    # puppeteer sends it to leave. The control plane decides what becomes of the session; with
    # keepAlive only that client goes.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start(keep_alive=keep_alive)
            async with run.client(session) as client:
                assert await client.call("Browser.close") == {}
                if keep_alive:
                    with pytest.raises(BrowserGone):
                        await client.receive()
                else:
                    await run.heard(CloseRequested(session))
            async with run.client(session) as client:
                assert (await client.call("Browser.getVersion"))["product"]
            assert (CloseRequested(session) in run.events) is not keep_alive

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_viewer_sees_frames_and_clicks_only_if_it_may(tmp_path: Path) -> None:
    # A read-only live view is shared with people who must not drive the session.
    async def scenario(url: str) -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            key = {"type": "char", "text": "x"}
            async with run.client(session, Role.VIEWER) as viewer:
                page = await viewer.page()
                await viewer.call("Page.startScreencast", {"format": "jpeg"}, page)
                assert (await viewer.event("Page.screencastFrame"))["data"]
                for method, params in (
                    ("Input.dispatchKeyEvent", key),
                    ("Page.navigate", {"url": url}),
                    ("Runtime.evaluate", {"expression": "1"}),
                ):
                    with pytest.raises(CdpError, match="read-only live view"):
                        await viewer.call(method, params, page)
            async with run.client(session, Role.INTERACTIVE_VIEWER) as viewer:
                page = await viewer.page()
                await viewer.call("Input.dispatchKeyEvent", key, page)
                await viewer.call("Page.navigate", {"url": url}, page)
                with pytest.raises(CdpError, match="live view"):
                    await viewer.call("Browser.close")
                with pytest.raises(CdpError, match="live view"):
                    await viewer.call("Runtime.evaluate", {"expression": "1"}, page)
            status = await run.browsers.status(session)
            assert status is not None
            assert not status.has_had_clients  # viewers do not keep a session from ending

    with site() as url:
        asyncio.run(scenario(url))


@pytest.mark.slow
def test_a_client_that_stops_reading_is_hung_up_on_and_the_others_go_on(tmp_path: Path) -> None:
    # One client that hangs would otherwise stop all, or fill the memory of the holder.
    async def scenario() -> None:
        async with (
            running(tmp_path) as run,
            run.client(await run.start()) as slow,
            run.client("sess_a") as other,
        ):
            page, other_page = await slow.page(), await other.page()
            command = {"expression": "'x'.repeat(10_000_000)", "returnByValue": True}
            for _ in range(12):
                await slow.send("Runtime.evaluate", command, page)
            assert await other.evaluate("6 * 7", other_page) == 42
            alone = ClientsChanged("sess_a", 1)
            await until(lambda: run.events.count(alone) == 2)  # before and after the slow one
            assert await other.evaluate("6 * 7", other_page) == 42

    asyncio.run(scenario())


@pytest.mark.parametrize("context", [[], {}, 5, None])
def test_a_context_that_is_not_a_name_is_refused(context: object) -> None:
    # A list cannot be looked up in a set: the error left the loop, and the browser ended with it.
    with piped() as run:
        params = {"browserContextId": context}
        assert "has not created" in (run.refusal("Target.disposeBrowserContext", params) or "")
        assert run.refusal("Browser.getVersion") is None


def test_an_error_of_the_holder_is_the_answer_to_its_command_only(
    capfd: pytest.CaptureFixture[str],
) -> None:
    # Whatever one client sends, the browser of all goes on, and the operator can read what it was.
    with piped() as run:
        run.host.failure = LookupError("unforeseen")
        run.send("Browser.close")
        assert run.received() == {"id": 7, "result": {}}
        assert run.received()["error"]["code"] == -32603
        assert "unforeseen" in capfd.readouterr().err
        assert run.refusal("Browser.getVersion") is None


def test_whether_a_page_may_be_driven_is_decided_by_where_it_is_now() -> None:
    # A page that was attached to as a harmless one can navigate to the browser's own, or to files.
    with piped() as run:
        page, target = "S" * 32, "T1"
        run.targets("targetCreated", target, "about:blank")
        run.attach(page, target, "about:blank")
        for url in ("chrome://settings/", "file:///etc/passwd", "view-source:file:///etc/passwd"):
            run.targets("targetInfoChanged", target, "https://example.com/")
            run.settle()
            assert run.refusal("Runtime.evaluate", {"expression": "1"}, page) is None
            run.targets("targetInfoChanged", target, url)
            run.settle()
            refusal = run.refusal("Runtime.evaluate", {"expression": "1"}, page)
            assert "of the machine" in (refusal or "")


def test_a_live_view_runs_no_scripts() -> None:
    # As a URL, a script would read what the live view may only show.
    with piped(Role.INTERACTIVE_VIEWER) as run:
        for url in ("javascript:alert(1)", " Java\nScript:alert(1)"):
            for method in ("Page.navigate", "Target.createTarget"):
                assert "scripts" in (run.refusal(method, {"url": url}) or "")
        assert run.refusal("Page.navigate", {"url": "https://example.com/"}) is None


def test_a_view_of_one_page_neither_drives_nor_sees_the_others() -> None:
    # The link of one tab is given to people who must not read the addresses of the others.
    with piped(Role.INTERACTIVE_VIEWER, view=PageView("MINE")) as run:
        for method in ("Target.attachToTarget", "Target.closeTarget", "Target.activateTarget"):
            for target in ("OTHER", None, ["MINE"]):
                params = {"targetId": target, "flatten": True}
                assert "only available" in (run.refusal(method, params) or "")
            assert run.refusal(method, {"targetId": "MINE", "flatten": True}) is None
        assert "only available" in (run.refusal("Target.createTarget", {"url": ""}) or "")
        assert run.refusal("Target.getTargets") is None
        infos = [{"targetId": "OTHER", "url": "https://bank/"}, {"targetId": "MINE"}]
        run.answer({"targetInfos": infos}, ROOT)
        assert run.received() == {"id": 7, "result": {"targetInfos": [{"targetId": "MINE"}]}}
        for target in ("OTHER", "MINE"):
            params = {"targetInfo": {"targetId": target, "type": "page"}}
            run.say({"method": "Target.targetCreated", "params": params}, ROOT)
            run.say({"method": "Target.targetDestroyed", "params": {"targetId": target}}, ROOT)
        assert run.received()["params"]["targetInfo"]["targetId"] == "MINE"
        assert run.received()["params"] == {"targetId": "MINE"}
