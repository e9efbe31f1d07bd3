"""Projects in the console: limits, usage and keys. A raw key is shown once."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces, title
from sortkey_systems.wallcrawler.console.durations import ago
from sortkey_systems.wallcrawler.console.style import CSS
from sortkey_systems.wallcrawler.model import ApiKey, Project
from sortkey_systems.wallcrawler.service import Wallcrawler

Refresh = Callable[[], object]


def projects_page(service: Wallcrawler) -> None:
    ui.add_css(CSS)
    with ui.element("div").classes("sk-row sk-spread"):
        with ui.element("div").style("flex: 1 1 20rem"):
            title("Projects", "A project is a tenant: it sees its own sessions and contexts only.")
        pieces.button("New project", lambda: _new_project(service, listed.refresh), icon="add")

    @ui.refreshable
    def listed() -> None:
        found = sorted(service.tenants.projects(), key=lambda each: each.status)  # active first
        if not found:
            pieces.empty("There are no projects yet.", "New project makes one; then give it a key.")
        for project in found:
            _project(service, project, listed.refresh)

    listed()


def _project(service: Wallcrawler, project: Project, refresh: Refresh) -> None:
    is_active = project.status == "ACTIVE"
    minutes, proxy_bytes = service.usage(project)
    with ui.element("section").classes("sk-card sk-stack").style("gap: 0.9rem"):
        with ui.element("div").classes("sk-row sk-spread"):
            with ui.element("div").classes("sk-row").style("width: auto"):
                pieces.heading(project.name)
                pieces.chip("active" if is_active else "switched off", "good" if is_active else "")
                ui.html(pieces.copied(project.project_id, 40), sanitize=False)
            with ui.element("div").classes("sk-row").style("width: auto"):
                change = lambda: _change(service, project, refresh)  # noqa: E731
                pieces.button("Settings", change, is_main=False).props("dense")
                new = lambda: _new_key(service, project, refresh)  # noqa: E731
                pieces.button("New key", new, icon="key", is_main=False).props("dense")
        with ui.element("div").classes("sk-row").style("gap: 0.75rem 2.25rem; align-items: start"):
            _places(project)
            pieces.figure(f"{minutes:,}", "browser minutes")
            pieces.figure(_megabytes(proxy_bytes), "through proxies")
            pieces.figure(f"{project.default_timeout // 60:,} min", "default timeout")
        _keys(service, project, refresh)


def _places(project: Project) -> None:
    running, most = project.running_sessions, project.concurrency
    share = min(100, 100 * running // most) if most else 100
    with ui.element("div").style("width: 9.5rem"):
        ui.label(f"{running} of {most}").classes("sk-figure")
        pieces.quiet("sessions at once")
        bar = f'<div class="wc-used" aria-hidden="true"><i style="width: {share}%"></i></div>'
        ui.html(bar, sanitize=False).style("margin-top: 0.35rem")


def _megabytes(count: int) -> str:
    if not count:
        return "0"
    return f"{count / 1e6:,.1f} MB" if count < 1e9 else f"{count / 1e9:,.2f} GB"


# -- keys


def _keys(service: Wallcrawler, project: Project, refresh: Refresh) -> None:
    found = service.tenants.keys(project.project_id)
    if not found:
        pieces.quiet("It has no keys: no client can use it yet.")
        return
    with ui.element("div").classes("sk-stack"):
        for key in found:
            _key(service, key, refresh)


def _key(service: Wallcrawler, key: ApiKey, refresh: Refresh) -> None:
    is_active = key.status == "ACTIVE"
    with ui.element("div").classes("sk-row").style("min-height: 2rem"):
        ui.icon("key" if is_active else "key_off").classes("sk-quiet").props('aria-hidden="true"')
        name = ui.label(key.name or key.key_id or "").style("font-weight: 550")
        pieces.mono(key.key_id or "").classes("sk-quiet")
        also = f"also {', '.join(key.project_ids)}" if key.project_ids else ""
        used = f"used {ago(key.last_used_at)}" if key.last_used_at else "never used"
        pieces.quiet(" · ".join(filter(None, (used, also))))
        ui.space()
        if is_active and key.key_id:
            revoke = lambda: _confirm(service, key, refresh)  # noqa: E731
            pieces.button("Revoke", revoke, is_main=False).props("dense flat")
        elif not is_active:
            name.classes("sk-quiet")
            pieces.chip("revoked", "")


def _confirm(service: Wallcrawler, key: ApiKey, refresh: Refresh) -> None:
    pieces.confirm(
        "Revoke a key",
        question=f"Revoke {key.name or key.key_id}?",
        consequence="Its next request is refused. Sessions that it started go on.",
        action="Revoke",
        carry_out=lambda: service.tenants.revoke_key(key.key_id or ""),
        on_done=refresh,
    )


def _new_key(service: Wallcrawler, project: Project, refresh: Refresh) -> None:
    others = {
        each.project_id: each.name
        for each in service.tenants.projects()
        if each.project_id != project.project_id
    }
    with (
        pieces.dialog("New key") as dialog,
        ui.card().style("width: min(34rem, 94vw); max-width: none") as card,
    ):
        pieces.heading(f"New key for {project.name}")
        name = ui.input("Name", placeholder="Ada's laptop").props("outlined autofocus stack-label")
        more = ui.select(others, multiple=True, label="Also opens").props("outlined use-chips")
        for each in (name, more):
            each.classes("w-full")
        problem = ui.element("div").classes("w-full")

        def create() -> None:
            problem.clear()
            try:
                made = service.tenants.create_key(
                    project.project_id, name=name.value or "", more_projects=list(more.value or [])
                )
            except SortkeyError as error:
                with problem:
                    pieces.error_text(str(error))
                return
            card.clear()
            with card:
                _show_once(made.raw, dialog)
            refresh()

        name.on("keydown.enter", create)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Close", dialog.close, is_main=False)
            pieces.button("Create", create, icon="key")


def _show_once(raw: str, dialog: ui.dialog) -> None:
    pieces.heading("The new key")
    ui.label("Copy it now: it is not shown again, and only its hash is stored.")
    with ui.element("div").classes("wc-key"):
        ui.html(f"<code>{escape(raw)}</code>", sanitize=False).style("flex: 1")
        ui.html(pieces.copy_button(raw, "Copied the key"), sanitize=False)
    with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
        pieces.button("Done", dialog.close)


# -- projects


def _new_project(service: Wallcrawler, refresh: Refresh) -> None:
    with pieces.dialog("New project") as dialog, ui.card().style("width: min(28rem, 94vw)"):
        pieces.heading("New project")
        project_id = ui.input("Id", placeholder="project_shop").props(
            "outlined autofocus stack-label"
        )
        name = ui.input("Name", placeholder="Shop").props("outlined stack-label")
        most = ui.number("Sessions at once", value=5, min=0, max=1000, precision=0)
        minutes = ui.number("Default timeout, minutes", value=60, min=1, precision=0)
        _widen(project_id, name, most, minutes)

        def create() -> object:
            return service.tenants.create_project(
                (project_id.value or "").strip(),
                name=name.value or "",
                concurrency=int(most.value or 0),
                default_timeout=int(minutes.value or 60) * 60,
            )

        _buttons(dialog, "Create", create, refresh)


def _change(service: Wallcrawler, project: Project, refresh: Refresh) -> None:
    with pieces.dialog("Settings") as dialog, ui.card().style("width: min(28rem, 94vw)"):
        pieces.heading(project.name)
        most = ui.number(
            "Sessions at once", value=project.concurrency, min=0, max=1000, precision=0
        )
        timeout = project.default_timeout // 60
        minutes = ui.number("Default timeout, minutes", value=timeout, min=1, precision=0)
        _widen(most, minutes)
        active = ui.switch("Its keys are let in", value=project.status == "ACTIVE")

        def change() -> object:
            return service.tenants.change_project(
                project.project_id,
                concurrency=int(most.value or 0),
                default_timeout=int(minutes.value or 60) * 60,
                is_active=bool(active.value),
            )

        _buttons(dialog, "Save", change, refresh)


def _widen(*fields: Any) -> None:
    for field in fields:
        field.props("outlined").classes("w-full")


def _buttons(dialog: ui.dialog, text: str, act: Callable[[], object], refresh: Refresh) -> None:
    """The end of a form: what was refused is said above its buttons."""
    problem = ui.element("div").classes("w-full")

    def run() -> None:
        problem.clear()
        try:
            act()
        except SortkeyError as error:
            with problem:
                pieces.error_text(str(error))
            return
        dialog.close()
        refresh()

    with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
        pieces.button("Close", dialog.close, is_main=False)
        pieces.button(text, run)
