"""The log of a session in the console: every CDP command with its answer, and every event."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.service import Wallcrawler

LINES_MAX = 200
CHARACTERS_MAX = 140
KINDS = {"": "all", "commands": "commands", "events": "events", "errors": "errors"}


def log_panel(service: Wallcrawler, session: Session) -> None:
    file = service.browsers.folder(session.session_id) / "cdp.log"
    with ui.element("div").classes("sk-row").style("margin-bottom: 0.75rem"):
        kind = ui.toggle(KINDS, value="").props('no-caps unelevated aria-label="Kind"')
        text = ui.input("Text", placeholder="Page.navigate").props("outlined dense clearable")
        text.style("flex: 1 1 14rem")

    @ui.refreshable
    def lines() -> None:
        found = newest(file, str(kind.value or ""), str(text.value or ""))
        if not found:
            pieces.empty(
                "No such line." if text.value or kind.value else "Nothing was logged.",
                "A client's commands are logged, unless it asked for `logSession: false`.",
            )
            return
        with ui.element("section").classes("sk-card"):
            pieces.table(
                ("time, UTC", "method", "page", "ms", "what"), [_row(each) for each in found], (3,)
            )
            if len(found) == LINES_MAX:
                pieces.quiet(f"The newest {LINES_MAX} lines; narrow the search to see others.")

    lines()
    kind.on_value_change(lambda _: lines.refresh())
    text.on_value_change(lambda _: lines.refresh())
    sizes = [_size(file)]

    def look() -> None:
        size = _size(file)
        if size != sizes[0]:
            sizes[0] = size
            lines.refresh()

    if session.status == "RUNNING":
        pieces.again(1.5, look)


def newest(file: Path, kind: str, text: str) -> list[dict[str, Any]]:
    """The newest entries that match, the newest first."""
    found: deque[dict[str, Any]] = deque(maxlen=LINES_MAX)
    found.extend(_entries(file, kind, text.lower()))
    return list(reversed(found))


def _entries(file: Path, kind: str, text: str) -> Iterator[dict[str, Any]]:
    try:
        opened = file.open(encoding="utf-8", errors="replace")
    except OSError:
        return
    with opened:
        for line in opened:
            if text and text not in line.lower():
                continue
            try:
                entry: dict[str, Any] = json.loads(line)
            except ValueError:
                continue  # half a line: it is being written
            if not kind or kind in _kinds(entry):
                yield entry


def _kinds(entry: dict[str, Any]) -> set[str]:
    if "eventAt" in entry:
        return {"events"}
    return {"commands", "errors"} if _error(entry) else {"commands"}


def _error(entry: dict[str, Any]) -> str:
    error = _object(_object(entry.get("response")).get("error"))
    return str(error.get("message", "error")) if error else ""


def _object(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _row(entry: dict[str, Any]) -> tuple[Any, ...]:
    at = entry.get("requestAt") or entry.get("eventAt") or 0
    error = _error(entry)
    took = entry["responseAt"] - at if "responseAt" in entry else None
    what = pieces.chipped(_short(error), "bad") if error else pieces.code_cell(_short(_what(entry)))
    return (
        f"{datetime.fromtimestamp(at / 1000, UTC):%H:%M:%S.%f}"[:-3],
        entry.get("method", ""),
        str(entry.get("pageId", "")),
        "" if took is None else str(took),
        what,
    )


def _what(entry: dict[str, Any]) -> str:
    for name in ("request", "requestText", "event", "eventText"):
        if value := entry.get(name):
            shown = _object(value).get("params", value)
            return shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    return ""


def _short(text: str) -> str:
    return text if len(text) <= CHARACTERS_MAX else f"{text[: CHARACTERS_MAX - 1]}…"


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
