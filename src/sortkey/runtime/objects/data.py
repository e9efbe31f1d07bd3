"""The bytes of objects: split into chunks, hashed while they are written, verified while they are
read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from hashlib import sha256
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast, runtime_checkable

from sortkey.errors import ModelError, ObjectCorrupt

if TYPE_CHECKING:
    from sortkey.runtime.objects import ObjectInfo

Data = bytes | bytearray | memoryview | BinaryIO | Iterable[bytes]
"""What can be written: bytes, a file opened for reading, or an iterable of chunks."""

CHUNK_BYTES = 1 << 20
WAITING_MAX = 4
"""The number of chunks that may wait to be hashed, which limits memory."""


@runtime_checkable
class Readable(Protocol):
    """A file, or anything else that is read as one."""

    def read(self, size: int = -1, /) -> bytes: ...


def chunks(data: Data) -> Iterator[bytes | memoryview]:
    """The data in pieces of at most CHUNK_BYTES, none of them empty."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        yield from _pieces(cast("bytes | bytearray | memoryview", data))
        return
    if isinstance(data, Readable):
        while piece := data.read(CHUNK_BYTES):
            yield from _pieces(_bytes(piece))
        return
    for piece in cast(Iterable[Any], data):
        yield from _pieces(_bytes(piece))


def _bytes(piece: Any) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if isinstance(piece, (bytearray, memoryview)):
        # A copy: who reads into one buffer again and again must not change what is still being
        # hashed.
        return bytes(cast(memoryview, piece))
    raise ModelError(
        f"an object is made of bytes, not of {type(piece).__name__}: open files with 'rb', encode "
        "texts"
    )


def _pieces(data: bytes | bytearray | memoryview) -> Iterator[bytes | memoryview]:
    if isinstance(data, bytes) and len(data) <= CHUNK_BYTES:
        if data:
            yield data
        return
    view = memoryview(data).cast("B")
    for start in range(0, len(view), CHUNK_BYTES):
        yield view[start : start + CHUNK_BYTES]


def exactly(pieces: Iterable[bytes | memoryview], size: int) -> Iterator[bytes | memoryview]:
    """The pieces, checked to have exactly `size` bytes. Raises ModelError."""
    seen = 0
    for piece in pieces:
        seen += len(piece)
        if seen > size:
            break
        yield piece
    if seen != size:
        raise ModelError(
            f"{size:,} bytes were announced, and {'more' if seen > size else f'{seen:,}'} came"
        )


def at_most(pieces: Iterable[bytes | memoryview], size: int) -> Iterator[bytes | memoryview]:
    """The pieces, checked to have no more than `size` bytes. Raises ModelError."""
    seen = 0
    for piece in pieces:
        seen += len(piece)
        if seen > size:
            raise ModelError(f"at most {size:,} bytes can be sent at once, and more came")
        yield piece


class Hashing:
    """The SHA-256 of chunks, computed in a thread while they are written if there is more than one.

    Hashing takes about as long as writing to disk, so doing both in turn would halve the speed.
    Views refer to data in memory anyway, so any number of them may wait.
    """

    def __init__(self) -> None:
        self.size = 0
        self._hash = sha256()
        self._first: bytes | memoryview | None = None
        self._queue: SimpleQueue[bytes | memoryview | None] = SimpleQueue()
        self._room = threading.Semaphore(WAITING_MAX)
        self._thread: threading.Thread | None = None

    def update(self, piece: bytes | memoryview) -> None:
        self.size += len(piece)
        if self._thread is None and self._first is None:
            self._first = piece  # a single chunk is hashed at the end: a thread would cost more
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sortkey-hash", daemon=True)
            self._thread.start()
            self._wait_for(self._first)
            self._queue.put(self._first)
        self._wait_for(piece)
        self._queue.put(piece)

    def _wait_for(self, piece: bytes | memoryview | None) -> None:
        if isinstance(piece, bytes):
            self._room.acquire()

    def hexdigest(self) -> str:
        """The hash of all chunks."""
        self.close()
        return self._hash.hexdigest()

    def close(self) -> None:
        """End the thread, if there is one. Closing twice is fine."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
        elif self._first is not None:
            self._hash.update(self._first)
        self._first, self._thread = None, None

    def _run(self) -> None:
        while (piece := self._queue.get()) is not None:
            self._hash.update(piece)
            if isinstance(piece, bytes):
                self._room.release()


class Source(Protocol):
    """The source of a reader: a file, or the body of a response."""

    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class ObjectReader:
    """The bytes of an object, or of a range of it. A whole object is verified: its end raises
    ObjectCorrupt if it differs.

    Use it with `with`; iterate over it for chunks.
    """

    def __init__(self, info: ObjectInfo, source: Source, length: int, *, whole: bool) -> None:
        self.info = info
        self._source = source
        self._left = length
        self._expected = info.sha256 if whole else None
        self._whole = whole
        self._hash = sha256() if whole and info.sha256 is not None else None

    def expect_sha256(self, expected: str) -> None:
        """Verify a whole object against this SHA-256. Call it before reading."""
        if not self._whole:
            return
        if self.info.sha256 is not None and self.info.sha256 != expected:
            raise self._corrupt(
                f"its SHA-256 is recorded as {self.info.sha256}, but should be {expected}"
            )
        self._expected, self._hash = expected, sha256()

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes, or the rest with -1. Empty at the end."""
        if size < 0:
            return self._rest()
        wanted = min(size, self._left)
        if wanted == 0:
            return b""
        piece = self._source.read(wanted)
        if not piece:
            raise self._corrupt(f"it ends {self._left:,} bytes early")
        self._left -= len(piece)
        if self._hash is not None:
            self._hash.update(piece)
            if self._left == 0 and self._hash.hexdigest() != self._expected:
                raise self._corrupt(f"its SHA-256 is not {self._expected}")
        return piece

    def _rest(self) -> bytes:
        pieces: list[bytes] = []
        while self._left:
            pieces.append(self.read(self._left))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def readable(self) -> bool:
        """True, as for any file opened for reading."""
        return True

    def close(self) -> None:
        self._source.close()

    def _corrupt(self, what: str) -> ObjectCorrupt:
        return ObjectCorrupt(f"{self.info.key} (version {self.info.version_id}) is damaged: {what}")

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.read(CHUNK_BYTES):
            yield piece

    def __enter__(self) -> ObjectReader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
