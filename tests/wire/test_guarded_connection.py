"""Guests at the DynamoDB port: real programs of another user on loopback."""

from __future__ import annotations

import os

from tests.strangers import GUEST, needs_root, send_as
from tests.wire.harness import Start

REQUEST = """\
POST / HTTP/1.1
Host: 127.0.0.1
Content-Type: application/x-amz-json-1.0
X-Amz-Target: DynamoDB_20120810.ListTables
Content-Length: 2
Connection: close

{}"""


def test_a_guest_is_disconnected_and_others_are_served(start: Start) -> None:
    # Without credentials the port trusts everyone on loopback, and a tenant's browser is there too.
    needs_root()
    running = start(is_guest=lambda uid: uid == GUEST)
    assert send_as(GUEST, "127.0.0.1", running.port, REQUEST) == b""
    assert send_as(os.getuid(), "127.0.0.1", running.port, REQUEST).startswith(b"HTTP/1.1 200")


def test_without_guests_everyone_on_the_machine_is_served(start: Start) -> None:
    # `sortkey serve` does not look at users.
    needs_root()
    running = start()
    assert send_as(GUEST, "127.0.0.1", running.port, REQUEST).startswith(b"HTTP/1.1 200")
