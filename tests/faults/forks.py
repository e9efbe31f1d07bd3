"""Programs that are killed again and again. One process imports what they need and forks each of
them: that spares a second of imports every time.

As a program, `python -m tests.faults.forks MODULE`, it calls MODULE.main in a fork for each line of
its input.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any


class Forks:
    """Runs `main` of a module, one fork at a time."""

    def __init__(self, module: str) -> None:
        self._module = module

    def start(self, *arguments: Any) -> Fork:
        """Call `main` with these arguments, in a process of its own."""
        out, err = self._folder / "out", self._folder / "err"
        self._input.write(json.dumps([str(out), str(err), *arguments]) + "\n")
        self._input.flush()
        return Fork(int(self._output.readline()), out.open(), err, self._output.readline)

    def __enter__(self) -> Forks:
        self._temporary = tempfile.TemporaryDirectory(prefix="sortkey-forks-")
        self._folder = Path(self._temporary.name)
        os.mkfifo(self._folder / "out")
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.forks", self._module],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._program.stdin
        assert self._program.stdout
        self._input, self._output = self._program.stdin, self._program.stdout
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._program.kill()  # what it has started dies when it writes to nobody
        self._input.close()
        self._output.close()
        self._program.wait()
        self._temporary.cleanup()


class Fork:
    """One process. Read its lines to their end, then ask how it ended."""

    def __init__(self, pid: int, output: Any, errors: Path, end: Callable[[], str]) -> None:
        self.pid, self._output, self._errors, self._end = pid, output, errors, end

    def lines(self) -> Iterator[str]:
        """What it says, as it says it. A last line without its end was not said."""
        with self._output as output:
            for line in output:
                if line.endswith("\n"):
                    yield line[:-1]

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def was_killed(self) -> bool:
        """Whether it ended by `kill -9`; else what it said is raised."""
        code = int(self._end())
        assert code == -signal.SIGKILL, self._errors.read_text()
        return True


def fork_workers(work: Callable[..., None], *arguments: Any) -> None:
    """As a program of its own: a process that works until it is killed for each line of the input;
    prints its id.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are not waited for
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work(*arguments)
            signal.pause()
        print(pid, flush=True)


def _run(main: Callable[..., None], out: str, err: str, arguments: list[Any]) -> None:
    """In the fork. It never comes back."""
    try:
        os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os.dup2(os.open(out, os.O_WRONLY), 1)
        main(*arguments)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def _fork_for_each_line(module: str) -> None:
    main = importlib.import_module(module).main
    for line in sys.stdin:
        out, err, *arguments = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(main, out, err, arguments)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    _fork_for_each_line(sys.argv[1])
