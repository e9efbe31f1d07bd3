"""The servers that are compared, and how each is started. One is loaded at a time: there are few
cores.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools import dynamodb_local
from tools.downloads import DYNALITE, Missing, cache_folder, locked, npm_package, program

REQUIREMENTS = Path(__file__).parent.parent / "requirements" / "bench.txt"
Command = Callable[[int, Path], list[str]]


@dataclass(frozen=True, slots=True)
class Peer:
    """A server under measure. `warm_seconds` is for those whose code gets faster while it runs."""

    name: str
    command: Command
    warm_seconds: int = 3
    environment: Callable[[int], dict[str, str]] = lambda _: {}


@dataclass(frozen=True, slots=True)
class Running:
    """A started server and how long it took from the start of the process to its first answer."""

    port: int
    pid: int
    start_seconds: float


@contextmanager
def started(peer: Peer) -> Iterator[Running]:
    """Start a server on a free port with a fresh folder; end it and its children afterwards. Raises
    Missing.
    """
    port = dynamodb_local.free_port()
    folder = Path(tempfile.mkdtemp(prefix="sortkey-bench-"))
    environment = os.environ | peer.environment(port)
    command = peer.command(port, folder)
    log = (folder / "log").open("wb")
    begin = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True
    )
    try:
        dynamodb_local.wait_until_it_answers(port, process)
        yield Running(port, process.pid, time.monotonic() - begin)
    finally:
        _end(process)
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _ours(synchronous: str) -> Command:
    def command(port: int, folder: Path) -> list[str]:
        data = str(folder / "data")
        return [
            sys.executable,
            "-m",
            "sortkey",
            "serve",
            "--port",
            str(port),
            "--data",
            data,
            "--synchronous",
            synchronous,
        ]

    return command


def _dynalite(port: int, folder: Path) -> list[str]:
    script = npm_package(DYNALITE) / "dynalite" / "cli.js"
    return [
        program("node", "Debian: apt-get install nodejs"),
        str(script),
        "--port",
        str(port),
        "--createTableMs",
        "0",
    ]


def _moto(port: int, folder: Path) -> list[str]:
    return [str(peers_environment() / "bin" / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]


def _ministack(port: int, folder: Path) -> list[str]:
    return [str(peers_environment() / "bin" / "ministack")]


def peers_environment() -> Path:
    """A virtual environment in the cache with the peers that are Python packages. It is rebuilt
    when the pins change.
    """
    folder = cache_folder() / "bench-venv"
    pins = folder / "requirements.txt"
    with locked(cache_folder() / "bench-venv.lock"):
        if not pins.exists() or pins.read_bytes() != REQUIREMENTS.read_bytes():
            print(
                "installing moto and ministack into the cache, once …", file=sys.stderr, flush=True
            )
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
            pip = [
                str(folder / "bin" / "python"),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--require-hashes",
            ]
            if subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=False).returncode:
                raise Missing("pip could not install the peers")
            shutil.copy(REQUIREMENTS, pins)
    return folder


NORMAL = Peer("Sortkey, NORMAL", _ours("normal"))
FULL = Peer("Sortkey, FULL", _ours("full"))
LOCAL_MEMORY = Peer(
    "DynamoDB Local, memory", lambda port, _: dynamodb_local.command(port), warm_seconds=25
)
LOCAL_DISK = Peer("DynamoDB Local, disk", dynamodb_local.command, warm_seconds=25)
DYNALITE_MEMORY = Peer("dynalite", _dynalite, warm_seconds=6)
MOTO = Peer("moto server", _moto)
MINISTACK = Peer("ministack", _ministack, environment=lambda port: {"GATEWAY_PORT": str(port)})

ALL = (NORMAL, FULL, LOCAL_MEMORY, LOCAL_DISK, DYNALITE_MEMORY, MOTO, MINISTACK)
QUICK = (NORMAL, LOCAL_MEMORY)
