"""Objects: the buckets of payloads, by prefix, each object with its versions."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.runtime.objects import Objects, ObjectVersion
from sortkey.web.console.name_choice import name_choice
from sortkey.web.console.pieces import (
    button,
    chipped,
    code,
    code_cell,
    copied,
    empty,
    heading,
    refused,
    table,
)
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import moment, size
from sortkey.web.console.workspace import Workspace, refusal

SHOWN = 200
SHOWN_BYTES = 20_000


def objects_page(workspace: Workspace, bucket: str = "", prefix: str = "") -> None:
    title("Objects", "Payloads that are too large for items, with their versions.")
    names = sorted(workspace.objects)
    if not names:
        empty("No bucket is in use yet.", "Upload Terraform, or run a journey.")
        return
    chosen = {"bucket": bucket if bucket in names else names[0], "prefix": prefix}

    @ui.refreshable
    def listed() -> None:
        _versions(workspace.objects[chosen["bucket"]], chosen["prefix"])

    def change(name: str, value: str | None) -> None:
        chosen[name] = value or ""
        listed.refresh()

    with ui.element("div").classes("sk-card sk-row"):
        ui.select(
            names,
            label="Bucket",
            value=chosen["bucket"],
            on_change=lambda e: change("bucket", e.value),
        ).props("outlined dense").style("min-width: 18rem")
        ui.input("Begins with", value=prefix, on_change=lambda e: change("prefix", e.value)).props(
            "outlined dense debounce=300"
        ).style("flex: 1 1 18rem")
    listed()


def _versions(objects: Objects, prefix: str) -> None:
    found: list[ObjectVersion] = []
    for each in objects.versions(prefix):
        found.append(each)
        if len(found) == SHOWN:
            break
    if not found:
        empty("Nothing begins with this.")
        return
    rows = [
        (
            code_cell(each.key),
            chipped("deleted", "bad")
            if each.is_marker
            else chipped("latest" if each.is_latest else "older", ""),
            "" if each.is_marker else size(each.size),
            moment(each.modified_at),
            copied(each.version_id),
        )
        for each in found
    ]
    with ui.element("section").classes("sk-card"):
        table(("key", "state", "size", "written, UTC", "version"), rows, numbers=(2,))
    _look(objects, [each.key for each in found if each.is_latest and not each.is_marker])


def _look(objects: Objects, keys: Sequence[str]) -> None:
    if not keys:
        return

    def read() -> None:
        shown.clear()
        with shown:
            try:
                with objects.open(str(key.value), end=SHOWN_BYTES) as reader:
                    data = reader.read()
            except SortkeyError as error:
                refused(refusal(error))
                return
            code(
                data.decode("utf-8", "replace")
                if not data.startswith(b"\x28\xb5\x2f\xfd")
                else "packed with zstd"
            )

    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.75rem"):
        heading("Look into one")
        with ui.element("div").classes("sk-row"):
            key = name_choice(keys, keys[0], "Object", lambda _: shown.clear()).style(
                "flex: 1 1 16rem"
            )
            button("Show its beginning", read, is_main=False)
        shown = ui.element("div").classes("sk-stack")
