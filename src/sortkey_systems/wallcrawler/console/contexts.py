"""The contexts in the console: profiles that outlive their sessions."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces, title
from sortkey_systems.wallcrawler.console.durations import ago
from sortkey_systems.wallcrawler.console.style import CSS
from sortkey_systems.wallcrawler.contexts.profiles import AVAILABLE
from sortkey_systems.wallcrawler.model import Context
from sortkey_systems.wallcrawler.service import Wallcrawler

SHOWN_MAX = 200


def contexts_page(service: Wallcrawler) -> None:
    ui.add_css(CSS)
    with ui.element("div").classes("sk-row sk-spread"):
        with ui.element("div").style("flex: 1 1 20rem"):
            title(
                "Contexts",
                "A profile with its logins, kept between sessions. A session that names one starts "
                "with it, and with `persist` stores it again at its end.",
            )
        pieces.button("New context", lambda: _new(service, listed.refresh), icon="add")

    @ui.refreshable
    def listed() -> None:
        found = service.contexts.all()[:SHOWN_MAX]
        if not found:
            pieces.empty("There are no contexts yet.", "`POST /v1/contexts` makes one too.")
            return
        with ui.element("div").classes("sk-grid"):
            for context in found:
                _card(service, context, listed.refresh)

    listed()


def _card(service: Wallcrawler, context: Context, refresh: Callable[[], object]) -> None:
    with ui.element("section").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
            ui.label(context.name or "Without a name").classes("wc-line wc-name")
            _state(context)
        ui.html(pieces.copied(context.context_id, 32), sanitize=False)
        is_stored = context.status == AVAILABLE
        since = (
            f"stored {ago(context.updated_at)}" if is_stored else f"made {ago(context.created_at)}"
        )
        pieces.quiet(f"{context.project_id} · {since}")
        with ui.element("div").classes("sk-row").style("margin-top: 0.4rem"):
            pieces.button(
                "Delete", lambda: _confirm(service, context, refresh), is_main=False
            ).props("dense")


def _state(context: Context) -> None:
    if context.writer_session_id:
        pieces.chip("in use", "note")
    elif context.status == AVAILABLE:
        pieces.chip("stored", "good")
    else:
        pieces.chip("empty", "")


def _confirm(service: Wallcrawler, context: Context, refresh: Callable[[], object]) -> None:
    pieces.confirm(
        "Delete a context",
        question=f"Delete {context.name or context.context_id}?",
        consequence="Sessions can no longer start with it. Its logins are gone.",
        action="Delete",
        carry_out=lambda: service.contexts.delete([context.project_id], context.context_id),
        on_done=refresh,
    )


def _new(service: Wallcrawler, refresh: Callable[[], object]) -> None:
    projects = {each.project_id: each.name for each in service.tenants.projects()}
    with pieces.dialog("New context") as dialog, ui.card().style("width: min(28rem, 94vw)"):
        pieces.heading("New context")
        name = ui.input("Name", placeholder="Ada at the shop").props(
            "outlined autofocus stack-label"
        )
        project = ui.select(projects, label="Project", value=next(iter(projects), None))
        project.props("outlined")
        for each in (name, project):
            each.classes("w-full")
        problem = ui.element("div").classes("w-full")

        def create() -> None:
            problem.clear()
            try:
                service.contexts.create(str(project.value), (name.value or "").strip() or None)
            except SortkeyError as error:
                with problem:
                    pieces.error_text(str(error))
                return
            dialog.close()
            refresh()

        name.on("keydown.enter", create)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Close", dialog.close, is_main=False)
            pieces.button("Create", create, icon="add")
