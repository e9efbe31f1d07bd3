"""Who may use the console. On loopback everybody who can reach it; beyond that whoever knows the password.

A session is a signed cookie (`SameSite=strict`) and what the server keeps under it. What a page does goes over its own
socket, which only the page that was served can name: another site can neither read the page nor speak for it.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

from nicegui import app, ui
from starlette.responses import RedirectResponse

from sortkey.web.console.pieces import button, heading, quiet
from sortkey.web.console.shell import style

FAILURES = 5
PAUSE_SECONDS = 60.0


@dataclass
class Password:
    """The console's password. Five wrong ones in a minute, from wherever, and nobody may try for a minute."""

    text: str
    clock: Callable[[], float] = time.time
    _failed: list[float] = field(default_factory=list[float])

    def opens(self, given: str) -> bool:
        now = self.clock()
        self._failed = [at for at in self._failed if at > now - PAUSE_SECONDS]
        if len(self._failed) >= FAILURES:
            return False
        if hmac.compare_digest(sha256(given.encode()).digest(), sha256(self.text.encode()).digest()):
            return True
        self._failed.append(now)
        return False

    @property
    def is_paused(self) -> bool:
        return len([at for at in self._failed if at > self.clock() - PAUSE_SECONDS]) >= FAILURES


def is_signed_in(password: Password | None) -> bool:
    kept = cast(Mapping[str, Any], app.storage.user)
    return password is None or bool(kept.get("signed_in", False))


def to_login(base: str) -> RedirectResponse:
    return RedirectResponse(f"{base}/login")


def login_page(password: Password) -> None:
    style()
    ui.page_title("Sign in · Sortkey")
    with ui.element("div").classes("sk-card sk-stack").style("max-width: 24rem; margin: 12vh auto; gap: 1rem"):
        heading("Sortkey", 1)
        quiet("This console can be reached from other machines, so it asks for the password it was started with.")
        given = ui.input("Password", password=True).props("outlined autofocus").classes("w-full")
        said = ui.label().classes("sk-small").style("color: var(--bad)").props('role="alert"')

        def enter() -> None:
            if password.opens(given.value or ""):
                app.storage.user["signed_in"] = True
                ui.navigate.to("/")
            elif password.is_paused:
                said.text = "Too many wrong passwords: wait for a minute."
            else:
                said.text = "This is not the password."

        given.on("keydown.enter", enter)
        button("Sign in", enter)
