"""Identifies a process by a text, from which others on the same machine can tell whether it still
runs.

Leases of a dead process need not expire first: after `kill -9` the next start resumes at once.
"""

from __future__ import annotations

import os
import re
import socket
from hashlib import sha256
from pathlib import Path

_OWNER = re.compile(r"([\w-]*)\.([0-9a-f]{12})\.(\d+)\.(\d+)\.(\w+)")


def this_process(nonce: str) -> str:
    """`host.machine.pid.start.nonce`. The nonce distinguishes two workers of one process."""
    host = re.sub(r"[^\w-]", "-", socket.gethostname().partition(".")[0])
    return f"{host}.{_machine()}.{os.getpid()}.{_start_of(os.getpid())}.{nonce}"


def is_gone(owner: str) -> bool:
    """Whether the process ran on this machine and has ended. False if that is unknown."""
    match = _OWNER.fullmatch(owner)
    if match is None or match[2] != _machine():
        return False
    pid = int(match[3])
    return not _runs(pid) or _start_of(pid) != int(match[4])


def _machine() -> str:
    """Identifies this boot of this machine, and on Linux the namespace of process ids, because
    containers share the rest.
    """
    known = [socket.gethostname(), _read("/proc/sys/kernel/random/boot_id")]
    try:
        known.append(str(os.stat("/proc/self/ns/pid").st_ino))
    except OSError:
        known.append("")  # not Linux: no such namespaces
    return sha256("/".join(known).encode()).hexdigest()[:12]


def _start_of(pid: int) -> int:
    """The start of a process in ticks since boot, 0 if unknown."""
    # The program name is in brackets and may contain anything; the start is 19 fields after it.
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 else 0


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's process: it is there
    return True


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
