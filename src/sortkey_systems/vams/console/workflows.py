"""Pipelines and workflows: what can be done to files, and in which order."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from nicegui import run, ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import attempt, confirm, field, form
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session
from sortkey_systems.vams.console.json_values import Json, object_of, objects_of
from sortkey_systems.vams.workflows.shipped_pipelines import install

Refresh = Callable[[], object]
GLOBAL = "GLOBAL"
EXECUTIONS = {
    "Lambda": "Lambda: a function, command or container",
    "SQS": "SQS: a queue",
    "EventBridge": "EventBridge: an HTTP post",
}
RESOURCES = {
    "Lambda": ("lambdaName", "Function"),
    "SQS": ("sqsQueueUrl", "Queue URL"),
    "EventBridge": ("eventBridgeBusArn", "Bus"),
}


@explained
async def workflows_page(console: Console) -> None:
    session = console.session()
    text = "A pipeline does one thing to files. A workflow runs pipelines, one after the other."
    actions = begin(session, "Workflows", text)

    @ui.refreshable
    async def content() -> None:
        workflows = await session.items("/workflows")
        pipelines = await session.items_or_none("/pipelines")
        with ui.element("div").classes("sk-stack").style("gap: 1rem"):
            pieces.heading("Workflows")
            if not workflows:
                pieces.empty("There are no workflows yet.")
            with ui.element("div").classes("sk-grid"):
                for each in workflows:
                    _draw_workflow(session, each, content.refresh)
            pieces.heading("Pipelines")
            if not pipelines:
                pieces.empty("There are no pipelines yet.")
            with ui.element("div").classes("sk-grid"):
                for each in pipelines:
                    _draw_pipeline(session, each, content.refresh)

    if session.can_change:
        with actions:
            shipped = partial(_install, session, content.refresh)
            pieces.button("Add what is shipped", shipped, is_main=False)
            pipeline = partial(_pipeline_form, session, content.refresh)
            pieces.button("New pipeline", pipeline, icon="add", is_main=False)
            workflow = partial(_workflow_form, session, content.refresh)
            pieces.button("New workflow", workflow, icon="add")
    await content()


async def _install(session: Session, refresh: Refresh) -> None:
    """Add the pipelines and workflows that come with VAMS, unless they are there."""
    service = session.service
    caller = service.access.caller(session.identity.user_id)
    added: list[str] = []

    async def act() -> None:
        added.extend(await run.io_bound(install, service, caller) or ())

    if await attempt(act):
        ui.notify(f"Added: {', '.join(added)}" if added else "All of them are there already")
        refresh()


def _draw_workflow(session: Session, row: Json, refresh: Refresh) -> None:
    steps = _steps(row)
    with ui.element("article").classes("sk-card sk-stack"):
        path = f"/database/{row['databaseId']}/workflows/{row['workflowId']}"
        _head(
            session,
            str(row["workflowId"]),
            path,
            partial(_workflow_form, session, refresh, row),
            refresh,
        )
        ui.label(str(row.get("description") or ""))
        with ui.element("div").classes("sk-row").style("gap: 0.35rem"):
            for at, step in enumerate(steps):
                if at:
                    ui.icon("arrow_forward").classes("sk-quiet").props('aria-label="then"')
                pieces.chip(str(step.get("name")), "note")
        trigger = str(row.get("autoTriggerOnFileExtensionsUpload") or "")
        about = f"runs by itself on new files: {trigger}" if trigger else "runs when asked"
        pieces.quiet(f"{row['databaseId']} · {about}")


def _steps(row: Json) -> list[Json]:
    return objects_of(object_of(row.get("specifiedPipelines")).get("functions"))


def _draw_pipeline(session: Session, row: Json, refresh: Refresh) -> None:
    with ui.element("article").classes("sk-card sk-stack"):
        path = f"/database/{row['databaseId']}/pipelines/{row['pipelineId']}"
        _head(
            session,
            str(row["pipelineId"]),
            path,
            partial(_pipeline_form, session, refresh, row),
            refresh,
        )
        ui.label(str(row.get("description") or ""))
        with ui.element("div").classes("sk-row").style("gap: 0.35rem"):
            pieces.chip(str(row.get("pipelineExecutionType") or ""))
            pieces.chip(f"{row.get('assetType') or '.all'} → {row.get('outputType') or '.all'}")
            if row.get("enabled") is False:
                pieces.chip("disabled", "warn")
            if row.get("waitForCallback") == "Enabled":
                pieces.chip("waits for a callback")
        pieces.quiet(str(row["databaseId"]))


def _head(
    session: Session, name: str, path: str, change: Callable[[], object], refresh: Refresh
) -> None:
    with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
        pieces.heading(name)
        if not session.can_change:
            return
        button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
        button.props["aria-label"] = f"Actions on {name}"

        async def delete() -> None:
            await session.delete(path)
            refresh()

        with button, ui.menu():
            ui.menu_item("Change", change)
            text = "Runs that have begun go on."
            ui.menu_item("Delete", partial(confirm, f"Delete {name}?", text, "Delete", delete))


async def _databases(session: Session) -> list[str]:
    return [GLOBAL, *(str(row["databaseId"]) for row in await session.items_or_none("/database"))]


async def _pipeline_form(session: Session, refresh: Refresh, known: Json | None = None) -> None:
    row = known or {}
    databases = await _databases(session)
    with form("Change the pipeline" if known else "New pipeline") as dialog:
        name = field(ui.input("Id", value=str(row.get("pipelineId") or "")))
        database = field(
            ui.select(databases, value=row.get("databaseId") or GLOBAL, label="Database")
        )
        for each in (name, database) if known else ():
            each.disable()
        about = field(ui.input("Description", value=str(row.get("description") or "")))
        kinds = {"standardFile": "makes files", "previewFile": "makes previews"}
        kind = field(ui.select(kinds, value=row.get("pipelineType") or "standardFile", label="It"))
        start = row.get("pipelineExecutionType") or "Lambda"
        execution = field(ui.select(EXECUTIONS, value=start, label="Runs by"))
        names = session.service.runners.names()
        resource = field(ui.input("Name of what runs it", autocomplete=names))
        resource.value = _resource_of(row)
        with ui.element("div").classes("va-numbers"):
            source = ui.input("From", value=str(row.get("assetType") or ".all")).props("outlined")
            target = ui.input("To", value=str(row.get("outputType") or ".all")).props("outlined")
        parameters = field(
            ui.textarea("Parameters, as JSON", value=str(row.get("inputParameters") or ""))
        )
        waits = ui.switch("Wait for a callback", value=row.get("waitForCallback") == "Enabled")
        enabled = ui.switch("Enabled", value=row.get("enabled") is not False)

        async def save() -> None:
            body: Json = {
                "pipelineId": (name.value or "").strip(),
                "databaseId": database.value,
                "description": (about.value or "").strip(),
                "pipelineType": kind.value,
                "pipelineExecutionType": execution.value,
                "assetType": source.value or ".all",
                "outputType": target.value or ".all",
                "waitForCallback": "Enabled" if waits.value else "Disabled",
                "inputParameters": parameters.value or "",
                "enabled": bool(enabled.value),
                "updateAssociatedWorkflows": bool(known),
            }
            if resource.value:
                body[RESOURCES[str(execution.value)][0]] = resource.value.strip()
            await session.put("/pipelines", body)
            refresh()

        dialog.buttons("Save", save)


def _resource_of(row: Json) -> str:
    """The name in the JSON text that pipelines carry."""
    try:
        found = object_of(json.loads(row.get("userProvidedResource") or "{}"))
    except ValueError:
        return ""
    return str(found.get("resourceId") or "")


async def _workflow_form(session: Session, refresh: Refresh, known: Json | None = None) -> None:
    row = known or {}
    databases = await _databases(session)
    pipelines = {
        f"{each['databaseId']}/{each['pipelineId']}": each
        for each in await session.items_or_none("/pipelines")
    }
    steps = _steps(row)
    chosen = [f"{step.get('databaseId') or GLOBAL}/{step['name']}" for step in steps]
    with form("Change the workflow" if known else "New workflow") as dialog:
        name = field(ui.input("Id", value=str(row.get("workflowId") or "")))
        database = field(
            ui.select(databases, value=row.get("databaseId") or GLOBAL, label="Database")
        )
        for each in (name, database) if known else ():
            each.disable()
        about = field(ui.input("Description", value=str(row.get("description") or "")))
        options = list(dict.fromkeys([*pipelines, *chosen]))
        order = ui.select(options, value=chosen, multiple=True, label="Pipelines, in this order")
        field(order.props("use-chips"))
        trigger = field(
            ui.input(
                "Run by itself on new files",
                value=str(row.get("autoTriggerOnFileExtensionsUpload") or ""),
                placeholder="glb,obj or all; empty: only when asked",
            )
        )

        async def save() -> None:
            body = {
                "workflowId": (name.value or "").strip(),
                "databaseId": database.value,
                "description": (about.value or "").strip(),
                "specifiedPipelines": {
                    "functions": [
                        _function(pipelines.get(each), each) for each in order.value or ()
                    ]
                },
                "autoTriggerOnFileExtensionsUpload": (trigger.value or "").strip(),
            }
            await session.put("/workflows", body)
            refresh()

        dialog.buttons("Save", save)


def _function(pipeline: Json | None, name: str) -> Json:
    """A step, with the settings of its pipeline."""
    database_id, _, pipeline_id = name.partition("/")
    step: Json = {"name": pipeline_id, "databaseId": database_id}
    for key in (
        "pipelineType",
        "pipelineExecutionType",
        "outputType",
        "waitForCallback",
        "userProvidedResource",
        "taskTimeout",
        "inputParameters",
    ):
        if pipeline and pipeline.get(key) not in (None, ""):
            step[key] = pipeline[key]
    return step
