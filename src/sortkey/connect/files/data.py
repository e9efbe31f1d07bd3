"""The bytes of a folder of objects: files that are written once, and survive `kill -9` and power
cuts whole.

A file is written in `incoming/`, under a lock that dies with its writer, and forced to the disk.
Then the index gets its row: from there on it is an object. Only then it moves to `objects/`.
Opening the folder finishes what was left in `incoming/`: a file with a row is moved, a file without
one is removed.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sortkey.runtime.objects.data import CHUNK_BYTES, Hashing
from sortkey.storage.failures import named_failures


@dataclass(frozen=True, slots=True)
class Draft:
    """A file on the disk that is kept only if the index gets a row for it."""

    name: str
    size: int
    sha256: str


class DataFiles:
    """The files in a folder. `new_name` returns unique names. `is_known` asks the index."""

    def __init__(
        self, folder: Path, new_name: Callable[[], str], is_known: Callable[[str], bool]
    ) -> None:
        self._folder, self._objects, self._incoming = (
            folder,
            folder / "objects",
            folder / "incoming",
        )
        self._new_name, self._is_known = new_name, is_known
        for folder in (self._objects, self._incoming):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def write(self, pieces: Iterable[bytes | memoryview]) -> Generator[Draft]:
        """Write a new file with these bytes, hash it, and force it to the disk."""
        with self._locked_file() as (name, descriptor), _hashing() as hashing:
            for piece in pieces:
                hashing.update(piece)
                with named_failures(self._folder):
                    _write(descriptor, piece)
            with named_failures(self._folder):
                os.fsync(descriptor)
                self._sync_incoming()
            yield Draft(name, hashing.size, hashing.hexdigest())

    @contextmanager
    def linked(self, source: str, size: int, sha256: str) -> Generator[Draft | None]:
        """A hard link to a file, which costs nothing. None if the file system has no hard links."""
        name = self._new_name()
        with self.open(source) as file:
            fcntl.flock(
                file, fcntl.LOCK_SH
            )  # else a process that opens the folder would treat the link as a leftover
            if not self._link(source, name):
                yield None
                return
            try:
                self._sync_incoming()
                yield Draft(name, size, sha256)
            finally:
                self._settle(name)

    @contextmanager
    def joined(self, files: Sequence[Draft]) -> Generator[Draft]:
        """The bytes of files in one: of a single file by a link, of several as a copy. Raises
        FileNotFoundError.
        """
        with ExitStack() as opened:
            link: Draft | None = None
            if len(files) == 1:
                only = files[0]
                link = opened.enter_context(self.linked(only.name, only.size, only.sha256))
            yield link or opened.enter_context(self.write(self._pieces(files)))

    def _pieces(self, files: Sequence[Draft]) -> Iterator[bytes]:
        for each in files:
            with self.open(each.name) as file:
                while piece := file.read(CHUNK_BYTES):
                    yield piece

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading, wherever it currently is. Raises FileNotFoundError."""
        for path in self._places(name):
            with suppress(FileNotFoundError):
                return path.open("rb")
        raise FileNotFoundError(f"{self._objects / name[-2:] / name} is missing")

    def remove(self, names: Sequence[str]) -> None:
        for name in names:
            for path in self._places(name):
                path.unlink(missing_ok=True)

    def recover(self) -> None:
        """Finish or remove the files that dead writers left behind."""
        for entry in os.scandir(self._incoming):
            with suppress(FileNotFoundError, BlockingIOError), open(entry.path, "rb") as file:
                fcntl.flock(
                    file, fcntl.LOCK_EX | fcntl.LOCK_NB
                )  # BlockingIOError: its writer lives
                self._settle(entry.name)

    @contextmanager
    def _locked_file(self) -> Generator[tuple[str, int]]:
        while True:
            name = self._new_name()
            descriptor = os.open(
                self._incoming / name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                break
            os.close(
                descriptor
            )  # a process that opened the folder removed it as a leftover before it was locked
        try:
            yield name, descriptor
        finally:
            self._settle(name)
            os.close(descriptor)

    def _settle(self, name: str) -> None:
        """Keep the files that have a row and remove the rest, also after an interrupt."""
        if self._is_known(name):
            self._move(name)
        else:
            (self._incoming / name).unlink(missing_ok=True)

    def _move(self, name: str) -> None:
        incoming, place = self._incoming / name, self._place(name)
        place.parent.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # another process has done it
            incoming.rename(place)

    def _link(self, source: str, name: str) -> bool:
        for path in self._places(source):
            try:
                os.link(path, self._incoming / name)
            except FileNotFoundError:
                continue
            except OSError:  # no hard links here, or too many of this file
                return False
            return True
        return False

    def _places(self, name: str) -> tuple[Path, ...]:
        """Where a file can be. It moves from the second place to the first, maybe between two
        lookups.
        """
        return self._place(name), self._incoming / name, self._place(name)

    def _place(self, name: str) -> Path:
        return self._objects / name[-2:] / name

    def _sync_incoming(self) -> None:
        descriptor = os.open(self._incoming, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _hashing() -> Generator[Hashing]:
    hashing = Hashing()
    try:
        yield hashing
    finally:
        hashing.close()


def _write(descriptor: int, piece: bytes | memoryview) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(descriptor, view) :]
