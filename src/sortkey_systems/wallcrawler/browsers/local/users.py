"""User ids of sessions: run as root, every browser has one of its own, not listed in passwd."""

from __future__ import annotations

import os
import random
import signal
from functools import cache

UIDS = (2_000_000_000, 2_100_000_000)
"""Above what systems give to people, services and containers."""
UIDS_IN_CONTAINER = (30_000, 60_000)
"""Where a user namespace maps only the first 65536 ids."""


def free_uid() -> int:
    """A user id that nobody uses. The range is so large that two servers choose different ones."""
    low, high = _range()
    used = uids_in_use()
    chance = random.SystemRandom()
    while True:
        uid = chance.randrange(low, high)
        if uid not in used:
            return uid


def is_session_uid(uid: int) -> bool:
    """Whether a user id is one that `free_uid` may have given."""
    return any(low <= uid < high for low, high in (UIDS, UIDS_IN_CONTAINER))


def is_guest(uid: int) -> bool:
    """Whether a user id is one that `free_uid` gives on this machine."""
    low, high = _range()
    return low <= uid < high


def uids_in_use() -> set[int]:
    """The user ids of all processes."""
    used: set[int] = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                used.add(entry.stat().st_uid)
            except OSError:
                continue  # it has ended meanwhile
    return used


def kill_user(uid: int) -> None:
    """Kill every process of a session's user, wherever it hides. Needs root.

    Raises ValueError for any other user: as root it would kill the whole machine.
    """
    if not is_session_uid(uid):
        raise ValueError(f"{uid} is not the user id of a session")
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)  # it spares its sender
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


@cache
def _range() -> tuple[int, int]:
    return UIDS if _highest_uid() >= UIDS[1] else UIDS_IN_CONTAINER


def _highest_uid() -> int:
    with open("/proc/self/uid_map", encoding="ascii") as file:
        return max(int(inside) + int(length) - 1 for inside, _, length in map(str.split, file))
