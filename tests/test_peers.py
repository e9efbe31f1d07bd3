"""Whose the other end of a connection is, asked of the kernel about real sockets."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sortkey.peers import Endpoint, diagnosed_owner, is_refused, listed_owner, peer_uid
from tests.strangers import GUEST, needs_root

FAMILIES = {"127.0.0.1": "127.0.0.1", "::1": "::1", "::": "127.0.0.1"}


@contextmanager
def connected(
    listens: str = "127.0.0.1", uid: int | None = None
) -> Generator[tuple[socket.socket, Endpoint, Endpoint]]:
    """The client's socket, and both ends as the server sees them."""
    family = socket.AF_INET6 if ":" in listens else socket.AF_INET
    dual = listens == "::"
    with closing(socket.create_server((listens, 0), family=family, dualstack_ipv6=dual)) as server:
        target = FAMILIES[listens], server.getsockname()[1]
        client = socket.socket(socket.AF_INET6 if ":" in target[0] else socket.AF_INET)
        if uid is not None:
            os.fchown(client.fileno(), uid, -1)
        client.connect(target)
        accepted, _ = server.accept()
        with client, accepted:
            yield client, accepted.getpeername()[:2], accepted.getsockname()[:2]


@pytest.mark.parametrize("listens", FAMILIES)
def test_both_sources_name_the_owner_of_a_socket(listens: str) -> None:
    # A server on "::" sees IPv4 clients under mapped addresses.
    with connected(listens) as (_, peer, own):
        owner = listed_owner(peer, own)
        assert owner is not None
        assert owner[0] == os.getuid() == peer_uid(peer, own)
        assert diagnosed_owner(peer, own) in (owner, None)  # None where netlink is not allowed


def test_a_closed_socket_is_not_taken_for_one_of_root() -> None:
    # The kernel gives sockets without a process to root: a guest could send and hang up.
    with connected() as (client, peer, own):
        client.close()
        assert peer_uid(peer, own) is None
        assert is_refused(lambda uid: False, peer, own)


def test_a_guest_is_refused_and_others_are_not() -> None:
    # Both come from loopback.
    needs_root()
    with connected(uid=GUEST) as (_, peer, own):
        assert is_refused(lambda uid: uid == GUEST, peer, own)
        assert not is_refused(lambda uid: uid == GUEST + 1, peer, own)


def test_peers_on_other_machines_are_not_looked_up() -> None:
    # Their users are none of ours, and what they may do is decided by credentials.
    assert not is_refused(lambda uid: True, ("192.0.2.1", 50000), ("192.0.2.9", 8080))
    assert is_refused(lambda uid: True, ("192.0.2.9", 50000), ("192.0.2.9", 8080))


def test_without_a_list_of_sockets_the_owner_is_unknown(tmp_path: Path) -> None:
    # Another system than Linux: no answer rather than a guess.
    assert listed_owner(("127.0.0.1", 1), ("127.0.0.1", 2), tmp_path) is None
