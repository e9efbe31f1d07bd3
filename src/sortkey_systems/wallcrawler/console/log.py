"""The log of a session in the console: every CDP command with its answer, and every event."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, cast

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.wallcrawler.browsers.logs import FILE, Entry, read_log
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.service import Wallcrawler

LINES_MAX = 200
CHARACTERS_MAX = 160
KINDS = {"": "all", "commands": "commands", "events": "events", "errors": "errors"}


def log_panel(service: Wallcrawler, session: Session) -> None:
    file = service.browsers.folder(session.session_id) / FILE
    with ui.element("div").classes("sk-row").style("margin-bottom: 0.75rem"):
        kind = ui.toggle(KINDS, value="commands").props('no-caps unelevated aria-label="Kind"')
        text = ui.input("Method or parameters").props("outlined dense clearable")
        text.style("flex: 1 1 14rem")

    @ui.refreshable
    def lines() -> None:
        wanted = str(kind.value or ""), str(text.value or "")
        found = newest(service, session.session_id, *wanted)
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
        pieces.repeat(1.5, look)


def newest(service: Wallcrawler, session_id: str, kind: str, text: str) -> list[Entry]:
    """The newest entries that match, the newest first."""
    folder = service.browsers.folder(session_id)
    found = deque(_matching(folder, session_id, kind, text.lower()), maxlen=LINES_MAX)
    return list(reversed(found))


def _matching(folder: Path, session_id: str, kind: str, text: str) -> Iterator[Entry]:
    for entry in read_log(folder, session_id):
        if kind and kind not in _kinds(entry):
            continue
        if not text or text in entry["method"].lower() or text in _what(entry).lower():
            yield entry


def _kinds(entry: Entry) -> set[str]:
    if "request" not in entry:
        return {"events"}
    return {"commands", "errors"} if _error(entry) else {"commands"}


def _error(entry: Entry) -> str:
    """Why a command was refused; empty if it was not."""
    if '"error"' not in entry["response"]["rawBody"]:
        return ""
    try:
        answer = _object(json.loads(entry["response"]["rawBody"]))
    except ValueError:  # it was cut off
        return ""
    return str(_object(answer.get("error")).get("message", ""))


def _object(value: Any) -> Entry:
    return cast(Entry, value) if isinstance(value, dict) else {}


def _row(entry: Entry) -> tuple[Any, ...]:
    at: int = entry.get("timestamp") or 0
    answered, error = entry["response"].get("timestamp"), _error(entry)
    text = escape(_short(error or _what(entry)))
    tone = "color: var(--bad)" if error else ""
    shown = f'<span class="sk-mono wc-broken" style="{tone}">{text}</span>'
    return (
        f"{datetime.fromtimestamp(at / 1000, UTC):%H:%M:%S.%f}"[:-3],
        entry["method"],
        str(entry["pageId"]),
        str(answered - at) if "request" in entry and answered else "",
        pieces.Markup(shown),
    )


def _what(entry: Entry) -> str:
    """The parameters of a command or of an event, as JSON."""
    if "request" in entry:
        return "" if entry["request"]["rawBody"] == "{}" else entry["request"]["rawBody"]
    params = entry["response"]["result"]
    return json.dumps(params, ensure_ascii=False) if params else entry["response"]["rawBody"]


def _short(text: str) -> str:
    return text if len(text) <= CHARACTERS_MAX else f"{text[: CHARACTERS_MAX - 1]}…"


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
