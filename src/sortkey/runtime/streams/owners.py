"""Who a process is, in a text that tells others on the same machine whether it still runs.

A lease of a process that is gone need not be waited for: after `kill -9` the next start goes on at
once.
"""

from __future__ import annotations

import os
import re
import socket
from hashlib import sha256
from pathlib import Path

_OWNER = re.compile(r"([\w-]*)\.([0-9a-f]{12})\.(\d+)\.(\d+)\.(\w+)")


def this_process(nonce: str) -> str:
    """`host.machine.pid.start.nonce`; the nonce tells two workers of one process apart."""
    host = re.sub(r"[^\w-]", "-", socket.gethostname().partition(".")[0])
    return f"{host}.{_machine()}.{os.getpid()}.{_start_of(os.getpid())}.{nonce}"


def is_gone(owner: str) -> bool:
    """Whether the process was on this machine and is there no more. False where that cannot be
    known.
    """
    match = _OWNER.fullmatch(owner)
    if match is None or match[2] != _machine():
        return False
    pid = int(match[3])
    return not _runs(pid) or _start_of(pid) != int(match[4])


def _machine() -> str:
    """This boot of this machine, and in Linux the namespace of its process ids: containers may
    share all the rest.
    """
    known = [socket.gethostname(), _read("/proc/sys/kernel/random/boot_id")]
    try:
        known.append(str(os.stat("/proc/self/ns/pid").st_ino))
    except OSError:
        known.append("")  # not Linux: no such namespaces
    return sha256("/".join(known).encode()).hexdigest()[:12]


def _start_of(pid: int) -> int:
    """When a process began, in ticks since the machine did; 0 where the system does not say."""
    # The name of the program stands in brackets and may hold anything; 19 fields behind it.
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
