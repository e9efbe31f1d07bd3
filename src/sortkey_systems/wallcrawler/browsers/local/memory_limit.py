"""A limit on the memory of one browser: a control group where the system lets us make one, else a
watchdog.

In a control group the kernel ends a process of the browser that asks for too much, usually one
page. The watchdog looks every few seconds and ends the whole browser.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.local.home import PREFIX
from sortkey_systems.wallcrawler.browsers.local.process_tree import descendants, memory_bytes

WATCH_SECONDS = 5.0
_MEMORY_V1 = "/sys/fs/cgroup/memory"
_UNIFIED = "/sys/fs/cgroup"


class ControlGroup:
    """A control group with a limit of memory."""

    def __init__(self, folder: str, usage_file: str) -> None:
        self.folder, self._usage_file = folder, usage_file

    def join(self) -> None:
        """Put the calling process into the group. What it starts belongs to it too."""
        with open(os.path.join(self.folder, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write("0")

    def memory_bytes(self) -> int:
        with open(os.path.join(self.folder, self._usage_file), encoding="ascii") as file:
            return int(file.read())

    def remove(self) -> None:
        """Delete the group; its processes have ended."""
        remove_control_group(self.folder)


def create_control_group(name: str, limit_bytes: int) -> ControlGroup | None:
    """A control group of either version, named as a home; None where this is not allowed."""
    return _create(
        _MEMORY_V1, name, {"memory.limit_in_bytes": limit_bytes}, "memory.usage_in_bytes"
    ) or _create(_UNIFIED, name, {"memory.max": limit_bytes}, "memory.current")


def remove_control_group(folder: str) -> None:
    """Delete a group by its folder. The name is checked, since it may have been read from a
    file."""
    if os.path.basename(folder).startswith(PREFIX):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def watch_memory(loop: EventLoop, limit_bytes: int, on_exceeded: Callable[[int], None]) -> None:
    """Call `on_exceeded` with the bytes in use when all processes below this one hold more than the
    limit."""

    def look() -> None:
        used = memory_bytes(descendants(os.getpid()))
        if used > limit_bytes:
            on_exceeded(used)

    loop.every(WATCH_SECONDS, look)


def _create(parent: str, name: str, limits: dict[str, int], usage_file: str) -> ControlGroup | None:
    folder = os.path.join(parent, name)
    try:
        os.mkdir(folder)
    except OSError:
        return None
    group = ControlGroup(folder, usage_file)
    try:
        for file_name, value in limits.items():
            path = os.path.join(folder, file_name)
            fd = os.open(
                path, os.O_WRONLY
            )  # without O_CREAT: a file that is missing means another version
            os.write(fd, str(value).encode())
            os.close(fd)
        group.memory_bytes()
    except OSError:
        group.remove()
        return None
    return group
