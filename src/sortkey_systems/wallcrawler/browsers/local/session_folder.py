"""The folder of one session in the data folder: what is in it while the browser runs, and what is
left at the end.

While it runs: state.json, last-seen, holder.sock, cdp.log, recording, cookies.json, and links to
the downloads and uploads in the browser's home. At the end: ended.json, cdp.log, recording,
downloads, and the archive of the profile.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.local.home import remove_home
from sortkey_systems.wallcrawler.browsers.local.launch import write_json
from sortkey_systems.wallcrawler.contexts.archives import pack_profile

STATE, LAST_SEEN, ENDED, ARCHIVE = "state.json", "last-seen", "ended.json", "profile.tar.gz"
DOWNLOADS, UPLOADS = "downloads", "uploads"


@dataclass(frozen=True, slots=True)
class State:
    """What a new server must know about a browser to find it, or to clean up after it."""

    session_id: str | None
    project_id: str | None
    holder_pid: int
    home: str
    uid: int | None
    control_group: str | None
    persist: bool
    started_at: float

    def write(self, folder: Path) -> None:
        write_json(folder / STATE, {name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def read(cls, folder: Path) -> State | None:
        """The state of a browser; None before it has one, or if the file is damaged."""
        try:
            return cls(**json.loads((folder / STATE).read_text()))
        except (OSError, ValueError, TypeError):
            return None


@dataclass(frozen=True, slots=True)
class Remains:
    """What is left of an ended browser."""

    reason: str
    ended_at: float
    has_archive: bool
    archive_error: str | None
    proxy_bytes: int = 0

    def write(self, folder: Path) -> None:
        write_json(folder / ENDED, {name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def read(cls, folder: Path) -> Remains | None:
        try:
            return cls(**json.loads((folder / ENDED).read_text()))
        except (OSError, ValueError, TypeError):
            return None


def link_home(folder: Path, home: str) -> None:
    """Show the downloads and uploads of a running browser in its folder."""
    for name in (DOWNLOADS, UPLOADS):
        os.symlink(os.path.join(home, name), folder / name)


def last_seen_at(folder: Path) -> float:
    """The latest moment at which the browser is known to have run."""
    for name in (LAST_SEEN, STATE, "."):
        try:
            return (folder / name).stat().st_mtime
        except OSError:
            continue
    return time.time()


def settle(
    folder: Path,
    state: State,
    reason: str,
    ended_at: float,
    cookies: bytes | None,
    *,
    proxy_bytes: int = 0,
) -> Remains:
    """Turn the folder of a running browser into that of an ended one. No process of the browser is
    left.

    It may be called again after it was interrupted, by the holder's successor too.
    """
    archive_error = _archive(folder, state, cookies) if state.persist else None
    _move_downloads(folder, state.home)
    (folder / UPLOADS).unlink(missing_ok=True)
    remove_home(state.home)
    for name in ("cookies.json", LAST_SEEN, "launch.json", "holder.sock"):
        (folder / name).unlink(missing_ok=True)
    has_archive = (folder / ARCHIVE).exists()
    remains = Remains(reason, ended_at, has_archive, archive_error, proxy_bytes)
    with contextlib.suppress(OSError):  # a full disk; what is said here is enough then
        remains.write(folder)
    (folder / STATE).unlink(missing_ok=True)
    return remains


def _archive(folder: Path, state: State, cookies: bytes | None) -> str | None:
    """Archive the profile; why not, if that fails. A profile without its archive stays as it was
    before the session."""
    archive = folder / ARCHIVE
    profile = os.path.join(state.home, "profile")
    if archive.exists() or not os.path.isdir(profile):
        return None
    try:
        archive.with_name(f"{ARCHIVE}.partial").unlink(missing_ok=True)
        pack_profile(profile, str(archive), cookies)
    except OSError as error:
        return f"the profile was not archived: {error.strerror}"
    return None


def _move_downloads(folder: Path, home: str) -> None:
    """Take what was downloaded, plain files only, out of the browser's home. A full disk loses
    it."""
    target, source = folder / DOWNLOADS, os.path.join(home, DOWNLOADS)
    if target.is_symlink():
        target.unlink()
    if not os.path.isdir(source) or os.path.islink(source):
        return
    files = [entry for entry in os.scandir(source) if entry.is_file(follow_symlinks=False)]
    with contextlib.suppress(OSError):
        for entry in files:
            target.mkdir(mode=0o700, exist_ok=True)
            shutil.move(entry.path, target / entry.name)
            _own(target / entry.name)


def _own(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, 0, 0)
    os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
