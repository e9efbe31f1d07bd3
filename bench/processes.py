"""What a server costs, read from /proc: CPU time and resident memory of a process and its
children.
"""

import gc
import os
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def settle() -> None:
    """The measure before left pages for the disk and rubbish in memory; the next one must not pay
    for that.
    """
    gc.collect()
    os.sync()


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and everything it started, since they began."""
    return sum(_ticks(member) for member in family(pid)) / _TICKS_PER_SECOND


def resident_mb(pid: int) -> float:
    """Memory in RAM of a process and everything it started."""
    pages = sum(int(Path(f"/proc/{member}/statm").read_text().split()[1]) for member in family(pid))
    return pages * _PAGE_BYTES / 1e6


def family(pid: int) -> list[int]:
    """The process and its descendants that are alive now."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    members, pending = [], [pid]
    while pending:
        member = pending.pop()
        members.append(member)
        pending.extend(children.get(member, []))
    return members


def _ticks(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[11]) + int(fields[12]) if fields else 0


def _stat(pid: int) -> list[str]:
    # The second field is the program's name in parentheses and may hold spaces: count from after
    # it.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
