"""The bytes of payloads: small ones inline, others compressed with zstd if that saves enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import zstandard

from sortkey.errors import ObjectCorrupt
from sortkey.model.payloads import ZSTD, Payload, Pointer, StoredIn, Stream
from sortkey.runtime.objects.data import CHUNK_BYTES, Data, chunks

LEVEL = 3
COMPRESSED_BYTES_MIN = 1024
SAMPLE_BYTES = 128 << 10
PAYS_BELOW = 0.85
"""The share of the size that compression must save to be worth it."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value as it is stored. If `inline`, uncompressed in the item itself."""

    data: Data
    encoding: str | None
    inline: bytes | None = None


def encoded(payload: Payload[Any], declared: StoredIn) -> Encoded:
    if isinstance(payload.source, Stream):
        return _encoded_stream(chunks(payload.source.source), declared)
    data = payload.content.dump(payload.source)
    if len(data) < declared.inline_below:
        return Encoded(b"", None, data)
    if declared.compress and _pays(data[:SAMPLE_BYTES]):
        return Encoded(_compressor().compress(data), ZSTD)
    return Encoded(data, None)


def _encoded_stream(pieces: Iterator[bytes | memoryview], declared: StoredIn) -> Encoded:
    """The first pieces decide about inlining and compression."""
    head, size, wanted = list[bytes | memoryview](), 0, max(SAMPLE_BYTES, declared.inline_below)
    for piece in pieces:
        head.append(piece)
        size += len(piece)
        if size >= wanted:
            break
    start = b"".join(head)
    if len(start) < declared.inline_below:
        return Encoded(b"", None, start)
    everything: Any = chain((start,), pieces)
    if declared.compress and _pays(start[:SAMPLE_BYTES]):
        return Encoded(_compressed(everything), ZSTD)
    return Encoded(everything, None)


def _pays(sample: bytes) -> bool:
    if len(sample) < COMPRESSED_BYTES_MIN:
        return False
    return len(_compressor().compress(sample)) < PAYS_BELOW * len(sample)


def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=LEVEL)


def _compressed(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    packing = _compressor().compressobj()
    for piece in pieces:
        if packed := packing.compress(piece):
            yield packed
    yield packing.flush()


def decoded(data: bytes, pointer: Pointer) -> bytes:
    """The original bytes of a stored value."""
    if pointer.encoding is None:
        return data
    _check(pointer)
    unpacking = zstandard.ZstdDecompressor().decompressobj()
    try:
        unpacked = unpacking.decompress(data)
    except zstandard.ZstdError as error:
        raise ObjectCorrupt(f"{pointer.key} cannot be decompressed: {error}") from None
    if not unpacking.eof or unpacking.unused_data:
        raise ObjectCorrupt(
            f"{pointer.key} cannot be decompressed: it is truncated, or has data after its end"
        )
    return unpacked


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...
    def close(self) -> None: ...


class PayloadReader:
    """A payload as a stream, decompressed while it is read. Its end raises ObjectCorrupt if it
    differs.
    """

    def __init__(self, source: Readable, pointer: Pointer) -> None:
        self._source, self._pointer = source, pointer
        self._from: Readable = source
        if pointer.encoding is not None:
            _check(pointer)
            self._from = zstandard.ZstdDecompressor().stream_reader(source)  # type: ignore[assignment]

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes. Empty at the end."""
        try:
            return self._from.read(size)
        except zstandard.ZstdError as error:
            raise ObjectCorrupt(f"{self._pointer.key} cannot be decompressed: {error}") from None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._source.close()

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.read(CHUNK_BYTES):
            yield piece

    def __enter__(self) -> PayloadReader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _check(pointer: Pointer) -> None:
    if pointer.encoding != ZSTD:
        raise ObjectCorrupt(f"{pointer.key} has the unknown encoding {pointer.encoding}")
