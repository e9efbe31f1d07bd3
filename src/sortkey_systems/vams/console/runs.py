"""The runs of workflows on an asset, as they go, and the form that starts one."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import path_of
from sortkey_systems.vams.console.forms import field, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.run_details import draw_details
from sortkey_systems.vams.console.texts import instant_of, when

SECONDS = 2.0
TONES: dict[str, pieces.Tone] = {
    "NEW": "note",
    "RUNNING": "note",
    "SUCCEEDED": "good",
    "FAILED": "bad",
    "TIMED_OUT": "bad",
    "ABORTED": "warn",
}
WHOLE_ASSET = ""
FILES_OFFERED_MAX = 1000


async def runs_panel(session: Session, asset: Json) -> None:
    await _Runs(session, asset).draw()


class _Runs:
    def __init__(self, session: Session, asset: Json) -> None:
        self._session, self._asset, self._path = session, asset, path_of(asset)
        self._shown: list[Json] = []
        self._open: set[str] = set()

    async def draw(self) -> None:
        if self._session.can_change and self._asset.get("status") != "archived":
            with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
                pieces.button("Run a workflow", self._start, icon="play_arrow")

        @ui.refreshable
        def rows() -> None:
            self._draw_rows()

        self._shown = await self._read()
        rows()
        self._rows = rows
        pieces.repeat(SECONDS, self._look)

    async def _look(self) -> None:
        found = await self._read()
        if found != self._shown:
            self._shown = found
            self._rows.refresh()

    async def _read(self) -> list[Json]:
        try:
            return await self._session.items(f"{self._path}/workflows/executions")
        except Refusal:
            return self._shown

    def _draw_rows(self) -> None:
        if not self._shown:
            pieces.empty("No workflow has run on this asset.", "Runs appear here as they go.")
            return
        with ui.element("div").classes("sk-stack").style("gap: 0.6rem"):
            for run in sorted(self._shown, key=lambda row: str(row.get("startDate")), reverse=True):
                self._draw_run(run)

    def _draw_run(self, run: Json) -> None:
        status = str(run.get("executionStatus") or "NEW")

        def head() -> None:
            pieces.chip(status.replace("_", " ").lower(), TONES.get(status, ""))
            ui.label(str(run.get("workflowId"))).classes("va-name")
            file = str(run.get("inputAssetFileKey") or "")
            pieces.quiet(" · ".join(filter(None, (file.rpartition("/")[2], _times(run)))))

        details = partial(draw_details, self._session, self._path, run)
        line = pieces.fold(partial(ui.timer, 0.01, details, once=True), head=head)
        name = str(run["executionId"])

        def remember() -> None:
            """A line that is open stays so when it is drawn again."""
            (self._open.add if line.value else self._open.discard)(name)

        line.on_value_change(remember)
        line.value = name in self._open

    async def _start(self) -> None:
        workflows = await offered_workflows(self._session, str(self._asset["databaseId"]))
        found = await self._session.items(
            f"{self._path}/listFiles", "items", pageSize=FILES_OFFERED_MAX
        )
        files = {WHOLE_ASSET: "the whole asset"} | {
            str(each["relativePath"]): str(each["relativePath"])
            for each in found
            if not each.get("isFolder")
        }
        with form("Run a workflow") as dialog:
            if not workflows:
                pieces.empty("There are no workflows.", link=("Workflows", "/vams/workflows"))
                return
            chosen = field(ui.select(workflows, value=next(iter(workflows)), label="Workflow"))
            first = next((path for path in files if path), WHOLE_ASSET)
            file = field(ui.select(files, value=first, label="On", with_input=True))

            async def run() -> None:
                database_id, _, workflow_id = str(chosen.value).partition("/")
                body: Json = {"workflowDatabaseId": database_id}
                if file.value:
                    body["fileKey"] = file.value
                await self._session.post(f"{self._path}/workflows/{workflow_id}", body)
                await self._look()

            dialog.buttons("Run", run, icon="play_arrow")


async def offered_workflows(session: Session, database_id: str) -> dict[str, str]:
    """The workflows that can run on assets of a database."""
    offered: dict[str, str] = {}
    for owner in (database_id, "GLOBAL"):
        for row in await session.items_or_none(f"/database/{owner}/workflows"):
            about = str(row.get("description") or "")
            name = str(row["workflowId"])
            offered[f"{owner}/{name}"] = f"{name}: {about}" if about else name
    return offered


def _times(run: Json) -> str:
    start, stop = instant_of(run.get("startDate")), instant_of(run.get("stopDate"))
    parts: list[Any] = [when(run.get("startDate"))]
    if start and stop:
        parts.append(f"took {(stop - start).total_seconds():,.1f} s")
    return " · ".join(parts)
