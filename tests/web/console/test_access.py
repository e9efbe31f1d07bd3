"""Signing in and out over HTTP. What only a browser shows, such as other tabs, is in
tests/browser/test_sign_in.py.
"""

import asyncio
from http.cookies import Morsel, SimpleCookie
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from httpx import Response
from nicegui import Client, core, ui

from sortkey.errors import NotConfigured
from sortkey.web.console.access import (
    FAILURES_MAX,
    FAILURES_OF_ALL_MAX,
    FORM_BYTES_MAX,
    PAUSE_SECONDS,
    Access,
    Password,
)
from sortkey.web.console.sessions import SECONDS, Sessions

LOGIN, LOGOUT, PRIVATE = "/console/login", "/console/logout", "/console/private"


@pytest.fixture
def now() -> list[float]:
    return [1_700_000_000.0]


@pytest.fixture
def app(tmp_path: Path, now: list[float]) -> FastAPI:
    access = Access.of(
        Password("right", clock=lambda: now[0]), tmp_path / "console", "s" * 64, "/console"
    )
    app = FastAPI()
    app.post(LOGIN)(access.sign_in)
    app.post(LOGOUT)(access.sign_out)

    @app.get(PRIVATE)
    def private(request: Request) -> bool:
        return access.seconds_left(request) > 0

    return app


def browser(app: FastAPI, address: str = "10.0.0.1", scheme: str = "http") -> TestClient:
    return TestClient(
        app, base_url=f"{scheme}://console.example", follow_redirects=False, client=(address, 50000)
    )


def sign_in(client: TestClient, password: str = "right") -> Response:
    return client.post(LOGIN, data={"password": password})


def cookie(answer: Response) -> Morsel[str]:
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return morsel


def is_signed_in(client: TestClient) -> bool:
    return client.get(PRIVATE).json()


def test_the_password_opens_a_session(app: FastAPI):
    client = browser(app)
    assert not is_signed_in(client)
    answer = sign_in(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/")
    assert is_signed_in(client)


def test_a_cookie_from_before_the_sign_in_is_not_signed_in_by_it(app: FastAPI):
    # Whoever planted a cookie in the browser of somebody else would be signed in with them.
    client = browser(app)
    name = cookie(sign_in(browser(app))).key
    client.cookies.set(name, "planted", domain="console.example", path="/console")
    given = cookie(sign_in(client))
    assert given.key == name
    assert given.value != "planted"
    thief = browser(app)
    thief.cookies.set(name, "planted")
    assert not is_signed_in(thief)


def test_signing_in_again_ends_the_session_before(app: FastAPI):
    # Nobody would ever end it: the browser has forgotten it.
    client, other = browser(app), browser(app)
    first = cookie(sign_in(client))
    other.cookies.set(first.key, first.value)
    assert is_signed_in(other)
    sign_in(client)
    assert is_signed_in(client)
    assert not is_signed_in(other)


def test_signing_out_ends_the_session_on_the_server(app: FastAPI):
    # A copy of the cookie, in another tab or in another's hands, must be worth nothing afterwards.
    client, copy, other = browser(app), browser(app), browser(app)
    given = cookie(sign_in(client))
    copy.cookies.set(given.key, given.value)
    sign_in(other)
    answer = client.post(LOGOUT)
    assert (answer.status_code, answer.headers["location"]) == (303, LOGIN)
    assert cookie(answer)["max-age"] == "0"
    assert not is_signed_in(client)
    assert not is_signed_in(copy)
    assert is_signed_in(other)


def test_signing_out_twice_is_fine(app: FastAPI):
    assert browser(app).post(LOGOUT).headers["location"] == LOGIN


def test_no_script_and_no_other_site_gets_the_cookie(app: FastAPI):
    given = cookie(sign_in(browser(app)))
    assert given["httponly"]
    assert (given["samesite"], given["path"], given["max-age"]) == ("strict", "/console", "43200")
    assert not given["secure"]  # it would not come back over http


@pytest.mark.parametrize(
    ("scheme", "headers"),
    [
        ("https", {}),
        ("http", {"X-Forwarded-Proto": "https, http"}),
        ("http", {"Origin": "https://console.example"}),
    ],
)
def test_behind_https_the_cookie_never_leaves_it(
    app: FastAPI, scheme: str, headers: dict[str, str]
):
    client = browser(app, scheme=scheme)
    client.headers.update(headers)
    assert cookie(sign_in(client))["secure"]


@pytest.mark.parametrize(
    "body", [b"password=wrong", b"password=", b"", b"\xff\xfe", b"password=right&password=wrong"]
)
def test_anything_but_the_password_opens_nothing(app: FastAPI, body: bytes):
    answer = browser(app).post(LOGIN, content=body)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{LOGIN}?failed=wrong")
    assert "set-cookie" not in answer.headers


def test_a_form_of_any_size_is_not_read(app: FastAPI):
    # Nobody needs the password to send it.
    answer = sign_in(browser(app), "x" * FORM_BYTES_MAX)
    assert answer.status_code == 413


def test_after_some_wrong_passwords_an_address_must_wait(app: FastAPI, now: list[float]):
    client = browser(app)
    for _ in range(FAILURES_MAX):
        sign_in(client, "wrong")
    assert sign_in(client).headers["location"] == f"{LOGIN}?failed=paused"
    assert not is_signed_in(client)
    assert (
        sign_in(browser(app, "10.0.0.2")).headers["location"] == "/console/"
    )  # who can guess cannot shut others out
    now[0] += PAUSE_SECONDS + 1
    assert sign_in(client).headers["location"] == "/console/"


def test_guesses_from_many_addresses_are_limited_together(app: FastAPI, now: list[float]):
    for number in range(FAILURES_OF_ALL_MAX):
        sign_in(browser(app, f"10.1.0.{number}"), "wrong")
    assert sign_in(browser(app, "10.2.0.1")).headers["location"] == f"{LOGIN}?failed=paused"
    now[0] += PAUSE_SECONDS + 1
    assert sign_in(browser(app, "10.2.0.1")).headers["location"] == "/console/"


def test_an_empty_password_is_none():
    # Else a form without anything in it would open the console.
    with pytest.raises(NotConfigured, match="password is empty"):
        Password("")


def test_a_page_that_stays_open_ends_with_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # It shows data and takes orders over its socket, and never asks for the cookie again.
    now = [1_700_000_000.0]
    sessions = Sessions(tmp_path, "s" * 64, "right", clock=lambda: now[0])
    access = Access(Password("right"), sessions, "cookie", "/console")
    headers = [(b"cookie", f"cookie={sessions.start()}".encode())]

    async def open_page() -> None:
        monkeypatch.setattr(core, "loop", asyncio.get_running_loop())
        client = Client(
            ui.page("/open"), request=Request({"type": "http", "path": "/", "headers": headers})
        )
        deleted = asyncio.Event()
        client.on_delete(deleted.set)
        now[0] += SECONDS - 0.01
        access.close_in_time(client)
        assert client.id in Client.instances
        await deleted.wait()
        assert client.id not in Client.instances

    asyncio.run(open_page())
