"""The checks of `sortkey doctor`, one function per subject. They change nothing."""

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
"""Sortkey runs without what is missing. It does not run with a problem."""

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
        "comparing with DynamoDB Local and OpenSearch in the tests",
        "Java 17 or later",
    ),
    "node": ("--version", "the tests of the AWS SDK for JavaScript", "Node.js"),
    "go": ("version", "building the S3 server of the tests", "Go 1.24 or later"),
    "chromium": ("--version", "the tests of the console in a browser", "Chromium"),
}
_OTHER_NAMES = {"chromium": ("chromium-browser", "google-chrome")}


@dataclass(frozen=True)
class Finding:
    """One line of the report. `advice` says what needs it, or what to do."""

    group: str
    name: str
    state: State
    detail: str
    advice: str = ""


def check(data: str, *, thorough: bool = False) -> list[Finding]:
    """All checks, in the order of the report."""
    return [*_python(), *_packages(), *_ports(data), *_folder(Path(data), thorough), *_programs()]


def _python() -> Iterator[Finding]:
    group = f"Sortkey {__version__}"
    version = sys.version.split()[0]
    is_supported = sys.version_info >= PYTHON_MIN
    yield Finding(
        group,
        "Python",
        "ok" if is_supported else "problem",
        version,
        "" if is_supported else "3.11 or later is needed",
    )
    try:
        import apsw

        text = apsw.sqlite_lib_version()
        is_supported = tuple(map(int, text.split(".")[:2])) >= SQLITE_MIN
        advice = "" if is_supported else "3.50 or later is needed: pip install --upgrade apsw"
        yield Finding(group, "SQLite", "ok" if is_supported else "problem", text, advice)
    except ImportError as error:
        yield Finding(group, "SQLite", "problem", str(error), "install apsw, which includes SQLite")


def _packages() -> Iterator[Finding]:
    """The packages that the installed Sortkey requires, for itself and for its extras."""
    required: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("sortkey") or []
    except metadata.PackageNotFoundError:
        yield Finding(
            "Packages",
            "sortkey",
            "missing",
            "running, but not installed",
            "pip install its folder",
        )
        return
    for line in lines:
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        name = re.match(r"[\w.-]+", line)
        assert name is not None
        required.setdefault(extra[1] if extra else "", []).append(name[0])
    for name in required.pop("", []):
        yield _package(name)
    for extra, names in required.items():
        yield _extra(extra, names)


def _package(name: str) -> Finding:
    version = _version(name)
    if version is not None:
        return Finding("Packages", name, "ok", version)
    if name == "uvloop":  # not available on every platform
        advice = "the server is half as fast without it: pip install uvloop"
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
                detail = (
                    f"served from {data}, by process {owner.pid}"
                    if is_ours and owner
                    else str(error.strerror).lower()
                )
                advice = (
                    "" if is_ours else f"for {use}: choose another port, or stop what uses this one"
                )
                yield Finding("Ports", str(port), "ok" if is_ours else "missing", detail, advice)
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
            "does not exist",
            "sortkey up and sortkey serve create it; or give another with --data",
        )
        return
    if not os.access(folder, os.R_OK | os.X_OK):
        detail = f"cannot be read (mode {folder.stat().st_mode & 0o777:o})"
        yield Finding(group, "access", "problem", detail, "choose another, or change its owner")
        return
    owner = owner_of(folder)
    detail = (
        "not in use"
        if owner is None
        else f"process {owner.pid}, on {owner.address or 'no address'}"
    )
    yield Finding(group, "owner", "ok", detail)
    yield from _access_and_space(group, folder)
    database = folder / DATABASE_NAME
    if database.is_file():
        yield _database(group, database, thorough)
    else:
        yield Finding(group, "database", "missing", "no table has been created here")


def _access_and_space(group: str, folder: Path) -> Iterator[Finding]:
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
            f"others can read it (mode {mode:o})",
            f"chmod 700 {folder}",
        )
    else:
        yield Finding(group, "access", "ok", f"only you (mode {mode:o})")
    free = shutil.disk_usage(folder).free
    is_enough = free >= FREE_BYTES_MIN
    advice = "" if is_enough else "writes fail when the disk is full"
    yield Finding(
        group, "disk", "ok" if is_enough else "missing", f"{free / 2**30:,.1f} GB free", advice
    )


def _database(group: str, database: Path, thorough: bool) -> Finding:
    import apsw

    size = database.stat().st_size
    is_read = thorough or size <= READ_BYTES_MAX
    try:
        connection: Any = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(5_000)
            tables = connection.execute(
                "select count(*) from record where kind = 'table'"
            ).fetchall()[0][0]
            problems = (
                [row[0] for row in connection.execute("pragma quick_check(3)")]
                if is_read
                else ["ok"]
            )
        finally:
            connection.close()
    except apsw.Error as error:
        advice = "restore it from a copy: sortkey restore --from"
        return Finding(group, "database", "problem", f"cannot be read: {error}", advice)
    if problems != ["ok"]:
        return Finding(
            group,
            "database",
            "problem",
            "; ".join(problems),
            "restore it from a copy: sortkey restore --from",
        )
    advice = "" if is_read else "not checked because it is large: use --thorough"
    return Finding(
        group,
        "database",
        "ok",
        f"{tables} table{'' if tables == 1 else 's'}, {size / 2**20:,.1f} MB, "
        f"{'intact' if is_read else 'not checked'}",
        advice,
    )


def _programs() -> Iterator[Finding]:
    for name, (flag, use, what) in PROGRAMS.items():
        program = next(filter(None, map(shutil.which, (name, *_OTHER_NAMES.get(name, ())))), None)
        if program is None:
            yield Finding(
                "For the tests only", name, "missing", "not found", f"for {use}: install {what}"
            )
        else:
            yield Finding(
                "For the tests only", name, "ok", _first_line([program, flag]), f"for {use}"
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
