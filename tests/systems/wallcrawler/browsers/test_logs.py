"""The log of a session, from the holder that writes it to the client that reads it."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from sortkey_systems.wallcrawler.browsers.local.cdp_log import BYTES_MAX, FILE, CdpLog
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.logs import PIECE_BYTES, log_as_json, read_log


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a holder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _written(events: int, length: int) -> None:
    log = CdpLog(EventLoop())
    for number in range(events):
        text = str(number).ljust(length, "x")
        log.event("Page.x", 0, b'{"params":{"text":"%s"}}' % text.encode())
    log.flush()


def test_a_log_is_answered_piece_by_piece(folder: Path) -> None:
    # Whole logs in memory, of many callers at a time, would take the server down.
    _written(200, 1000)
    pieces = list(log_as_json(folder, "sess_1"))
    assert len(pieces) > 3
    assert max(map(len, pieces)) < PIECE_BYTES + 10_000
    assert orjson.loads(b"".join(pieces)) == list(read_log(folder, "sess_1"))
    assert b"".join(log_as_json(folder / "none", "sess_1")) == b"[]"


def test_a_log_ends_when_it_has_its_bytes(folder: Path) -> None:
    # A page that makes noise must not fill the disk of all sessions.
    _written(BYTES_MAX // 4000 + 100, 4000)
    assert BYTES_MAX - 8192 < (folder / FILE).stat().st_size <= BYTES_MAX
