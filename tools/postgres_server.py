"""A PostgreSQL server of our own: a fresh cluster in a temporary folder, on a free port, gone with
its process.

PostgreSQL refuses to run as root, so there it runs as a user that has no rights.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from tools.downloads import Missing
from tools.dynamodb_local import free_port

USERS = ("postgres", "nobody")
START_SECONDS = 60


def program(name: str) -> str:
    """Of the newest version. Debian keeps the server's programs out of the path."""
    places = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=_version) + glob.glob(
        f"/usr/pgsql-*/bin/{name}"
    )
    path = shutil.which(name) or next(iter(reversed(places)), None)
    if path is None:
        raise Missing(f"there is no {name}: install postgresql")
    return path


def _version(path: str) -> list[int]:
    return [int(part) for part in path.split("/") if part.isdigit()]


def _account() -> dict[str, Any]:
    """Who runs the server: ourselves, unless we are root."""
    if os.geteuid() != 0:
        return {}
    for name in USERS:
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    raise Missing(f"PostgreSQL does not run as root, and there is no user {' or '.join(USERS)}")


class PostgresServer:
    """A running server. Anybody on this machine may connect as `shop`, without a password. It ends
    with this process, however that ends."""

    def __init__(self) -> None:
        self._postgres, initdb, self._as = program("postgres"), program("initdb"), _account()
        self.folder = Path(
            tempfile.mkdtemp(prefix="sortkey-pg-")
        )  # short: it holds the path of a socket
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        if self._as:
            os.chown(self.folder, self._as["user"], self._as["group"])
        try:
            self._make(initdb)
            self.start()
        except BaseException:
            self.remove()
            raise

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://shop@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        options = ("-p", str(self.port), "-k", str(self.folder), "-h", "127.0.0.1", "-F")
        # The shell reads its standard input, which nobody writes to: it ends when our end of the
        # pipe is closed.
        script = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server'
        self._process = subprocess.Popen(
            ["sh", "-c", script, "sh", self._postgres, "-D", str(self.folder / "data"), *options],
            **self._as,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._wait()

    def stop(self) -> None:
        """At once, as when the machine goes down. Stopping twice is fine; `start` starts
        it again.
        """
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.address(), connect_timeout=5).close()
                return
            except psycopg.OperationalError as error:
                ended = self._process is None or self._process.poll() is not None
                if ended or time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL did not start: {error}") from error
                time.sleep(0.02)

    def _make(self, initdb: str) -> None:
        command = [
            initdb,
            "-D",
            str(self.folder / "data"),
            "-U",
            "shop",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-sync",
        ]
        done = subprocess.run(
            command, **self._as, cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Missing(f"initdb failed: {done.stderr[-500:]}")
