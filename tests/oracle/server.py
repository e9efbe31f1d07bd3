"""One DynamoDB Local for the whole test run, shared by the workers of pytest-xdist and stopped with
the run.

The process that owns the run holds a named pipe open; a shell next to the jar reads it and ends the
jar at its end. So the jar goes away even when the run is killed. SORTKEY_ORACLE_PORT names one that
runs already.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.downloads import locked
from tools.dynamodb_local import command, free_port, wait_until_it_answers

_FOLDER = "SORTKEY_ORACLE_FOLDER"
_PORT = "SORTKEY_ORACLE_PORT"


class Lifeline:
    """Held by the process that owns the run: while it is open, a shared DynamoDB Local may live."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sortkey-oracle-"))
        os.mkfifo(self.folder / "alive")
        self._end = os.open(self.folder / "alive", os.O_RDWR)
        os.environ[_FOLDER] = str(self.folder)

    def close(self) -> None:
        os.close(self._end)
        os.environ.pop(_FOLDER, None)
        shutil.rmtree(self.folder, ignore_errors=True)


def shared_port() -> int:
    """The port of the run's DynamoDB Local, started by whoever asks first. Raises
    tools.downloads.Missing.
    """
    if given := os.environ.get(_PORT):
        return int(given)
    return _port_of("shared")


def apart_port() -> int:
    """The port of a second one, in which every access key has tables of its own. Raises
    tools.downloads.Missing.
    """
    return _port_of("apart")


def _port_of(kind: str) -> int:
    folder = Path(os.environ[_FOLDER])
    known = folder / f"{kind}-port"
    with locked(folder / "lock"):
        if not known.exists():
            known.write_text(str(_start(folder, is_shared=kind == "shared")))
    return int(known.read_text())


def _start(folder: Path, *, is_shared: bool) -> int:
    port = free_port()
    jar = shlex.join(command(port, is_shared=is_shared))
    print(f"starting DynamoDB Local on port {port} …", file=sys.stderr, flush=True)
    # cat returns when the owner of the run closes its end or dies.
    script = f"{jar} & jar=$!; cat {shlex.quote(str(folder / 'alive'))} > /dev/null; kill $jar"
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        ["sh", "-c", script],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
        cwd=folder,
    )
    wait_until_it_answers(port, process)
    return port
