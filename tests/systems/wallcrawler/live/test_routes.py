"""The live view over its WebSocket, with a real browser: who may look, and who may drive."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from sortkey_systems.wallcrawler.connections import acceptance
from tests.systems.wallcrawler.driven import PROJECT, Driven, driven

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wallcrawler-live")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        driven(tmp_path_factory.mktemp("live"), monkeypatch) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def session(server: Driven) -> dict[str, Any]:
    return server.create(keepAlive=True)


def _token(server: Driven, session: dict[str, Any], *, is_interactive: bool) -> str:
    item = server.item(session)
    return server.service.tokens.issue_view(
        item.session_id, PROJECT, item.expires_at, is_interactive=is_interactive
    )


def _address(server: Driven, session_id: str, token: str) -> str:
    return f"ws{server.address.removeprefix('http')}/v1/live/{session_id}/ws?token={token}"


def _call(socket: ClientConnection, method: str, session: str = "", **params: Any) -> Any:
    message: dict[str, Any] = {"id": 1, "method": method, "params": params}
    socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
    while (answer := json.loads(socket.recv(timeout=20))).get("id") != 1:
        pass
    return answer


def _attached(socket: ClientConnection) -> str:
    targets = _call(socket, "Target.getTargets")["result"]["targetInfos"]
    page = next(each["targetId"] for each in targets if each["type"] == "page")
    answer = _call(socket, "Target.attachToTarget", targetId=page, flatten=True)
    return answer["result"]["sessionId"]


def test_whoever_only_watches_sees_frames_and_moves_nothing(
    server: Driven, session: dict[str, Any]
) -> None:
    # The page hides its buttons; the server is what refuses, for anybody can write another page.
    token = _token(server, session, is_interactive=False)
    with connect(_address(server, session["id"], token), max_size=None) as socket:
        page = _attached(socket)
        assert "result" in _call(socket, "Page.startScreencast", page, format="jpeg")
        while json.loads(socket.recv(timeout=20)).get("method") != "Page.screencastFrame":
            pass
        for method in ("Input.insertText", "Page.navigate", "Runtime.evaluate", "Page.reload"):
            refusal = _call(socket, method, page, text="x", url="about:blank", expression="1")
            assert "read-only" in refusal["error"]["message"]


def test_whoever_drives_may_navigate_but_not_read_the_page(
    server: Driven, session: dict[str, Any]
) -> None:
    # A live view is a screen, a mouse and a keyboard. Cookies and scripts are for clients.
    token = _token(server, session, is_interactive=True)
    with connect(_address(server, session["id"], token), max_size=None) as socket:
        page = _attached(socket)
        assert "result" in _call(socket, "Page.navigate", page, url="data:text/html,hello")
        assert "error" in _call(socket, "Page.navigate", page, url="file:///etc/passwd")
        for method in ("Runtime.evaluate", "Network.getCookies", "Storage.getCookies"):
            assert "error" in _call(socket, method, page, expression="1")
    assert server.item(session).status == "RUNNING"


def test_the_link_of_one_page_opens_that_page_only(server: Driven, session: dict[str, Any]) -> None:
    # What a token says of its page holds on the socket too, not only for the page that is shown.
    whole = _token(server, session, is_interactive=True)
    with connect(_address(server, session["id"], whole), max_size=None) as socket:
        other = _call(socket, "Target.createTarget", url="about:blank")["result"]["targetId"]
        targets = _call(socket, "Target.getTargets")["result"]["targetInfos"]
    page = next(
        each["targetId"] for each in targets if each["type"] == "page" and each["targetId"] != other
    )
    item = server.item(session)
    token = server.service.tokens.issue_view(
        item.session_id, PROJECT, item.expires_at, page_id=page
    )
    with connect(_address(server, session["id"], token), max_size=None) as socket:
        [seen] = _call(socket, "Target.getTargets")["result"]["targetInfos"]
        assert seen["targetId"] == page
        refusal = _call(socket, "Target.attachToTarget", targetId=other, flatten=True)
        assert "only available" in refusal["error"]["message"]
        assert _attached(socket)


def test_an_open_view_is_closed_when_its_link_expires(
    server: Driven, session: dict[str, Any]
) -> None:
    # `expiresIn` is a promise to whoever shares a link, also about a page that is left open.
    item = server.item(session)
    token = server.service.tokens.issue_view(item.session_id, PROJECT, item.expires_at, seconds=2)
    with connect(_address(server, session["id"], token), max_size=None) as socket:
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=20)
        assert socket.close_reason == "the link has expired"


def test_a_browser_that_does_not_answer_in_time_is_a_plain_refusal(
    server: Driven, session: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The page can then say so and try again; an error of the server would say nothing.
    async def hang(*_args: Any, **_options: Any) -> None:
        await asyncio.sleep(30)

    monkeypatch.setattr(server.service.browsers, "connect", hang)
    monkeypatch.setattr(acceptance, "ACCEPT_SECONDS", 0.2)
    token = _token(server, session, is_interactive=True)
    assert _status(server, session["id"], "/ws", token) == 504


@pytest.mark.parametrize("path", ["", "/ws"])
def test_the_token_must_be_one_of_a_view_of_this_session(
    server: Driven, session: dict[str, Any], path: str
) -> None:
    # Not the signing key, which opens more, and not the view of a neighbour.
    other = server.service.tokens.issue_view("sess_other", PROJECT, server.item(session).expires_at)
    for token, status in (("", 401), ("x.y.z", 401), (session["signingKey"], 401), (other, 403)):
        assert _status(server, session["id"], path, token) == status


def test_a_view_of_an_ended_session_is_gone(server: Driven) -> None:
    # A link in somebody's mail must say that it is over, and not that it is broken.
    session = server.create()
    token = _token(server, session, is_interactive=True)
    assert _status(server, session["id"], "", token) == 200
    server.release(session)
    for path in ("", "/ws"):
        assert _status(server, session["id"], path, token) == 410


def _status(server: Driven, session_id: str, path: str, token: str) -> int:
    if path:
        try:
            connect(_address(server, session_id, token)).close()
        except InvalidStatus as refused:
            return refused.response.status_code
        return 101
    answer = server.client.get(f"/v1/live/{session_id}", params={"token": token})
    return answer.status_code
