"""The CDP log of a session: one line of JSON for each command with its answer, and for each event.

Limited in lines, in the size of a line and in all bytes. `browsers/logs.py` reads it. A full disk
ends the log, not the session.
"""

from __future__ import annotations

import json
import time
from typing import BinaryIO

from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop

FILE = "cdp.log"
LINES_MAX = 20_000
BYTES_MAX = 16 << 20
"""Of the whole log."""
TEXT_BYTES_MAX = 4096
"""Of a command's parameters, of its answer, or of an event. What is longer is cut and kept as
text."""
FLUSH_SECONDS = 0.5


class CdpLog:
    """Appends lines to `cdp.log` in the working directory."""

    def __init__(self, loop: EventLoop) -> None:
        self._loop = loop
        self._lines: list[bytes] = []
        self._count = self._bytes = 0
        self._file: BinaryIO | None = None

    def command(self, method: str, page: int, params: str, sent_at: float, answer: bytes) -> None:
        """A command, and its answer from the first comma on."""
        response = b"{" + answer[1:] if answer else b"{}"
        times = f'"requestAt":{_milliseconds(sent_at)},"responseAt":{_milliseconds(time.time())}'
        self._append(
            f'{{"method":{json.dumps(method)},"pageId":{page},{times},'.encode()
            + _member("request", params.encode())
            + b","
            + _member("response", response)
            + b"}\n"
        )

    def event(self, method: str, page: int, message: bytes) -> None:
        """An event, as it came."""
        start = f'{{"method":"{method}","pageId":{page},"eventAt":{_milliseconds(time.time())},'
        self._append(start.encode() + _member("event", message) + b"}\n")

    def flush(self) -> None:
        """Write what is still in memory."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        try:
            if self._file is None:
                self._file = open(FILE, "ab", buffering=0)  # noqa: SIM115 - as long as the session
            self._file.write(b"".join(lines))
        except OSError:
            self._count = LINES_MAX

    def _append(self, line: bytes) -> None:
        if self._count >= LINES_MAX or self._bytes + len(line) > BYTES_MAX:
            self._count = LINES_MAX  # what comes later would seem to follow what is here
            return
        self._count += 1
        self._bytes += len(line)
        if not self._lines:
            self._loop.after(FLUSH_SECONDS, self.flush)
        self._lines.append(line)


def _member(name: str, text: bytes) -> bytes:
    """`"request":{…}`, or `"requestText":"…"` where it is too long."""
    if len(text) <= TEXT_BYTES_MAX:
        return f'"{name}":'.encode() + text
    cut = json.dumps(text[:TEXT_BYTES_MAX].decode("utf-8", "ignore"))
    return f'"{name}Text":{cut}'.encode()


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
