"""The process of one browser: started with a pipe, ended with everything below it.

The holder adopts orphans, so every process of the browser is its descendant, and none outlives
`kill_all`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from sortkey_systems.wallcrawler.browsers.local import kernel
from sortkey_systems.wallcrawler.browsers.local.process_tree import descendants, program_name
from sortkey_systems.wallcrawler.browsers.local.users import kill_user

COMMANDS_FD, ANSWERS_FD = 3, 4
"""Where Chromium reads commands and writes answers."""
PIPE_BYTES = 1024 * 1024
KILL_SECONDS = 5.0
_FREE_FD = 10
_COULD_NOT_START = 127
_OOM_SCORE = "300"
_KILLED_INSIDE_BWRAP = 128
"""bubblewrap adds the number of the signal to this."""


@dataclass(slots=True)
class BrowserProcess:
    """A started browser. The holder owns the descriptors."""

    pid: int
    uid: int | None
    commands_fd: int
    answers_fd: int
    errors_fd: int

    def terminate(self) -> None:
        """Ask Chromium's main process to end, also where bubblewrap stands between."""
        wrappers_and_main = [self.pid, *descendants(self.pid)]
        main = next((pid for pid in wrappers_and_main if program_name(pid) != "bwrap"), self.pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(main, signal.SIGTERM)

    def kill_all(self) -> None:
        """Kill every process of the browser and wait until none is left."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        kill_descendants()
        if self.uid is not None:
            kill_user(self.uid)

    def exit_reason(self) -> str:
        """How the main process has ended, if it has."""
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            return "it has ended"
        if pid == 0:
            return "it closed its pipe"
        code = os.waitstatus_to_exitcode(status)
        if code > _KILLED_INSIDE_BWRAP:
            code = _KILLED_INSIDE_BWRAP - code
        return (
            f"killed by {signal.Signals(-code).name}"
            if code < 0
            else f"it exited with status {code}"
        )


def start_process(
    command: list[str],
    *,
    uid: int | None,
    environment: dict[str, str],
    before_exec: Callable[[], None],
) -> BrowserProcess:
    """Start a program with Chromium's pipe at descriptors 3 and 4, in a process group of its
    own."""
    commands_out, commands_in = _wide_pipe()
    answers_out, answers_in = _wide_pipe()
    errors_out, errors_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(command, uid, environment, before_exec, commands_out, answers_in, errors_in)
    for fd in (commands_out, answers_in, errors_in):
        os.close(fd)
    return BrowserProcess(pid, uid, commands_in, answers_out, errors_out)


def kill_descendants() -> None:
    """Kill all processes below this one and wait for them."""
    deadline = time.monotonic() + KILL_SECONDS
    while not _has_reaped_all() and time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _become(
    command: list[str],
    uid: int | None,
    environment: dict[str, str],
    before_exec: Callable[[], None],
    commands_fd: int,
    answers_fd: int,
    errors_fd: int,
) -> None:
    """In the child: turn into the program. It never returns."""
    try:
        os.setsid()
        _arrange_descriptors(commands_fd, answers_fd, errors_fd)
        before_exec()
        os.umask(0o077)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with (
            contextlib.suppress(OSError),
            open("/proc/self/oom_score_adj", "w", encoding="ascii") as file,
        ):
            file.write(_OOM_SCORE)  # when memory runs out, a browser goes before the server
        if uid is not None:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        kernel.gain_no_privileges()
        kernel.die_with_parent(signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.execve(command[0], command, environment)
    except BaseException as error:
        os.write(2, f"{command[0]} cannot be started: {error}\n".encode())
    finally:
        os._exit(_COULD_NOT_START)


def _arrange_descriptors(commands_fd: int, answers_fd: int, errors_fd: int) -> None:
    """All others close when the program starts. The copies keep one from overwriting another that
    is still needed."""
    copies = [
        fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FD)
        for fd in (commands_fd, answers_fd, errors_fd)
    ]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(copies[2], 1)
    os.dup2(copies[2], 2)
    os.dup2(copies[0], COMMANDS_FD)
    os.dup2(copies[1], ANSWERS_FD)


def _wide_pipe() -> tuple[int, int]:
    """A pipe that takes a screenshot without a change of processes for each 64 KB, where the system
    allows it."""
    ends = os.pipe()
    with contextlib.suppress(OSError):
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return ends


def _has_reaped_all() -> bool:
    """Wait for the children that have ended; whether there are no others."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except OSError as error:
            return error.errno == errno.ECHILD
        if pid == 0:
            return False
