"""The console: pages in Python (NiceGUI) over services, in the process of the REST host. Works without a network.

A page is a function over a `Workspace` or over a system's service; none touches a table.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import partial
from typing import Any

from fastapi import FastAPI
from nicegui import ui

from sortkey.web.console.data import data_page
from sortkey.web.console.home import home
from sortkey.web.console.models import model_page, models_page
from sortkey.web.console.requests import requests_page
from sortkey.web.console.shell import ConsolePage, Shell
from sortkey.web.console.statements import statements_page
from sortkey.web.console.workspace import Workspace

__all__ = ["ConsolePage", "Workspace", "add_console"]


def add_console(
    app: FastAPI, workspace: Workspace, pages: Sequence[ConsolePage] = (), *, base: str = "/console", secret: str
) -> None:
    """Mount the console. `pages` are those of the systems; `secret` signs what the browser keeps of a session."""
    shell = Shell((*_own_pages(workspace, base), *pages), base)
    for page in shell.pages:
        ui.page(page.path)(_framed(shell, page))
    ui.run_with(  # pyright: ignore[reportUnknownMemberType]
        app,
        mount_path=base,
        title="Sortkey",
        storage_secret=secret,
        show_welcome_message=False,
        binding_refresh_interval=None,  # nothing here is bound by looking again and again
    )


def _own_pages(workspace: Workspace, base: str) -> list[ConsolePage]:
    """In the order of the menu."""
    return [
        ConsolePage("/", "Home", "home", partial(home, workspace, base)),
        ConsolePage("/models", "Models", "schema", partial(models_page, workspace, base)),
        ConsolePage("/models/{name}", "Model", "schema", partial(model_page, workspace, base), in_menu=False),
        ConsolePage("/data", "Data", "table_rows", partial(data_page, workspace, base)),
        ConsolePage("/partiql", "PartiQL", "terminal", partial(statements_page, workspace)),
        ConsolePage("/requests", "Requests", "speed", partial(requests_page, workspace)),
    ]


def _framed(shell: Shell, page: ConsolePage) -> Any:
    """The page in its frame, with the signature of its own function, from which the path's parts are filled."""

    async def show(**parts: Any) -> None:
        with shell.frame(page):
            made = page.show(**parts)
            if inspect.isawaitable(made):
                await made

    show.__signature__ = inspect.signature(page.show)  # pyright: ignore[reportFunctionMemberAccess]
    return show
