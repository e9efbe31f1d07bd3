"""The viewer of files: pictures, video, sound, PDF and models in the browser; texts, tables, JSON
and Markdown drawn here, from the first part of the file.

three.js comes with NiceGUI's scene and is loaded when a model is shown.
"""

from __future__ import annotations

import csv
import io
import json
import re

from nicegui import ui
from nicegui.elements import scene

from sortkey.web.console import pieces
from sortkey_systems.vams.console.texts import extension, kind_of

THREE = scene.__name__
"""Imported so that pages know where three.js is."""
DRAWN_HERE = ("text", "csv", "markdown", "json")
TEXT_BYTES_MAX = 512 * 1024
ROWS_MAX = 500
COLUMNS_MAX = 50


class Viewer(ui.element, component="viewer_element.js", esm={"vams-viewer": "viewer"}):
    """A file that the browser shows by itself, from its address."""

    def __init__(self, url: str, name: str, size: int) -> None:
        super().__init__()
        self.props["url"], self.props["name"], self.props["size"] = url, name, size
        self.props["kind"], self.props["format"] = kind_of(name), extension(name)


def is_shown_by_browser(path: str) -> bool:
    """Whether a `Viewer` shows it."""
    return kind_of(path) not in ("", *DRAWN_HERE)


def draw_text(path: str, content: bytes, is_cut: bool) -> None:
    """Show a file of one of the kinds of `DRAWN_HERE`. `is_cut`: this is only its beginning."""
    text = content.decode("utf-8", errors="replace")
    kind = kind_of(path)
    with ui.element("div").classes("va-text"):
        if kind == "csv":
            _draw_table(text, "\t" if extension(path) == "tsv" else "")
        elif kind == "markdown":
            ui.markdown(harmless(text)).classes("va-markdown")
        else:
            pieces.code(_indented(text) if kind == "json" and not is_cut else text)
    if is_cut:
        pieces.quiet(f"The first {TEXT_BYTES_MAX // 1024} kB. Download the file to see all of it.")


def _draw_table(text: str, delimiter: str) -> None:
    if not delimiter:
        first = text.partition("\n")[0]
        delimiter = max(",;\t|", key=first.count)
    rows = [row[:COLUMNS_MAX] for row in csv.reader(io.StringIO(text), delimiter=delimiter)]
    if not rows:
        pieces.empty("The table is empty.")
        return
    head, body = rows[0], rows[1 : ROWS_MAX + 1]
    numbers = [at for at in range(len(head)) if body and all(_is_number(row, at) for row in body)]
    pieces.table(head, body, numbers)
    if len(rows) > ROWS_MAX + 1:
        pieces.quiet(f"The first {ROWS_MAX} of {len(rows) - 1:,} rows.")


def _is_number(row: list[str], at: int) -> bool:
    return at >= len(row) or re.fullmatch(r"\s*-?[\d.,]*(e[+-]?\d+)?\s*", row[at], re.I) is not None


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def harmless(text: str) -> str:
    """Markdown without HTML and without pictures, which would be fetched from anywhere."""
    without_tags = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)
    return without_tags.replace("![", "[")
