"""A child process while it runs: its output becomes the log, and it ends at its time limit."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut, Task

POLL_SECONDS = 0.1
LINE_BYTES_MAX = 4000
LINES_MAX = 2000
"""Lines of a log. What a command prints after them is not kept."""
_PROGRESS = re.compile(r"::progress (\d{1,3})(?: (.{0,200}))?")
"""A line that says how far a command is: `::progress 40 Rendering`."""


def run_process(
    task: Task,
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    end: Callable[[], object] = lambda: None,
) -> None:
    """Run a command to its end. Raises StepFailed for any exit code but 0, and StepTimedOut. `end`
    is called when it is ended before it is done.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    is_done = False
    try:
        last_line = _follow(process, task)
        is_done = True
    finally:
        if not is_done:
            end()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    if process.returncode != 0:
        raise StepFailed(f"{_ending(process.returncode)}: {last_line or 'it printed nothing'}")


def _follow(process: subprocess.Popen[bytes], task: Task) -> str:
    """Log what a process prints until it ends. The last line it printed."""
    assert process.stdout is not None
    descriptor, deadline = process.stdout.fileno(), time.monotonic() + task.seconds
    lines = _Lines(task)
    while True:
        readable, _, _ = select.select([descriptor], [], [], POLL_SECONDS)
        if readable:
            data = os.read(descriptor, 1 << 16)
            lines.add(data)
            if not data:
                break
        elif process.poll() is not None:
            break  # a child of it may hold the pipe open
        task.check()
        if time.monotonic() > deadline:
            raise StepTimedOut(f"the command took longer than {task.seconds:g} s")
    lines.finish()
    while process.poll() is None:  # it has closed its output and goes on
        task.check()
        if time.monotonic() > deadline:
            raise StepTimedOut(f"the command took longer than {task.seconds:g} s")
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
    return lines.last


class _Lines:
    """Cuts output into lines, and logs them."""

    def __init__(self, task: Task) -> None:
        self._task, self._rest, self._count = task, b"", 0
        self.last = ""

    def add(self, data: bytes) -> None:
        *complete, self._rest = (self._rest + data).split(b"\n")
        for line in complete:
            self._log(line)
        if len(self._rest) > LINE_BYTES_MAX:
            self.finish()

    def finish(self) -> None:
        self._log(self._rest)
        self._rest = b""

    def _log(self, line: bytes) -> None:
        text = line[:LINE_BYTES_MAX].decode("utf-8", "replace").rstrip()
        if not text:
            return
        progress = _PROGRESS.fullmatch(text)
        if progress:
            self._task.progress(min(100, int(progress[1])), progress[2])
            return
        self.last = text
        self._count += 1
        if self._count <= LINES_MAX:
            self._task.log(text)
        elif self._count == LINES_MAX + 1:
            self._task.log(f"more than {LINES_MAX} lines: the rest is left out")


def _ending(code: int) -> str:
    if code < 0:
        return f"the command was ended by {signal.Signals(-code).name}"
    return f"the command ended with exit code {code}"
