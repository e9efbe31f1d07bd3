"""Programs of another user, for tests of what is closed to guests."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

GUEST = 2_000_000_123

# It changes its user itself: the interpreter may lie where another user cannot read.
_CLIENT = """
import os, socket, sys
uid = int(sys.argv[4])
if uid != os.getuid():
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
connection = socket.socket()
connection.settimeout(10)
connection.connect((sys.argv[1], int(sys.argv[2])))
answer = b""
try:
    connection.sendall(sys.argv[3].encode().replace(b"\\n", b"\\r\\n"))
    while piece := connection.recv(65536):
        answer += piece
        if answer.startswith(b"HTTP/1.1 101"):
            break  # a WebSocket stays open
except (BrokenPipeError, ConnectionResetError):
    pass
sys.stdout.buffer.write(answer)
"""


def needs_root() -> None:
    """Skip where this process cannot start one of another user."""
    if os.geteuid() != 0:
        pytest.skip("only root can start a program as another user")


def send_as(uid: int, host: str, port: int, request: str) -> bytes:
    """What a server answers to a program of this user, until it closes the connection
    or accepts a WebSocket.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-c", _CLIENT, host, str(port), request, str(uid)],
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
