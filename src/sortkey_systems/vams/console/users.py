"""Users with their roles, and API keys. A key and a temporary password are shown once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.forms import confirm, field, form
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.texts import when

Refresh = Callable[[], object]
STATUSES = {
    "CONFIRMED": ("active", "good"),
    "FORCE_CHANGE_PASSWORD": ("must choose a password", "warn"),
    "EXTERNAL_PROVIDER": ("signs in elsewhere", ""),
}
TONES: dict[str, pieces.Tone] = {"good": "good", "warn": "warn", "": ""}


@explained
async def users_page(console: Console) -> None:
    session = console.session()
    begin(session, "Users and keys", "People sign in; programs use keys. Both act with roles.")
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        ui.tab("Users", icon="people")
        ui.tab("Keys", icon="key")
    with pieces.tab_panels(tabs):
        with ui.tab_panel("Users"):
            await _users(session)
        with ui.tab_panel("Keys"):
            await _keys(session)


# -- users


async def _users(session: Session) -> None:
    @ui.refreshable
    async def listed() -> None:
        users = {str(row["userId"]): row for row in await session.items("/user/cognito", "users")}
        roles = {
            str(row["userId"]): list(row["roleName"])
            for row in await session.items_or_none("/user-roles")
        }
        names = sorted({*users, *roles} - {"SYSTEM_USER"}, key=str.lower)
        with ui.element("div").classes("sk-grid"):
            for name in names:
                _user(session, name, users.get(name, {}), roles.get(name, []), listed.refresh)

    if session.can_change:
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            pieces.button("New user", partial(_new_user, session), icon="person_add")
    await listed()


def _user(session: Session, name: str, row: Json, roles: list[str], refresh: Refresh) -> None:
    with ui.element("article").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
            with ui.element("div").classes("sk-row").style("flex-wrap: nowrap; min-width: 0"):
                ui.label(name[:1].upper()).classes("va-face").props('aria-hidden="true"')
                ui.label(name).classes("va-name va-line")
            if session.can_change:
                _user_menu(session, name, row, roles, refresh)
        with ui.element("div").classes("sk-row").style("gap: 0.35rem"):
            text, tone = STATUSES.get(str(row.get("userStatus") or ""), ("no login here", ""))
            pieces.chip(text, TONES[tone])
            if row.get("mfaEnabled"):
                pieces.chip("one-time code", "good")
            if row.get("enabled") is False:
                pieces.chip("disabled", "bad")
        with ui.element("div").classes("sk-row").style("gap: 0.35rem"):
            pieces.quiet("roles" if roles else "no role: nothing is allowed")
            for role in roles:
                pieces.chip(role, "note")


def _user_menu(session: Session, name: str, row: Json, roles: list[str], refresh: Refresh) -> None:
    button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
    button.props["aria-label"] = f"Actions on {name}"

    async def reset() -> None:
        await session.post(f"/user/cognito/{name}/resetPassword", {"confirmReset": True})
        ui.notify("A temporary password was sent", type="positive")
        refresh()

    async def delete() -> None:
        await session.delete(f"/user/cognito/{name}")
        refresh()

    with button, ui.menu():
        ui.menu_item("Roles", partial(_roles_form, session, name, roles, refresh))
        if row:
            text = "Their password ends; a temporary one is sent to them."
            ask = partial(confirm, f"Reset the password of {name}?", text, "Reset", reset)
            ui.menu_item("Reset the password", ask)
            text = "Their roles and keys go with them."
            ui.menu_item("Delete", partial(confirm, f"Delete {name}?", text, "Delete", delete))


async def _roles_form(session: Session, name: str, roles: list[str], refresh: Refresh) -> None:
    known = [str(row["roleName"]) for row in await session.items("/roles")]
    with form(f"Roles of {name}", width="30rem") as dialog:
        chosen = ui.select(known, value=roles, multiple=True, label="Roles").props("use-chips")
        field(chosen)

        async def save() -> None:
            await _set_roles(session, name, list(chosen.value or []), bool(roles))
            refresh()

        dialog.buttons("Save", save)


async def _set_roles(session: Session, name: str, roles: list[str], has_some: bool) -> None:
    if roles:
        await session.put("/user-roles", {"userId": name, "roleName": roles})
    elif has_some:
        await session.delete("/user-roles", {"userId": name})


async def _new_user(session: Session) -> None:
    known = [str(row["roleName"]) for row in await session.items("/roles")]
    below = "They get a temporary password by a notice and choose another at the first sign-in."
    with form("New user", below, width="30rem") as dialog:
        name = field(ui.input("User id", placeholder="ines@example.com")).props("autofocus")
        email = field(ui.input("E-mail", placeholder="ines@example.com"))
        roles = ui.select(known, value=[], multiple=True, label="Roles").props("use-chips")
        field(roles)

        async def create() -> None:
            user_id = (name.value or "").strip()
            address = (email.value or "").strip() or user_id
            await session.post("/user/cognito", {"userId": user_id, "email": address})
            await _set_roles(session, user_id, list(roles.value or []), False)
            ui.navigate.reload()  # the box "See as" offers the user, too

        dialog.buttons("Create", create)


# -- keys


async def _keys(session: Session) -> None:
    @ui.refreshable
    async def listed() -> None:
        found = await session.items("/auth/api-keys")
        if not found:
            pieces.empty("There is no key.", "A key lets a program act as a user.")
        for row in sorted(found, key=lambda each: str(each["apiKeyName"]).lower()):
            _key(session, row, listed.refresh)

    if session.can_change:
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            pieces.button("New key", partial(_new_key, session, listed.refresh), icon="key")
    with ui.element("div").classes("sk-stack").style("gap: 0.6rem"):
        await listed()


def _key(session: Session, row: Json, refresh: Refresh) -> None:
    is_active = str(row.get("isActive")).lower() == "true"
    path = f"/auth/api-keys/{row['apiKeyId']}"

    async def switch() -> None:
        await session.put(path, {"isActive": "false" if is_active else "true"})
        refresh()

    async def delete() -> None:
        await session.delete(path)
        refresh()

    with ui.element("article").classes("sk-card sk-row"):
        ui.icon("key" if is_active else "key_off").classes("sk-quiet").props('aria-hidden="true"')
        with ui.element("div").classes("sk-stack").style("gap: 0; flex: 1 1 14rem; width: auto"):
            ui.label(str(row["apiKeyName"])).classes("va-name")
            ends = f"ends {when(row['expiresAt'])}" if row.get("expiresAt") else "never ends"
            parts = (f"acts as {row['userId']}", ends, str(row.get("description") or ""))
            pieces.quiet(" · ".join(filter(None, parts)))
        if not is_active:
            pieces.chip("switched off", "warn")
        if session.can_change:
            text = "Switch off" if is_active else "Switch on"
            pieces.button(text, switch, is_main=False).props("dense flat")
            question = f"Delete {row['apiKeyName']}?"
            ask = partial(confirm, question, "It opens nothing from then on.", "Delete", delete)
            pieces.button("Delete", ask, is_main=False).props("dense flat")


async def _new_key(session: Session, refresh: Refresh) -> None:
    holders = sorted(str(row["userId"]) for row in await session.items("/user-roles"))
    own = session.identity.user_id
    with form("New key") as dialog:
        name = field(ui.input("Name", placeholder="Render farm")).props("autofocus")
        start = own if own in holders else next(iter(holders), None)
        user = field(ui.select(holders, value=start, label="Acts as"))
        about = field(ui.input("Description"))
        ends = field(ui.input("Ends on").props("type=date"))

        async def create() -> None:
            body: Json = {
                "apiKeyName": (name.value or "").strip(),
                "userId": user.value,
                "description": (about.value or "").strip(),
            }
            if ends.value:
                body["expiresAt"] = f"{ends.value}T00:00:00Z"
            answer = await session.post("/auth/api-keys", body)
            refresh()
            _show_once(str(answer["apiKey"]))

        dialog.buttons("Create", create, icon="key")


def _show_once(raw: str) -> None:
    with (
        pieces.dialog("The new key") as dialog,
        ui.card().style("width: min(34rem, 94vw); max-width: none"),
    ):
        pieces.heading("The new key")
        ui.label("Copy it now: it is not shown again, and only its hash is stored.")
        with ui.element("div").classes("va-key"):
            ui.html(f"<code>{escape(raw)}</code>", sanitize=False).style("flex: 1")
            ui.html(pieces.copy_button(raw, "Copied the key"), sanitize=False)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Done", dialog.close)
