"""Archives of browser profiles: a tar.gz of what a browser needs to go on, and its cookies.

An archive may come from anybody, and a profile was written by a browser that pages may have taken
over. So packing follows no link, and unpacking refuses everything but plain files and folders below
the profile, up to a size.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO

COOKIES = ".wallcrawler-cookies.json"
"""The member with all cookies: those without an expiry never reach the profile itself."""

ENTRIES_MAX = 50_000
UNPACKED_BYTES_MAX = 1024**3
COOKIES_BYTES_MAX = 16 * 1024 * 1024
NAME_LENGTH_MAX = 1024
_PIECE_BYTES = 256 * 1024
_COMPRESSION = 1  # half the size at a tenth of the time of the default, and a release waits for it

_LEFT_OUT = re.compile(
    r"Singleton.*|.*Cache|BrowserMetrics.*|DeferredBrowserMetrics|.*\.pma|Crashpad|Crash Reports"
    r"|Safe Browsing|component_crx_cache|extensions_crx_cache|optimization_guide.*"
    r"|segmentation_platform|.*\.log\.old|LOCK"
)
"""Locks, caches and measurements, in any folder of a profile."""
_KEPT = frozenset({"IndexedDB", "CacheStorage"})


class ArchiveRefused(Exception):
    """An archive that is damaged, too large, or tries to reach beyond the profile."""


def pack_profile(profile: str, archive: str, cookies: bytes | None = None) -> None:
    """Write an archive of a profile. It is complete or not there: a full disk raises OSError and
    leaves nothing."""
    partial = f"{archive}.partial"
    try:
        with open(partial, "xb") as file:
            _pack_into(file, profile, cookies)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, archive)
    except BaseException:
        if os.path.lexists(partial):
            os.unlink(partial)
        raise


def unpack_profile(archive: str, profile: str, uid: int | None = None) -> bytes | None:
    """Unpack an archive into an empty folder and return its cookies. Raises ArchiveRefused."""
    cookies: bytes | None = None
    try:
        with tarfile.open(archive, "r|gz") as tar:
            for member, content in _members(tar):
                if member.name == COOKIES:
                    cookies = content.read(COOKIES_BYTES_MAX) if content else None
                else:
                    _unpack(member, content, profile, uid)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeError) as error:
        raise ArchiveRefused(f"the profile cannot be read as a tar.gz archive: {error}") from None
    return cookies


# -- packing


def _pack_into(file: IO[bytes], profile: str, cookies: bytes | None) -> None:
    with (
        gzip.GzipFile(
            fileobj=file, mode="wb", compresslevel=_COMPRESSION, mtime=0, filename=""
        ) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        if cookies is not None:
            _add(tar, COOKIES, io.BytesIO(cookies), len(cookies))
        for folder, names, files, folder_fd in os.fwalk(profile, follow_symlinks=False):
            names[:] = sorted(name for name in names if _is_kept(name))
            inside = os.path.relpath(folder, profile)
            for name in sorted(filter(_is_kept, files)):
                _add_file(tar, os.path.normpath(os.path.join(inside, name)), name, folder_fd)


def _add_file(tar: tarfile.TarFile, path: str, name: str, folder_fd: int) -> None:
    """Add a plain file; everything else is left out."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder_fd)
    except OSError:
        return
    with open(fd, "rb") as file:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            _add(tar, path, file, os.fstat(fd).st_size)


def _add(tar: tarfile.TarFile, path: str, content: IO[bytes], size: int) -> None:
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, 0o600
    tar.addfile(member, content)


def _is_kept(name: str) -> bool:
    return name in _KEPT or _LEFT_OUT.fullmatch(name) is None


# -- unpacking


def _members(tar: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """The members with their contents, as long as they are harmless and not too many."""
    total = 0
    for number, member in enumerate(tar):
        if number >= ENTRIES_MAX:
            raise ArchiveRefused(f"the profile has more than {ENTRIES_MAX} files")
        total += max(member.size, 0)
        if total > UNPACKED_BYTES_MAX:
            raise ArchiveRefused(f"the profile is larger than {UNPACKED_BYTES_MAX} bytes")
        if not (member.isreg() or member.isdir()) or member.issparse():
            raise ArchiveRefused(
                f"{member.name[:200]!r} is a link or a device: profiles have plain files only"
            )
        member.name = _safe_name(member.name)
        if member.name != ".":
            yield member, tar.extractfile(member) if member.isreg() else None


def _safe_name(name: str) -> str:
    if (
        len(name) > NAME_LENGTH_MAX
        or "\0" in name
        or name.startswith("/")
        or ".." in name.split("/")
    ):
        raise ArchiveRefused(f"{name[:200]!r} leads out of the profile")
    return os.path.normpath(name)


def _unpack(
    member: tarfile.TarInfo, content: IO[bytes] | None, profile: str, uid: int | None
) -> None:
    path = os.path.join(profile, member.name)
    _make_folders(path if content is None else os.path.dirname(path), uid)
    if content is None:
        return
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with open(fd, "wb") as file:
        if uid is not None:
            os.fchown(fd, uid, uid)
        while piece := content.read(_PIECE_BYTES):
            file.write(piece)


def _make_folders(path: str, uid: int | None) -> None:
    missing: list[str] = []
    while not os.path.isdir(path):
        if os.path.lexists(path):
            raise ArchiveRefused(f"{os.path.basename(path)[:200]!r} is both a file and a folder")
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        os.mkdir(folder, 0o700)
        if uid is not None:
            os.chown(folder, uid, uid)
