"""Web pages at the wire: refused before anything is done for them, unless their origin was given.
CORS for those.
"""

from __future__ import annotations

import pytest

from sortkey.origins import OriginPolicy
from tests.wire.harness import Answer, Running, Start, http

EVIL = "https://evil.test"
APP = "https://app.example.com"
APP_ONLY = OriginPolicy(origins=frozenset({APP, "http://localhost:3000"}))
ANY = OriginPolicy(origins=frozenset({"*"}))
PUT = b'{"Name":"forged"}'


def preflight(origin: str) -> bytes:
    return http(
        None,
        b"",
        method="OPTIONS",
        content_type=None,
        origin=origin,
        access_control_request_headers="x-amz-target, content-type",
        access_control_request_method="POST",
    )


def is_refused(answer: Answer, switch: str) -> bool:
    """With AWS's error, and nothing that would let the page read it."""
    return (
        answer.status == 403
        and answer.error() == "AccessDeniedException"
        and switch in answer.json()["message"]
        and not [name for name in answer.headers if name.startswith("access-control")]
    )


@pytest.mark.parametrize("origin", [EVIL, "http://127.0.0.1:1", "null", "", f"{APP}, {EVIL}"])
@pytest.mark.parametrize(
    "kind", ["application/x-amz-json-1.0", "text/plain", "application/x-www-form-urlencoded"]
)
def test_what_an_uninvited_page_sends_is_not_executed(start: Start, origin: str, kind: str) -> None:
    # A page may send text/plain without asking first. It cannot read the answer, but the write
    # would be done.
    running = start(origins=APP_ONLY)
    answer = running.ask(http("PutItem", PUT, origin=origin, content_type=kind))
    assert is_refused(answer, "" if origin == "null" else "--cors")
    assert running.engine.committed + running.engine.pending == []


@pytest.mark.parametrize("method", ["OPTIONS", "GET", "HEAD", "PUT", "DELETE"])
def test_every_method_is_refused(running: Running, method: str) -> None:
    request = http(None, b"", method=method, origin=EVIL)
    assert running.ask(request, head_only=method == "HEAD").status == 403


def test_an_uninvited_page_is_told_no_by_the_preflight(running: Running) -> None:
    # So that its browser does not even send what would need one.
    assert is_refused(running.ask(preflight(EVIL)), f"--cors {EVIL}")


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8000", "localhost.evil.test", "10.0.0.5", "localhost, evil"]
)
def test_a_name_that_was_made_to_point_here_is_refused(running: Running, host: str) -> None:
    # DNS rebinding: the browser takes the page for one of ours, and sends no Origin with what it
    # reads.
    assert is_refused(running.ask(http("PutItem", PUT, host=host)), "--allow-host")
    assert running.engine.committed + running.engine.pending == []
    assert running.ask(http(None, b"", method="GET", host=host)).status == 403


def test_a_second_host_header_does_not_slip_in(running: Running) -> None:
    request = http("PutItem", PUT).replace(b"\r\n", b"\r\nHost: evil.test\r\n", 1)
    assert is_refused(running.ask(request), "--allow-host")


@pytest.mark.parametrize(
    "host", ["localhost:8000", "db.localhost", "127.0.0.1:8000", "[::1]:8000", None]
)
def test_the_names_of_this_machine_are_good_on_every_request(
    running: Running, host: str | None
) -> None:
    client = running.client()
    for _ in range(2):  # the second is compared with the first
        client.send(http(host=host))
        assert client.read().status == 200


def test_a_name_is_looked_at_again_on_each_request_of_a_connection(running: Running) -> None:
    # What was accepted once must not open the connection for another name.
    client = running.client()
    client.send(http(host="localhost") + http(host="evil.test") + http(host="localhost"))
    assert [client.read().status for _ in range(3)] == [200, 403, 200]


def test_not_even_the_folders_token_stands_in_for_the_checks(start: Start) -> None:
    # No page has a reason to hold it.
    assert is_refused(
        start(token="token").ask(http(origin=EVIL, x_sortkey_token="token")), "--cors"
    )


@pytest.mark.parametrize("origin", [APP, "http://localhost:3000"])
def test_a_page_of_a_given_origin_may_ask_and_read(start: Start, origin: str) -> None:
    # What SDKs in browsers need: the preflight, and the headers that they look at.
    running = start(origins=APP_ONLY)
    answer = running.ask(preflight(origin))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["vary"] == "Origin"
    assert answer.headers["access-control-allow-headers"] == "x-amz-target, content-type"
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-max-age"] == "172800"


@pytest.mark.parametrize(("policy", "allowed"), [(APP_ONLY, APP), (ANY, "*")], ids=["given", "any"])
@pytest.mark.parametrize("operation", ["ListTables", "DeleteItem", "Nothing"])
def test_answers_and_errors_may_be_read_by_an_invited_page(
    start: Start, policy: OriginPolicy, allowed: str, operation: str
) -> None:
    # Without the header a page sees a network error in place of the answer.
    headers = start(origins=policy).ask(http(operation, origin=APP)).headers
    assert headers["access-control-allow-origin"] == allowed
    assert "x-amzn-RequestId" in headers["access-control-expose-headers"]


def test_a_star_invites_every_page_as_aws_does(start: Start) -> None:
    answer = start(origins=ANY).ask(preflight("null"))
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "vary" not in answer.headers


def test_programs_see_nothing_of_all_this(running: Running) -> None:
    headers = running.ask(http()).headers
    assert not [name for name in headers if name.startswith("access-control") or name == "vary"]
