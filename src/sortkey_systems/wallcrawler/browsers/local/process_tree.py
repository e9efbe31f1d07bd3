"""The processes below one process: which there are, what memory and processor time they use."""

from __future__ import annotations

import os

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PROCESSES_MAX = 4096


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, parents first."""
    found: list[int] = []
    pending = [pid]
    while pending and len(found) < _PROCESSES_MAX:
        children = _children(pending.pop())
        found += children
        pending += children
    return found


def memory_bytes(pids: list[int]) -> int:
    """The memory of these processes, with what they share counted once (PSS)."""
    return sum(_proportional_bytes(pid) for pid in pids)


def cpu_seconds(pids: list[int]) -> float:
    """The processor time of these processes, and of the children that they have waited for."""
    return sum(_cpu_ticks(pid) for pid in pids) / _TICKS_PER_SECOND


def program_name(pid: int) -> str:
    """The name of a process, or nothing if it has ended."""
    return _read(f"/proc/{pid}/comm").strip()


def _children(pid: int) -> list[int]:
    return [
        int(child) for child in _read(f"/proc/{pid}/task/{pid}/children").split()
    ] + _of_other_threads(pid)


def _of_other_threads(pid: int) -> list[int]:
    """A child belongs to the thread that has started it."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    others = (thread for thread in threads if thread != str(pid))
    return [
        int(child)
        for thread in others
        for child in _read(f"/proc/{pid}/task/{thread}/children").split()
    ]


def _proportional_bytes(pid: int) -> int:
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_ticks(pid: int) -> int:
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) if len(fields) > 14 else 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
