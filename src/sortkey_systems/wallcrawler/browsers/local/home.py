"""The home of a browser: the folder that Chromium itself may use, outside of the data folder.

The data folder is closed to all users but the server's. A browser that runs as another user needs a
place that it can reach: a folder with a random name among the temporary files, whose parts only
that user can open.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass

from sortkey_systems.wallcrawler.browsers.local.users import free_uid
from sortkey_systems.wallcrawler.browsers.port import BrowserSpec
from sortkey_systems.wallcrawler.contexts.archives import ArchiveRefused, unpack_profile

PREFIX = "wallcrawler-"
PROFILE, DOWNLOADS, TEMPORARY = "profile", "downloads", "tmp"
WRITABLE = (PROFILE, DOWNLOADS, TEMPORARY)
"""What belongs to the browser."""
UPLOADS, EXTENSION = "uploads", "extension"
READABLE = (UPLOADS, EXTENSION)
"""What the server puts there and the browser only reads."""


class StartFailed(Exception):
    """The browser cannot be started. The message says why."""


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one browser, the user that it belongs to, and cookies for its profile."""

    path: str
    uid: int | None
    """None for the server's own user."""
    cookies: bytes | None = None


def prepare_home(parent: str | None, spec: BrowserSpec | None) -> Home:
    """A new home with the profile and the extension of a session. Raises StartFailed."""
    uid = free_uid() if os.geteuid() == 0 else None
    try:
        path = create_home(parent, uid)
    except OSError as error:
        raise StartFailed(f"the home of the browser cannot be created: {error}") from None
    cookies: bytes | None = None
    try:
        if spec is not None and spec.profile_archive is not None:
            cookies = unpack_profile(str(spec.profile_archive), os.path.join(path, PROFILE), uid)
        if spec is not None and spec.extension is not None:
            copy_extension(str(spec.extension), path, uid)
    except (ArchiveRefused, OSError) as error:
        remove_home(path)
        raise StartFailed(str(error)) from None
    return Home(path, uid, cookies)


def create_home(parent: str | None, uid: int | None) -> str:
    """An empty home for a browser of this user."""
    home = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
    for name in (*WRITABLE, *READABLE):
        os.mkdir(os.path.join(home, name), 0o700)
    if uid is not None:
        _give_to(home, uid)
    return home


def remove_home(home: str) -> None:
    """Delete a home. The name is checked, since it may have been read from a file."""
    if os.path.basename(home).startswith(PREFIX) and not os.path.islink(home):
        shutil.rmtree(home, ignore_errors=True)


def copy_extension(extension: str, home: str, uid: int | None) -> None:
    """Put an unpacked extension into a home, readable for its browser only. Links are left out."""
    target = os.path.join(home, EXTENSION)
    shutil.copytree(extension, target, dirs_exist_ok=True, ignore=_links)
    for folder, _, files in os.walk(target):
        os.chmod(folder, 0o750)
        for path in [folder, *(os.path.join(folder, name) for name in files)]:
            if uid is not None:
                os.chown(path, 0, uid)
            if path != folder:
                os.chmod(path, 0o640)


def _links(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if os.path.islink(os.path.join(folder, name))}


def _give_to(home: str, uid: int) -> None:
    """Give the browser its own parts. To what it reads, only root may write."""
    os.chmod(home, 0o711)
    for name in WRITABLE:
        os.chown(os.path.join(home, name), uid, uid)
    for name in READABLE:
        os.chown(os.path.join(home, name), 0, uid)
        os.chmod(os.path.join(home, name), 0o750)
