"""Where a server listens: every address of a name that this machine has, and what others
can reach.
"""

from __future__ import annotations

import errno
import os
import socket

import pytest

from sortkey.wire.addresses import bind, is_loopback


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("127.9.9.9", True), ("0.0.0.0", False), ("::", False)],
)
def test_loopback_is_distinguished_from_what_others_can_reach(host: str, expected: bool) -> None:
    # Without credentials the server listens on nothing else.
    assert is_loopback(host) is expected


def test_port_0_takes_a_free_port() -> None:
    (bound,) = bind("127.0.0.1", 0)
    with bound:
        assert bound.getsockname()[1] > 0


def name_with(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


def test_an_answer_in_two_parts_waits_for_no_acknowledgement() -> None:
    # 40 ms for every answer of a server whose event loop leaves Nagle's algorithm on.
    (bound,) = bind("127.0.0.1", 0)
    with bound:
        bound.listen()
        with socket.create_connection(bound.getsockname()), bound.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_an_address_that_the_machine_does_not_have_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # "localhost" is ::1 as well in many containers that have no IPv6. 192.0.2.1 is nobody's.
    name_with(monkeypatch, "192.0.2.1", "127.0.0.1", "127.0.0.1")
    (bound,) = bind("somewhere", 0)
    with bound:
        assert bound.getsockname()[0] == "127.0.0.1"


def test_a_name_without_any_address_of_the_machine_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name_with(monkeypatch, "192.0.2.1")
    with pytest.raises(OSError, match=os.strerror(errno.EADDRNOTAVAIL)):
        bind("somewhere", 0)


def test_a_port_in_use_on_one_address_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # Half a server would be found by half of the clients.
    name_with(monkeypatch, "127.0.0.2", "127.0.0.1")
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(OSError, match=os.strerror(errno.EADDRINUSE)),
    ):
        bind("somewhere", taken.getsockname()[1])
