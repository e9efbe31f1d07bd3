"""Archives, read without unpacking them to disk: an entry cannot name a path outside, follow a link
or grow without limit.

An archive that tries is refused as a whole.
"""

from __future__ import annotations

import io
import lzma
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from sortkey_systems.applens.problems import SourceRefused

ENTRIES_MAX = 10_000
UNPACKED_BYTES_MAX = 50_000_000
RATIO_MAX = 200
"""Unpacked to packed size. Terraform packs about ten to one, a zip bomb a thousand to one."""
RATIO_FLOOR_BYTES = 1_000_000
"""Below this size the ratio is ignored: a file of blanks is harmless."""

SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz")

BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,  # a name that is not Unicode
    RuntimeError,  # a password, or a compression method that Python does not support
)
"""What is raised for a damaged archive, or a file that is not an archive."""


def files_of(name: str, data: bytes, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file in an archive whose name ends in one of `suffixes`."""
    try:
        yield from (
            _zipped(name, data, suffixes)
            if name.lower().endswith(".zip")
            else _tarred(name, data, suffixes)
        )
    except BROKEN as error:
        raise SourceRefused(f"{name} cannot be read as an archive: {error}") from None


def _zipped(name: str, data: bytes, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    budget = _Budget(name, len(data))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if any(entry.filename == "tfplan" for entry in entries):
            raise SourceRefused(
                f"{name} is a binary plan: run `terraform show -json {name}` and analyse what it "
                "prints"
            )
        for entry in entries:
            kind = entry.external_attr >> 16 & 0o170000
            if kind == 0o120000:
                raise SourceRefused(
                    f"{name}: {entry.filename!r} is a link; archives with links are not read"
                )
            path = budget.path(entry.filename)
            if not entry.is_dir() and path.endswith(suffixes):
                with archive.open(entry) as file:
                    yield path, budget.content(file)


def _tarred(name: str, data: bytes, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    budget = _Budget(name, len(data))
    mode = "r:gz" if name.lower().endswith(("gz", "tgz")) else "r:"
    with tarfile.open(fileobj=io.BytesIO(data), mode=mode) as archive:
        for entry in archive:
            if entry.issym() or entry.islnk():
                raise SourceRefused(
                    f"{name}: {entry.name!r} is a link; archives with links are not read"
                )
            if not (entry.isfile() or entry.isdir()):
                raise SourceRefused(
                    f"{name}: {entry.name!r} is a device; archives with devices are not read"
                )
            path = budget.path(entry.name)
            budget.spend(
                0 if path.endswith(suffixes) else entry.size
            )  # skipped entries are inflated too
            if entry.isfile() and path.endswith(suffixes) and (file := archive.extractfile(entry)):
                yield path, budget.content(file)


class _Budget:
    def __init__(self, name: str, packed: int) -> None:
        self.name, self.packed = name, packed
        self.entries = self.unpacked = 0

    def path(self, entry: str) -> str:
        self.entries += 1
        if self.entries > ENTRIES_MAX:
            raise SourceRefused(f"{self.name} has more than {ENTRIES_MAX:,} entries")
        path = entry.replace("\\", "/")
        drive = len(path) > 1 and path[1] == ":"
        if path.startswith("/") or drive or ".." in path.split("/") or "\0" in path:
            raise SourceRefused(f"{self.name}: {entry!r} points outside the archive")
        return posixpath.normpath(path)

    def spend(self, size: int) -> None:
        self.unpacked += size
        if self.unpacked > UNPACKED_BYTES_MAX:
            raise SourceRefused(
                f"{self.name} unpacks to more than {UNPACKED_BYTES_MAX // 1_000_000} MB"
            )
        if self.unpacked > max(RATIO_FLOOR_BYTES, self.packed * RATIO_MAX):
            raise SourceRefused(f"{self.name} unpacks to more than {RATIO_MAX} times its size")

    def content(self, file: IO[bytes]) -> bytes:
        """Read in chunks and counted, because the sizes that an archive states may be wrong."""
        pieces: list[bytes] = []
        while piece := file.read(65_536):
            self.spend(len(piece))
            pieces.append(piece)
        return b"".join(pieces)
