"""Objects: the buckets of payloads, by prefix, with the versions of each object."""

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
    error_text,
    heading,
    table,
)
from sortkey.web.console.shell import title
from sortkey.web.console.value_display import moment, size
from sortkey.web.console.workspace import Workspace, refusal

SHOWN = 200
SHOWN_BYTES = 20_000


def objects_page(workspace: Workspace, bucket: str = "", prefix: str = "") -> None:
    title("Objects", "Payloads that are too large for an item, with their versions.")
    names = sorted(workspace.objects)
    if not names:
        empty("There are no buckets yet.", "Store an item with a payload.")
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
        ui.input("Prefix", value=prefix, on_change=lambda e: change("prefix", e.value)).props(
            "outlined dense debounce=300"
        ).style("flex: 1 1 18rem")
    listed()


def _versions(objects: Objects, prefix: str) -> None:
    versions: list[ObjectVersion] = []
    for version in objects.versions(prefix):
        versions.append(version)
        if len(versions) == SHOWN:
            break
    if not versions:
        empty("No object has this prefix.")
        return
    rows = [
        (
            code_cell(version.key),
            chipped("deleted", "bad")
            if version.is_marker
            else chipped("latest" if version.is_latest else "older", ""),
            "" if version.is_marker else size(version.size),
            moment(version.modified_at),
            copied(version.version_id),
        )
        for version in versions
    ]
    with ui.element("section").classes("sk-card"):
        table(("key", "state", "size", "written, UTC", "version"), rows, numbers=(2,))
    _preview(
        objects,
        [version.key for version in versions if version.is_latest and not version.is_marker],
    )


def _preview(objects: Objects, keys: Sequence[str]) -> None:
    if not keys:
        return

    def read() -> None:
        output.clear()
        with output:
            try:
                with objects.open(str(key.value), end=SHOWN_BYTES) as reader:
                    data = reader.read()
            except SortkeyError as error:
                error_text(refusal(error))
                return
            code(
                data.decode("utf-8", "replace")
                if not data.startswith(b"\x28\xb5\x2f\xfd")
                else "compressed with zstd"
            )

    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.75rem"):
        heading("Preview")
        with ui.element("div").classes("sk-row"):
            key = name_choice(keys, keys[0], "Object", lambda _: output.clear()).style(
                "flex: 1 1 16rem"
            )
            button("Show the first part", read, is_main=False)
        output = ui.element("div").classes("sk-stack")
