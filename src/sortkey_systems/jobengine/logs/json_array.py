"""Reads a JSON array element by element with one element in memory: the log of a job may have any
size.

Values are not parsed here, only separated. Each comes with the position of its end, from which
reading can continue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import orjson

from sortkey.errors import StoreError

ELEMENT_BYTES_MAX = 64 << 20

# What lies between two marks that give an array its shape: strings, and whatever is none of those
# marks. A string whose end is not there yet is not part of it. Inside an element commas do not
# matter.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_INSIDE = re.compile(rb"(?:[^][{}\"]++|" + _STRING + rb")*+", re.DOTALL)
_OUTSIDE = re.compile(rb"(?:[^][{}\",]++|" + _STRING + rb")*+", re.DOTALL)
_SPACE = re.compile(rb"[ \t\r\n]*+")
_UNFINISHED = b'"'
_OPENING, _CLOSING, _ENDING = b"[{", b"]}", b"]},"


class BrokenArray(StoreError):
    """Input that is not a JSON array, or is truncated."""


def elements(chunks: Iterable[bytes], *, after: int = 0) -> Iterator[tuple[bytes, int]]:
    """The elements of an array as JSON, each with the position after it.

    With `after`, chunks that begin after an element are read from that position. Raises
    BrokenArray.
    """
    window = _Window(iter(chunks), after)
    if after:
        if not window.goes_on():
            return
    else:
        window.take(b"[")
        if window.peek() == b"]":
            window.end()
            return
    while True:
        yield window.element()
        if not window.goes_on():
            return


class _Window:
    """The bytes that were read and not yet used: `data` from `at` on."""

    def __init__(self, chunks: Iterator[bytes], offset: int) -> None:
        self._chunks, self._offset = chunks, offset
        self._data, self._at = b"", 0

    def peek(self) -> bytes:
        """The next byte that is not a space; empty at the end."""
        while True:
            match = _SPACE.match(self._data, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._data) or not self._more():
                return self._data[self._at : self._at + 1]

    def take(self, mark: bytes) -> None:
        if self.peek() != mark:
            raise self._broken(f"there should be a {mark.decode()}")
        self._at += 1

    def goes_on(self) -> bool:
        """Whether another element follows. Nothing may follow the array."""
        if self.peek() == b",":
            self._at += 1
            return True
        self.end()
        return False

    def end(self) -> None:
        self.take(b"]")
        if self.peek():
            raise self._broken("something follows the array")

    def element(self) -> tuple[bytes, int]:
        self.peek()
        size = self._line_size() or self._element_size()
        element = self._data[self._at : self._at + size].rstrip(b" \t\r\n")
        if not element:
            raise self._broken("an element is missing")
        self._at += size
        return element, self._offset + self._at

    def _line_size(self) -> int:
        """The length of an element on one line, as in our own files, which is much faster;
        otherwise 0.

        A JSON value at the end of a line cannot be the beginning of a longer one, so what parses is
        the element.
        """
        end = self._data.find(b"\n", self._at)
        line = self._data[self._at : max(end, self._at)].rstrip(b", \t\r")
        try:
            orjson.loads(line)
        except ValueError:
            return 0
        return len(line)

    def _element_size(self) -> int:
        """The length up to the comma or bracket that ends the element, outside of strings and
        nested values.
        """
        depth = size = 0
        while True:
            match = (_INSIDE if depth else _OUTSIDE).match(self._data, self._at + size)
            end = match.end() if match else self._at + size
            size, mark = end - self._at, self._data[end : end + 1]
            if mark in (b"", _UNFINISHED):
                self._need_more()
            elif depth == 0 and mark in _ENDING:
                return size
            else:
                depth += 1 if mark in _OPENING else -1
                size += 1

    def _need_more(self) -> None:
        if len(self._data) - self._at > ELEMENT_BYTES_MAX:
            raise self._broken(f"an element has more than {ELEMENT_BYTES_MAX:,} bytes")
        if not self._more():
            raise self._broken("it is cut off")

    def _more(self) -> bool:
        """Read another chunk and drop the used bytes."""
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._data, self._offset, self._at = (
            self._data[self._at :] + chunk,
            self._offset + self._at,
            0,
        )
        return True

    def _broken(self, what: str) -> BrokenArray:
        return BrokenArray(f"not a JSON array at byte {self._offset + self._at:,}: {what}")
