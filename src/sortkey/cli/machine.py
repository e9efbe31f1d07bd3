"""What `sortkey doctor` looks at, one function a subject. Nothing is changed, and nothing made."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from sortkey import __version__

State = Literal["ok", "missing", "problem"]
"""Missing is what Sortkey runs without; a problem is what it does not run with."""

PYTHON_MIN = (3, 11)
SQLITE_MIN = (3, 50)
FREE_BYTES_MIN = 1 << 30
READ_BYTES_MAX = 1 << 30
PROGRAM_SECONDS = 10
PORTS = {
    8000: "DynamoDB's protocol: sortkey serve, sortkey up",
    8080: "REST and console: sortkey rest, sortkey up",
}
USES = {
    "aws": "aws:// addresses, S3, SNS and SQS",
    "systems": "the systems that ship: graphs, SQL dumps, PostgreSQL",
    "web": "sortkey up and sortkey rest",
    "search": "search, with tantivy or OpenSearch",
}
PROGRAMS = {
    "java": (
        "-version",
        "DynamoDB Local and OpenSearch, which the tests compare with",
        "a Java of 17 or later",
    ),
    "node": ("--version", "the tests of the AWS SDK for JavaScript", "Node.js"),
    "go": ("version", "building the S3 server of the tests", "Go 1.24 or later"),
    "chromium": ("--version", "the tests of the console in a browser", "Chromium"),
}
_OTHER_NAMES = {"chromium": ("chromium-browser", "google-chrome")}


@dataclass(frozen=True)
class Finding:
    """One line of the report. `advice` says what it is for, or what to do."""

    group: str
    name: str
    state: State
    told: str
    advice: str = ""


def look(data: str, *, thorough: bool = False) -> list[Finding]:
    """Everything, in the order in which it is read."""
    return [*_python(), *_packages(), *_ports(data), *_folder(Path(data), thorough), *_programs()]


def _python() -> Iterator[Finding]:
    group = f"Sortkey {__version__}"
    version = sys.version.split()[0]
    is_new = sys.version_info >= PYTHON_MIN
    yield Finding(
        group,
        "Python",
        "ok" if is_new else "problem",
        version,
        "" if is_new else "3.11 or later is needed",
    )
    try:
        import apsw

        text = apsw.sqlite_lib_version()
        is_new = tuple(map(int, text.split(".")[:2])) >= SQLITE_MIN
        advice = "" if is_new else "3.50 or later is needed: pip install --upgrade apsw"
        yield Finding(group, "SQLite", "ok" if is_new else "problem", text, advice)
    except ImportError as error:
        yield Finding(
            group, "SQLite", "problem", str(error), "install apsw, which has SQLite in it"
        )


def _packages() -> Iterator[Finding]:
    """What the installed Sortkey says that it needs, for itself and for its extras."""
    wanted: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("sortkey") or []
    except metadata.PackageNotFoundError:
        yield Finding(
            "Packages",
            "sortkey",
            "missing",
            "runs, but is not installed",
            "pip install the folder it is in",
        )
        return
    for line in lines:
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        name = re.match(r"[\w.-]+", line)
        assert name is not None
        wanted.setdefault(extra[1] if extra else "", []).append(name[0])
    for name in wanted.pop("", []):
        yield _package(name)
    for extra, names in wanted.items():
        yield _extra(extra, names)


def _package(name: str) -> Finding:
    version = _version(name)
    if version is not None:
        return Finding("Packages", name, "ok", version)
    if name == "uvloop":  # the one that is not on every platform
        advice = "without it the server does half as many requests: pip install uvloop"
        return Finding("Packages", name, "missing", "not installed", advice)
    return Finding(
        "Packages", name, "problem", "not installed", "Sortkey needs it: install Sortkey again"
    )


def _extra(extra: str, names: list[str]) -> Finding:
    versions = {name: _version(name) for name in names}
    if missing := [name for name, version in versions.items() if version is None]:
        advice = f"for {USES.get(extra, extra)}: pip install 'sortkey[{extra}]'"
        return Finding(
            "Packages", f"[{extra}]", "missing", f"{', '.join(missing)} not installed", advice
        )
    return Finding(
        "Packages",
        f"[{extra}]",
        "ok",
        ", ".join(f"{name} {version}" for name, version in versions.items()),
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _ports(data: str) -> Iterator[Finding]:
    from sortkey.storage.folder import owner_of

    owner = owner_of(data)
    for port, use in PORTS.items():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                is_ours = owner is not None and (owner.address or "").endswith(f":{port}")
                told = (
                    f"served from {data}, by process {owner.pid}"
                    if is_ours and owner
                    else str(error.strerror).lower()
                )
                advice = "" if is_ours else f"for {use}: choose another port, or stop what uses it"
                yield Finding("Ports", str(port), "ok" if is_ours else "missing", told, advice)
            else:
                yield Finding("Ports", str(port), "ok", "free", f"for {use}")


def _folder(folder: Path, thorough: bool) -> Iterator[Finding]:
    from sortkey.storage.folder import DATABASE_NAME, owner_of

    group = f"Data folder {folder}"
    if not folder.is_dir():
        yield Finding(
            group,
            "folder",
            "missing",
            "not there",
            "sortkey up and sortkey serve make it; or name another with --data",
        )
        return
    if not os.access(folder, os.R_OK | os.X_OK):
        told = f"cannot be looked into (mode {folder.stat().st_mode & 0o777:o})"
        yield Finding(group, "access", "problem", told, "choose another, or change its owner")
        return
    owner = owner_of(folder)
    told = (
        "nobody uses it"
        if owner is None
        else f"process {owner.pid}, on {owner.address or 'no address'}"
    )
    yield Finding(group, "owner", "ok", told)
    yield from _room(group, folder)
    database = folder / DATABASE_NAME
    if database.is_file():
        yield _database(group, database, thorough)
    else:
        yield Finding(group, "database", "missing", "no table was ever made here")


def _room(group: str, folder: Path) -> Iterator[Finding]:
    mode = folder.stat().st_mode & 0o777
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(
            group,
            "access",
            "problem",
            f"cannot be written to (mode {mode:o})",
            "choose another, or change its owner",
        )
    elif mode & 0o077:
        yield Finding(
            group,
            "access",
            "missing",
            f"others can look into it (mode {mode:o})",
            f"chmod 700 {folder}",
        )
    else:
        yield Finding(group, "access", "ok", f"only you (mode {mode:o})")
    free = shutil.disk_usage(folder).free
    is_enough = free >= FREE_BYTES_MIN
    advice = "" if is_enough else "a full disk refuses writes"
    yield Finding(
        group, "disk", "ok" if is_enough else "missing", f"{free / 2**30:,.1f} GB free", advice
    )


def _database(group: str, database: Path, thorough: bool) -> Finding:
    import apsw

    size = database.stat().st_size
    told = f"{size / 2**20:,.1f} MB"
    is_read = thorough or size <= READ_BYTES_MAX
    try:
        connection: Any = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(5_000)
            tables = connection.execute(
                "select count(*) from record where kind = 'table'"
            ).fetchall()[0][0]
            wrong = (
                [row[0] for row in connection.execute("pragma quick_check(3)")]
                if is_read
                else ["ok"]
            )
        finally:
            connection.close()
    except apsw.Error as error:
        advice = "restore it from a copy: sortkey restore --from"
        return Finding(group, "database", "problem", f"cannot be read: {error}", advice)
    if wrong != ["ok"]:
        return Finding(
            group,
            "database",
            "problem",
            "; ".join(wrong),
            "restore it from a copy: sortkey restore --from",
        )
    advice = "" if is_read else "not read, as it is large: --thorough reads it"
    return Finding(
        group,
        "database",
        "ok",
        f"{tables} tables, {told}, {'sound' if is_read else 'opens'}",
        advice,
    )


def _programs() -> Iterator[Finding]:
    for name, (flag, use, what) in PROGRAMS.items():
        found = next(filter(None, map(shutil.which, (name, *_OTHER_NAMES.get(name, ())))), None)
        if found is None:
            yield Finding(
                "For the tests only", name, "missing", "not found", f"for {use}: install {what}"
            )
        else:
            yield Finding(
                "For the tests only", name, "ok", _first_line([found, flag]), f"for {use}"
            )


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=PROGRAM_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not answer: {error}"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else "found"
