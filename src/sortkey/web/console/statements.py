"""PartiQL: run a statement and show its result."""

from __future__ import annotations

import time

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console.pieces import button, chip, code, empty, error_text, quiet
from sortkey.web.console.shell import title
from sortkey.web.console.stored_items import statement
from sortkey.web.console.value_display import plain_item, pretty
from sortkey.web.console.workspace import Workspace, refusal


def statements_page(workspace: Workspace) -> None:
    title(
        "PartiQL",
        "DynamoDB's statements: SELECT, INSERT, UPDATE, DELETE. They change your data.",
    )
    tables = workspace.tables()
    first = max(tables, key=lambda table: table.count).name if tables else "Things"
    with ui.element("div").classes("sk-card sk-stack"):
        box = ui.textarea("Statement", value=f'SELECT * FROM "{first}"').props("outlined autogrow")
        box.classes("w-full sk-editor")
        with ui.element("div").classes("sk-row"):
            button("Run", lambda: run(None), icon="play_arrow")
            quiet("or Ctrl Enter")
        box.on("keydown.ctrl.enter", lambda: run(None))
    shown = ui.element("div").classes("sk-stack").style("gap: 1rem")

    def run(token: str | None) -> None:
        shown.clear()
        with shown:
            began = time.perf_counter()
            try:
                items, more, units = statement(workspace, box.value or "", token)
            except SortkeyError as error:
                error_text(refusal(error))
                return
            with ui.element("div").classes("sk-row"):
                chip(f"{len(items)} item{'s' * (len(items) != 1)}", "note")
                chip(f"{units:g} units")
                chip(f"{(time.perf_counter() - began) * 1000:.1f} ms")
            if items:
                code(pretty([plain_item(item) for item in items]))
            else:
                empty("Done. The statement returned no items.")
            if more:
                button("Next page", lambda: run(more), is_main=False)
