"""The `sortkey` command many times over: one process has its imports, and forks each run of it.

A run is a process of its own, in its own folder, with its own files for input and output, and ends
as any program does; only the second that Python needs for the imports is spared. As a program, it
forks for each line of its input.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import Any

LOADED = (
    *(
        "sortkey.cli.program",
        "sortkey.connect.embedded",
        "sortkey.connect.dynamodb",
        "sortkey.model.description",
    ),
    *(
        "sortkey.runtime.payloads.writes",
        "sortkey.runtime.evolution.planner",
        "sortkey.engine",
        "sortkey.errors",
    ),
    *(
        "rich.table",
        "rich.progress",
        "rich.console",
        "pydantic",
        "apsw",
        "orjson",
        "sortkey_systems.jobengine.model",
    ),
)


class Forked:
    """The process that forks. It ends when nobody can speak to it any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forking"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, arguments: list[str], cwd: Path, given: str, environment: Mapping[str, str]
    ) -> tuple[int, str, str]:
        """The exit code, and what was written to both outputs."""
        assert self._program.stdin
        assert self._program.stdout
        with tempfile.TemporaryDirectory(prefix="sortkey-cli-") as folder, self._lock:
            files = [Path(folder, name) for name in ("in", "out", "err")]
            files[0].write_text(given, encoding="utf-8")
            request = [arguments, str(cwd), dict(environment), [str(file) for file in files]]
            self._program.stdin.write(json.dumps(request) + "\n")
            self._program.stdin.flush()
            code = int(self._program.stdout.readline())
            return code, files[1].read_text(encoding="utf-8"), files[2].read_text(encoding="utf-8")

    def close(self) -> None:
        assert self._program.stdin
        self._program.stdin.close()
        self._program.wait()


@cache
def forked() -> Forked:
    made = Forked()
    atexit.register(made.close)
    return made


def _become(cwd: str, environment: Mapping[str, str], files: list[str]) -> None:
    """In the fork: the place, the variables and the files of the run."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = cwd  # as `python -m` has it
    importlib.invalidate_caches()
    for number, file in enumerate(files):
        flags = os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY
        os.dup2(os.open(file, flags, 0o600), number)
    sys.stdin, sys.stdout, sys.stderr = (
        TextIOWrapper(FileIO(number, mode, closefd=False), encoding="utf-8")
        for number, mode in enumerate("rww")
    )


def _fork_for_each_line() -> None:
    from sortkey.cli import COMMANDS, main
    from sortkey.cli.program import load

    for name in LOADED:
        importlib.import_module(name)
    for name in COMMANDS:
        load(name)
    gc.freeze()
    while line := sys.stdin.readline():
        request: list[Any] = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(*request[1:])
            sys.exit(main(request[0]))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    _fork_for_each_line()
