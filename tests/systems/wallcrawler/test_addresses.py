"""Where clients are sent: to the address under which they reach the server."""

from __future__ import annotations

import pytest

from sortkey_systems.wallcrawler.addresses import Addresses


@pytest.mark.parametrize(
    ("own", "asked", "seen"),
    [
        (
            "http://127.0.0.1:8080/wallcrawler",
            "http://127.0.0.1:8080/wallcrawler/v1/sessions",
            None,
        ),
        ("http://127.0.0.1:8080", "http://box.lan:9000/v1/sessions", "http://box.lan:9000"),
        ("http://localhost:8080/w", "http://[::1]:8080/w/v1/a", "http://[::1]:8080/w"),
        ("https://browsers.example.com", "http://10.0.0.7:8080/v1/sessions", None),
    ],
)
def test_a_caller_is_sent_to_the_host_that_it_asked_unless_another_was_given(
    own: str, asked: str, seen: str | None
) -> None:
    # A loopback address is worth nothing on another machine; one that an operator gave is right.
    addresses = Addresses(own).seen_by(asked)
    assert addresses.url == (seen or own)
    assert addresses.connect("sess_1", "ey.a").startswith("ws")
