"""Files to upload: where their bytes are, and whether the interface has the same ones."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import md5, sha256
from pathlib import Path
from typing import BinaryIO

from sortkey_systems.vams.client.transport import CHUNK_BYTES

PART_BYTES = 150 * 1000 * 1000
LARGE_PART_BYTES = 1000 * 1000 * 1000
LARGE_FILE_BYTES = 15 * 1000 * 1000 * 1000


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it should be in an asset. `open` may be called more than once."""

    relative_path: str
    """Begins with a slash."""
    size: int
    open: Callable[[], BinaryIO]

    def chunks(self, begin: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes of a range, a megabyte at a time."""
        rest = self.size - begin if length is None else length
        with self.open() as file:
            file.seek(begin)
            while rest > 0 and (chunk := file.read(min(CHUNK_BYTES, rest))):
                rest -= len(chunk)
                yield chunk

    def has_etag(self, etag: str) -> bool:
        """Whether an ETag is that of these bytes: an MD5, that of the parts we send, or the first
        half of a SHA-256, which buckets in folders have.
        """
        etag = etag.strip('"')
        if "-" in etag:
            return etag == self._parts_etag()
        hashes = (md5(usedforsecurity=False), sha256())
        for chunk in self.chunks():
            for each in hashes:
                each.update(chunk)
        return etag in {each.hexdigest()[:32] for each in hashes}

    def _parts_etag(self) -> str:
        """The ETag of S3 for an upload in parts."""
        digests, begin = list[bytes](), 0
        for size in part_sizes(self.size):
            part = md5(usedforsecurity=False)
            for chunk in self.chunks(begin, size):
                part.update(chunk)
            digests.append(part.digest())
            begin += size
        whole = md5(b"".join(digests), usedforsecurity=False).hexdigest()
        return f"{whole}-{len(digests)}"


def part_sizes(size: int) -> list[int]:
    """The sizes of the parts in which a file is sent. An empty file has none."""
    most = LARGE_PART_BYTES if size > LARGE_FILE_BYTES else PART_BYTES
    return [min(most, size - begin) for begin in range(0, size, most)]


def content_of_bytes(relative_path: str, data: bytes) -> Content:
    """Bytes in memory as a file."""
    return Content(relative_path, len(data), partial(io.BytesIO, data))


def content_of_file(relative_path: str, path: Path) -> Content:
    """A file on this machine."""
    return Content(relative_path, path.stat().st_size, partial(path.open, "rb"))


def contents_of_folder(folder: Path) -> dict[str, Content]:
    """The files under a folder by their relative paths. Links and names that begin with a dot are
    left out: they are of the machine, not of the asset.
    """
    contents: dict[str, Content] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            if name.startswith(".") or not stat.S_ISREG(path.lstat().st_mode):
                continue
            relative = "/" + path.relative_to(folder).as_posix()
            contents[relative] = content_of_file(relative, path)
    return contents


def place_in(folder: Path, relative_path: str) -> Path:
    """Where a file of an asset is in a folder. Raises ValueError for a path that leads out of it:
    names come from a server.
    """
    steps = [step for step in relative_path.split("/") if step]
    if not steps or any(step in (".", "..") or "\\" in step or "\0" in step for step in steps):
        raise ValueError(f"{relative_path!r} is not a path inside a folder")
    path = folder.joinpath(*steps)
    for parent in (path, *path.parents):
        if parent == folder:
            return path
        if parent.is_symlink():
            raise ValueError(f"{parent} is a link: files are not written through links")
    raise ValueError(f"{relative_path!r} leads out of the folder")
