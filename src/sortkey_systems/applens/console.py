"""AppLens in the console: upload Terraform, list runs, and show the graph, findings and inventory
of each run.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, cast

from nicegui import events, ui

from sortkey.errors import SortkeyError
from sortkey.web import Refused
from sortkey.web.console import ConsolePage, pieces, title
from sortkey_systems.applens.console_compare import compare_page
from sortkey_systems.applens.console_names import ALL_RUNS, MOST, SHOWN, USER, WORST_FIRST
from sortkey_systems.applens.coverage import risk_figure
from sortkey_systems.applens.graph_picture import picture
from sortkey_systems.applens.model import Environment, Run
from sortkey_systems.applens.service import AppLens

SECONDS = 1.0
COLUMNS = {
    "address": "address",
    "threatSurface": "surface",
    "internetExposed": "exposed",
    "datastore": "datastore",
    "findings": "findings",
    "resourceType": "type",
    "provider": "provider",
    "mode": "mode",
}
"""Columns of the inventory, by readable names."""


def pages(service: AppLens, base: str) -> list[ConsolePage]:
    group = "AppLens"
    return [
        ConsolePage("/applens", "Runs", "radar", partial(runs_page, service, base), group),
        ConsolePage(
            "/applens/runs/{run_id}",
            "Run",
            "radar",
            partial(run_page, service),
            group,
            in_menu=False,
        ),
        ConsolePage(
            "/applens/compare", "Compare", "difference", partial(compare_page, service), group
        ),
    ]


# -- all runs


def runs_page(service: AppLens, base: str, user: str = USER) -> None:
    title(
        "Terraform, seen as an attacker would",
        "Upload a file or an archive; a run gives its graph and its risks.",
    )
    with ui.element("section").classes("sk-card sk-stack"):
        _upload(service, user)

    @ui.refreshable
    def listed() -> None:
        _runs(service, base, user)

    listed()
    latest = [service.runs(user, size=SHOWN).items]

    def look() -> None:
        now = service.runs(user, size=SHOWN).items
        if now != latest[0]:
            latest[0] = now
            listed.refresh()

    pieces.repeat(SECONDS, look)


def _upload(service: AppLens, user: str) -> None:
    with ui.element("div").classes("sk-row"):
        pieces.quiet("Environment")
        environment = ui.toggle(["dev", "prod"], value="dev").props(
            'no-caps unelevated aria-label="Environment"'
        )

        async def take(event: events.UploadEventArguments) -> None:
            try:
                chosen_environment: Environment = "prod" if environment.value == "prod" else "dev"
                run = service.upload(
                    user, chosen_environment, event.file.name, await event.file.read()
                )
                service.analyze_later(run)
            except (SortkeyError, Refused) as error:
                ui.notify(str(error), type="negative")
                return
            ui.navigate.to(f"/applens/runs/{run.run_id}?user={user}")

        # Hidden, because its own buttons have no names; the browser's dialog opens all the same.
        uploader = ui.upload(auto_upload=True, on_upload=take).classes("hidden")
        pieces.button("Choose a file", lambda: uploader.run_method("pickFiles"), icon="upload")
        pieces.quiet(
            "A .tf or .tf.json file, a plan or state as JSON, or a .zip or .tar.gz of them, up to "
            "10 MB."
        )


def _runs(service: AppLens, base: str, user: str) -> None:
    runs = service.runs(user, size=SHOWN).items
    if not runs:
        pieces.empty(
            "There are no runs yet.", "Choose a file above; a minute later its graph is here."
        )
        return
    rows = [
        (
            pieces.link(run.run_id, f"{base}/applens/runs/{run.run_id}?user={user}"),
            pieces.chipped(run.status),
            run.environment,
            f"{run.created_at:%Y-%m-%d %H:%M:%S}" if run.created_at else "",
            *("" if count is None else str(count) for count in _counts(run)),
            _file(run),
        )
        for run in runs
    ]
    with ui.element("section").classes("sk-card"):
        columns = (
            "run",
            "status",
            "environment",
            "created, UTC",
            "nodes",
            "edges",
            "exposed",
            "datastores",
            "file",
        )
        pieces.table(columns, rows, numbers=(4, 5, 6, 7))


def _file(run: Run) -> str:
    return run.iac.key.rpartition("/")[2] if run.iac and run.iac.key else ""


def _counts(run: Run) -> tuple[int | None, ...]:
    return run.node_count, run.edge_count, run.internet_exposed_count, run.datastore_count


# -- one run


def run_page(service: AppLens, run_id: str, user: str = USER) -> None:
    try:
        run = service.get(user, run_id)
    except SortkeyError:
        title("Run not found", above=ALL_RUNS)
        pieces.empty(f"{run_id} was deleted or never existed.", link=ALL_RUNS)
        return
    when = f"{run.created_at:%Y-%m-%d %H:%M:%S} UTC" if run.created_at else ""
    title(f"Run {run_id}", " · ".join(filter(None, (_file(run), run.environment, when))), ALL_RUNS)
    if run.status == "COMPLETE":
        _complete(service, run, user)
    elif run.status == "FAILED":
        pieces.error_text(run.last_error or "The analysis failed.")
        pieces.empty(
            "There is no graph: fix the file and upload it again.", link=("Upload", ALL_RUNS[1])
        )
    else:
        _under_way(service, run_id, user)


def _under_way(service: AppLens, run_id: str, user: str) -> None:
    with ui.element("section").classes("sk-card sk-stack"):
        status = ui.label("Waiting for a worker")
        bar = ui.linear_progress(0, show_value=False).props('rounded aria-label="Progress"')

    def look() -> None:
        progress = service.progress(user, run_id)
        if progress.status in ("COMPLETE", "FAILED"):
            ui.navigate.to(f"/applens/runs/{run_id}?user={user}")
            return
        status.text, bar.value = progress.step or progress.status.lower(), progress.percent / 100

    pieces.repeat(SECONDS / 2, look)


def _complete(service: AppLens, run: Run, user: str) -> None:
    graph, report = (
        json.loads(artifact)
        for artifact in (service.graph(user, run.run_id), service.report(user, run.run_id))
    )
    _not_covered(report)
    with ui.element("section").classes("sk-card sk-row").style("gap: 0.75rem 2.25rem"):
        pieces.figure(*risk_figure(report))
        for severity in WORST_FIRST:
            pieces.figure(str(report["severities"].get(severity, 0)), severity)
        asking = len(report.get("behind", {}))
        label = f"exposed, {asking} behind authentication" if asking else "exposed"
        pieces.figure(str(run.internet_exposed_count), label)
        ways = report["exposedPaths"]
        closed = sum(bool(way.get("behind")) for way in ways)
        label = "path to data" if len(ways) == 1 else "paths to data"
        pieces.figure(
            str(len(ways)), f"{label}, {closed} behind authentication" if closed else label
        )
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        drawn, findings_tab = ui.tab("Graph", icon="hub"), ui.tab("Findings", icon="report")
        things, why = ui.tab("Inventory", icon="inventory_2"), ui.tab("Score", icon="functions")
    with pieces.tab_panels(tabs):
        with ui.tab_panel(drawn):
            _graph(graph, report)
        with ui.tab_panel(findings_tab):
            _findings(report)
        with ui.tab_panel(things):
            _inventory(service, run.run_id, user)
        with ui.tab_panel(why), ui.element("section").classes("sk-card sk-stack"):
            for line in report["rationale"]:
                ui.label(line).classes("sk-small")


def _not_covered(report: dict[str, Any]) -> None:
    """Shown before the score, which does not cover it."""
    gaps = report.get("coverage", {}).get("gaps", [])
    if gaps:
        with ui.element("section").classes("sk-card sk-stack"):
            pieces.heading("Not covered", 3)
            for gap in gaps:
                ui.label(gap).classes("sk-small").style("color: var(--warn)")


def _graph(graph: dict[str, Any], report: dict[str, Any]) -> None:
    nodes = {node["id"]: node for node in graph["nodes"]}
    with ui.element("section").classes("sk-card sk-stack"):
        pieces.quiet(
            "Drag to move, scroll to zoom, click a node. Paths from the internet to data are red; "
            "orange and dashed if the entry requires authentication."
        )
        chart = ui.echart(picture(graph, report["exposedPaths"])).style(
            "height: 34rem; max-height: max(32rem, 62vw); width: 100%"
        )
        details = ui.element("div").classes("sk-stack")
        for way in report["exposedPaths"]:
            behind = way.get("behind")
            pieces.mono(" → ".join(way["steps"]) + (f" (behind {behind})" if behind else "")).style(
                f"color: var(--{'warn' if behind else 'bad'})"
            )

    def click(event: events.GenericEventArguments) -> None:
        clicked = cast(dict[str, Any], event.args.get("data") or {})
        node = nodes.get(str(clicked.get("id", "")))
        details.clear()
        if node is not None:
            with details:
                _node(node, report)

    chart.on(
        "componentClick", click, ["data"]
    )  # not on_point_click, which needs a value that nodes do not have


def _node(node: dict[str, Any], report: dict[str, Any]) -> None:
    with ui.element("div").classes("sk-card sk-stack"):
        pieces.heading(node["address"], 3)
        with ui.element("div").classes("sk-row"):
            pieces.chip(node["resourceType"])
            pieces.chip(node["threatSurface"], "bad" if node["internetExposed"] else "")
            if behind := report.get("behind", {}).get(node["id"]):
                pieces.chip(f"behind {behind}", "warn")
            if node["datastore"]:
                pieces.chip("datastore", "note")
        for finding in report["findings"]:
            if node["id"] in finding["evidence"]:
                ui.html(f"{pieces.chip_html(finding['severity'])} ", sanitize=False)
                ui.label(finding["title"])
        pieces.code(json.dumps(node["attributes"], indent=2, ensure_ascii=False))


def _findings(report: dict[str, Any]) -> None:
    if not report["findings"]:
        pieces.empty("No rule found anything.")
        return
    with ui.element("div").classes("sk-row"):
        worst = ui.toggle(["all", *WORST_FIRST], value="all").props("no-caps unelevated")
        text = ui.input("Text", placeholder="bucket, IAM, main.tf").props(
            "outlined dense clearable"
        )

    @ui.refreshable
    def listed() -> None:
        words = (text.value or "").lower()
        matches = [
            finding
            for finding in report["findings"]
            if worst.value in ("all", finding["severity"]) and words in json.dumps(finding).lower()
        ]
        pieces.quiet(f"{len(matches)} of {len(report['findings'])}")
        with ui.element("div").classes("sk-stack"):
            for finding in matches[:MOST]:
                _finding(finding)

    listed()
    for control in (worst, text):
        control.on_value_change(lambda _: listed.refresh())


def _finding(finding: dict[str, Any]) -> None:
    def head() -> None:
        ui.html(pieces.chip_html(finding["severity"]), sanitize=False).style("width: 4.5rem")
        ui.label(finding["title"]).style("font-weight: 550")
        pieces.quiet(" · ".join(filter(None, (finding["evidence"][0], finding["detail"]))))

    def draw() -> None:
        with ui.element("div").classes("sk-stack"):
            for mitigation in finding["mitigations"]:
                ui.label(f"→ {mitigation}")
            pieces.mono(f"{finding['file']}:{finding['line']}")
            for place in finding["evidence"]:
                pieces.mono(place)
            pieces.quiet(
                f"{finding['rule']} · {finding['category']} · confidence {finding['confidence']}"
            )

    pieces.fold(draw, head=head)


def _inventory(service: AppLens, run_id: str, user: str) -> None:
    search = ui.input("Search", placeholder="aws_s3_bucket, public, main").props(
        "outlined dense clearable"
    )
    search.style("width: min(28rem, 100%)")

    @ui.refreshable
    def listed() -> None:
        matches = service.inventory(user, run_id, search.value or "")
        if not matches:
            pieces.empty("No name, type or surface contains this.")
            return
        pieces.quiet(
            f"{len(matches):,} resources"
            if len(matches) <= MOST
            else f"The first {MOST} of {len(matches):,}"
        )
        with ui.element("section").classes("sk-card"):
            rows = [[_shown(row[name]) for name in COLUMNS] for row in matches[:MOST]]
            pieces.table(tuple(COLUMNS.values()), rows, numbers=(4,))

    listed()
    search.on_value_change(lambda _: listed.refresh())


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else ""
    return value if isinstance(value, (str, int)) else json.dumps(value)
