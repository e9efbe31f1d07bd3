"""What every request and every answer has: an id, a limit, careful headers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from sortkey.web.guards import JSON_BYTES_MAX
from tests.web.test_errors import Headers, error_of


@pytest.mark.parametrize("path", ["/health", "/shop/orders", "/nothing", "/shop/broken"])
def test_every_answer_keeps_browsers_careful(client: TestClient, path: str) -> None:
    # Also errors, also faults: an attacker takes the answer that forgot.
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Referrer-Policy"] == "no-referrer"


def test_a_request_has_an_id_of_its_own_or_of_its_caller(client: TestClient) -> None:
    # Both logs can then be read side by side.
    ids = {client.get("/health").headers["X-Request-Id"] for _ in range(3)}
    assert len(ids) == 3
    assert (
        client.get("/health", headers={"X-Request-Id": "order-7.2"}).headers["X-Request-Id"]
        == "order-7.2"
    )


@pytest.mark.parametrize("given", ["two words", "x" * 65, "<script>", ""])
def test_an_id_that_is_none_is_replaced(client: TestClient, given: str) -> None:
    # It goes into logs and answers: nobody shall write there what they like.
    assert client.get("/health", headers={"X-Request-Id": given}).headers["X-Request-Id"] != given


def test_a_body_that_is_too_large_is_refused_before_it_is_read(
    client: TestClient, ada: Headers
) -> None:
    # A megabyte of JSON is a mistake or an attack: files go over presigned links.
    large = b'{"number": 1, "padding": "' + b"x" * JSON_BYTES_MAX + b'"}'
    error = error_of(client.post("/shop/orders", content=large, headers=ada), 413)
    assert (error["code"], "presigned" in error["message"]) == ("TooLarge", True)


def test_a_body_that_does_not_say_its_size_is_counted(client: TestClient, ada: Headers) -> None:
    # Leaving out the length must not be the way around the limit.
    def endless() -> Iterator[bytes]:
        for _ in range(JSON_BYTES_MAX // 1000 + 1):
            yield b" " * 1000

    error = error_of(client.post("/shop/orders", content=endless(), headers=ada), 413)
    assert (error["code"], "presigned" in error["message"]) == ("TooLarge", True)


def test_health_names_the_systems(client: TestClient) -> None:
    # Also without being signed in: a load balancer is not.
    health = client.get("/health").json()
    assert (health["status"], health["systems"]) == ("ok", ["shop"])
