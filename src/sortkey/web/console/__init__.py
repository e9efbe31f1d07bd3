"""The console: pages in Python (NiceGUI), in the process of the REST host. It works offline.

A page is a function of a `Workspace` or of a system's service. No page accesses a table directly.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from nicegui import app as nicegui
from nicegui import ui
from starlette.responses import JSONResponse, Response

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces
from sortkey.web.console.access import LOGIN, LOGOUT, Access, Password
from sortkey.web.console.changes import changes_page
from sortkey.web.console.data import data_page
from sortkey.web.console.home import home
from sortkey.web.console.jump_box import PLACES
from sortkey.web.console.login import login_page
from sortkey.web.console.models import model_page, models_page
from sortkey.web.console.objects import objects_page
from sortkey.web.console.pieces import empty, error_text
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.request_source import SourceMiddleware
from sortkey.web.console.requests import requests_page
from sortkey.web.console.search import search_page
from sortkey.web.console.shell import ConsolePage, Shell, chosen_theme, title
from sortkey.web.console.statements import statements_page
from sortkey.web.console.workspace import Workspace, refusal
from sortkey.web.origin_check import OriginCheck, OriginPolicy

__all__ = [
    "ConsolePage",
    "Password",
    "RequestLog",
    "Workspace",
    "add_console",
    "chosen_theme",
    "pieces",
    "title",
]

RECONNECT_SECONDS = 30.0
"""How long a browser may be disconnected. After that its page is reloaded, and typed text is lost.
"""


def add_console(
    app: FastAPI,
    workspace: Workspace,
    pages: Sequence[ConsolePage] = (),
    *,
    secret: str,
    sessions: Path,
    password: Password | None = None,
    base: str = "/console",
    origins: OriginPolicy | None = None,
) -> None:
    """Mount the console. `pages` are those of the systems. With a password, the sessions of
    signed-in users are stored in the folder `sessions`, as hashes made with `secret`.

    Only its own pages and those of `origins` may call it. `origins` can also restrict host names.
    Do not use NiceGUI's `app.storage.user`: it stores data in files that everyone can read.
    """
    access = None if password is None else Access.of(password, sessions, secret, base)
    logout = None if access is None else f"{base}{LOGOUT}"
    shell = Shell((*_own_pages(workspace), *pages), base, workspace.places, logout)
    if access is not None:
        ui.page(LOGIN)(partial(login_page, access))
        nicegui.post(LOGIN)(access.sign_in)
        nicegui.post(LOGOUT)(access.sign_out)
    nicegui.get(PLACES)(_places(shell, access))
    # The last, because it matches every path.
    fallback = ConsolePage("/{path:path}", "Not found", "search_off", lost_page, in_menu=False)
    for page in (*shell.pages, fallback):
        ui.page(page.path)(_framed(shell, page, access))
    nicegui.on_page_exception(partial(failed_page, shell))  # pyright: ignore[reportUnknownMemberType]
    app.add_middleware(OriginCheck, policy=origins or OriginPolicy(hosts=None), base=base)
    app.add_middleware(SourceMiddleware, base=base)
    ui.run_with(  # pyright: ignore[reportUnknownMemberType]
        app,
        mount_path=base,
        title="Sortkey",
        reconnect_timeout=RECONNECT_SECONDS,
        show_welcome_message=False,
        binding_refresh_interval=None,  # no page uses bindings that need polling
    )


def lost_page(path: str) -> None:
    title("Page not found")
    empty(
        f"There is nothing at /{path}. Ctrl K jumps to any page, model or table.",
        link=("Home", "/"),
    )


def failed_page(shell: Shell, error: Exception) -> None:
    """Shown instead of a page that fails. The log has the details."""
    with shell.frame(ConsolePage("", "Error", "error", lost_page, in_menu=False)):
        title("This page cannot be shown")
        error_text(
            refusal(error)
            if isinstance(error, SortkeyError)
            else f"{type(error).__name__}: {error}"
        )
        empty("See the output of the program for details.", link=("Home", "/"))


def _own_pages(workspace: Workspace) -> list[ConsolePage]:
    """The console's own pages, in the order of the menu."""
    return [
        ConsolePage("/", "Home", "home", partial(home, workspace)),
        ConsolePage("/models", "Models", "schema", partial(models_page, workspace)),
        ConsolePage(
            "/models/{name}", "Model", "schema", partial(model_page, workspace), in_menu=False
        ),
        ConsolePage("/data", "Data", "table_rows", partial(data_page, workspace)),
        ConsolePage("/search", "Search", "search", partial(search_page, workspace)),
        ConsolePage("/changes", "Changes", "bolt", partial(changes_page, workspace)),
        ConsolePage("/objects", "Objects", "folder_open", partial(objects_page, workspace)),
        ConsolePage("/partiql", "PartiQL", "terminal", partial(statements_page, workspace)),
        ConsolePage("/requests", "Requests", "speed", partial(requests_page, workspace)),
    ]


def _places(shell: Shell, access: Access | None) -> Callable[[Request], Response]:
    def places(request: Request) -> Response:
        if access is not None and not access.seconds_left(request):
            return access.to_login()
        return JSONResponse(shell.all_places())

    return places


def _framed(shell: Shell, page: ConsolePage, access: Access | None) -> Any:
    """The page in its frame, with the signature of the page's function, so that it receives the
    parts of the path.
    """

    async def show(**parts: Any) -> Any:
        client = ui.context.client
        if access is not None:
            if not access.seconds_left(client.request):
                return access.to_login()
            access.close_in_time(client)
        with shell.frame(page):
            result = page.show(**parts)
            if inspect.isawaitable(result):
                await result
        return None

    show.__signature__ = inspect.signature(page.show)  # pyright: ignore[reportFunctionMemberAccess]
    return show
