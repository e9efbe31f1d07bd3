"""Browsers whose holder has died: make sure that nothing of them runs, and settle what they have
left."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.local.home import remove_home
from sortkey_systems.wallcrawler.browsers.local.memory_limit import remove_control_group
from sortkey_systems.wallcrawler.browsers.local.session_folder import (
    ARCHIVE,
    Remains,
    State,
    last_seen_at,
    settle,
)
from sortkey_systems.wallcrawler.browsers.local.users import kill_user

NURSERY = b".browsers.local.nursery"
"""What the command line of every holder contains."""
EXIT_SECONDS = 2.0


def end_holder(pid: int, seconds: float = EXIT_SECONDS) -> None:
    """Wait until a holder has exited, and kill it if it takes too long."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if _is_holder(pid) and not _has_exited(process, seconds):
            signal.pidfd_send_signal(process, signal.SIGKILL)
            _has_exited(process, EXIT_SECONDS)
    finally:
        os.close(process)


def settle_abandoned(folder: Path, reason: str) -> Remains:
    """End what is left of a browser without a holder, and keep what its session wants kept."""
    remains = Remains.read(folder)
    if remains is not None:
        return remains
    state = State.read(folder)
    ended_at = last_seen_at(folder)
    if state is None:
        has_archive = (folder / ARCHIVE).exists()
        remains = Remains(reason, ended_at, has_archive, archive_error=None)
        with contextlib.suppress(OSError):
            remains.write(folder)
        return remains
    _end_processes(state)
    cookies = folder / "cookies.json"
    return settle(
        folder, state, reason, ended_at, cookies.read_bytes() if cookies.exists() else None
    )


def clear_abandoned(folder: Path) -> None:
    """End what is left of a browser without a holder that belongs to no session."""
    state = State.read(folder)
    if state is not None:
        _end_processes(state)
        remove_home(state.home)


def _end_processes(state: State) -> None:
    end_holder(state.holder_pid, seconds=0)
    if state.uid is not None and os.geteuid() == 0:
        kill_user(state.uid)
    if state.control_group is not None:
        remove_control_group(state.control_group)


def _has_exited(process: int, seconds: float) -> bool:
    return bool(select.select([process], [], [], seconds)[0])


def _is_holder(pid: int) -> bool:
    """Whether the id is not that of another program by now. One that is exiting has no command."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return NURSERY in command or not command
