"""Reads the CDP log of a session, which its holder writes, as the entries that clients know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import orjson

FILE = "cdp.log"
LINE_BYTES_MAX = 64 << 10
ENTRIES_MAX = 20_000

PIECE_BYTES = 64 << 10

Entry = dict[str, Any]


def log_as_json(folder: Path, session_id: str) -> Iterator[bytes]:
    """The log as a JSON array, piece by piece: a long one would take much memory as a whole."""
    piece, is_first = bytearray(b"["), True
    for entry in read_log(folder, session_id):
        piece += (b"" if is_first else b",") + orjson.dumps(entry)
        is_first = False
        if len(piece) >= PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece + b"]")


def read_log(folder: Path, session_id: str) -> Iterator[Entry]:
    """The entries of a session's log, in their order. What cannot be read, as the last line, is
    left out.
    """
    try:
        file = (folder / FILE).open("rb")
    except OSError:
        return
    with file:
        for _ in range(ENTRIES_MAX):
            line = file.readline(LINE_BYTES_MAX)
            if not line:
                return
            try:
                written: Any = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            yield _entry(written, session_id)


def _entry(written: Entry, session_id: str) -> Entry:
    """A command has a request and a response, an event only what came; both have a time."""
    entry: Entry = {
        "method": written.get("method", ""),
        "pageId": written.get("pageId", 0),
        "sessionId": session_id,
        "timestamp": written.get("eventAt", written.get("requestAt")),
    }
    if "eventAt" in written:
        params = _object(_object(written.get("event")).get("params"))
        entry |= {
            name: params[name]
            for name in ("frameId", "loaderId")
            if isinstance(params.get(name), str)
        }
        raw = written.get("eventText") or _text(written.get("event"))
        return {
            **entry,
            "response": {"timestamp": written["eventAt"], "result": params, "rawBody": raw},
        }
    request, response = _object(written.get("request")), _object(written.get("response"))
    return {
        **entry,
        "request": {
            "timestamp": written.get("requestAt"),
            "params": request,
            "rawBody": written.get("requestText") or _text(written.get("request")),
        },
        "response": {
            "timestamp": written.get("responseAt"),
            "result": _object(response.get("result")),
            "rawBody": written.get("responseText") or _text(written.get("response")),
        },
    }


def _object(value: Any) -> Entry:
    return cast(Entry, value) if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return "" if value is None else orjson.dumps(value).decode()
