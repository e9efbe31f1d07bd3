"""The login page. `Access.sign_in` handles its form."""

from __future__ import annotations

from nicegui import ui
from starlette.responses import RedirectResponse

from sortkey.web.console.access import LOGIN, Access
from sortkey.web.console.pieces import error_text, heading, quiet
from sortkey.web.console.shell import style

MESSAGES = {
    "wrong": "Wrong password.",
    "paused": "Too many wrong passwords: wait a minute, then try again.",
}


def login_page(access: Access, failed: str = "") -> RedirectResponse | None:
    if access.seconds_left(ui.context.client.request):
        return RedirectResponse(f"{access.base}/", status_code=303)
    style()
    ui.page_title("Sign in · Sortkey")
    form = (
        ui.element("form")
        .classes("sk-card sk-stack")
        .style("max-width: 24rem; margin: 12vh auto; gap: 1rem")
    )
    form.props["method"], form.props["action"] = "post", f"{access.base}{LOGIN}"
    with form:
        heading("Sortkey", 1)
        quiet("Sign in with the password that this console was started with.")
        entry = ui.input("Password", password=True).classes("w-full")
        entry.props("outlined autofocus name=password autocomplete=current-password")
        if failed in MESSAGES:
            error_text(MESSAGES[failed])
        ui.button("Sign in").props("unelevated no-caps type=submit")
    return None
