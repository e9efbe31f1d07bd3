"""Permissions: constraints with their editor, roles, and a panel that says why something is allowed
or not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.constraint_form import constraint_form
from sortkey_systems.vams.console.constraint_texts import criteria_text, permissions_of
from sortkey_systems.vams.console.forms import confirm, field, form
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.why import why_panel

Refresh = Callable[[], object]
ALL = ""


@explained
async def permissions_page(console: Console) -> None:
    session = console.session()
    text = "Who may do what: at least one constraint allows it, and none denies it."
    begin(session, "Permissions", text)
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        ui.tab("Constraints", icon="gavel")
        ui.tab("Why", icon="help")
        ui.tab("Roles", icon="groups")
    with pieces.tab_panels(tabs):
        with ui.tab_panel("Constraints"):
            await _constraints(session)
        with ui.tab_panel("Why"):
            why_panel(session)
        with ui.tab_panel("Roles"):
            await _roles(session)


# -- constraints


async def _constraints(session: Session) -> None:
    found: list[Json] = await session.items("/auth/constraints")
    groups = sorted({name for row in found for name in permissions_of(row)})
    kinds = sorted({str(row.get("objectType")) for row in found})
    with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
        holder = ui.select(
            {ALL: "everyone"} | {name: name for name in groups}, value=ALL, label="For"
        )
        kind = ui.select(
            {ALL: "all objects"} | {name: name for name in kinds}, value=ALL, label="On"
        )
        for each in (holder, kind):
            each.props("outlined dense").style("min-width: 11rem")
        ui.space()
        if session.can_change:
            new = partial(constraint_form, session, lambda: listed.refresh())
            pieces.button("New constraint", new, icon="add")

    @ui.refreshable
    async def listed() -> None:
        rows = await session.items("/auth/constraints")
        shown = [row for row in rows if _is_wanted(row, str(holder.value), str(kind.value))]
        if not shown:
            pieces.empty("No such constraint.")
            return
        with ui.element("div").classes("sk-stack").style("gap: 0.6rem"):
            for row in sorted(shown, key=lambda row: str(row.get("constraintId")).lower()):
                _constraint(session, row, listed.refresh)

    holder.on_value_change(lambda _: listed.refresh())
    kind.on_value_change(lambda _: listed.refresh())
    await listed()


def _is_wanted(row: Json, holder: str, kind: str) -> bool:
    return kind in (ALL, row.get("objectType")) and (holder == ALL or holder in permissions_of(row))


def _constraint(session: Session, row: Json, refresh: Refresh) -> None:
    with ui.element("article").classes("sk-card sk-stack").style("gap: 0.3rem"):
        with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
            with ui.element("div").classes("sk-row").style("gap: 0.4rem; min-width: 0"):
                ui.label(str(row.get("name") or row["constraintId"])).classes("va-name")
                pieces.chip(str(row.get("objectType")), "note")
            if session.can_change:
                _constraint_menu(session, row, refresh)
        pieces.quiet(str(row.get("description") or ""))
        with ui.element("div").classes("sk-row").style("gap: 0.3rem 0.5rem"):
            for holder, verbs in permissions_of(row).items():
                ui.label(holder).classes("sk-small va-name")
                for verb, is_allowed in verbs:
                    tone: pieces.Tone = "good" if is_allowed else "bad"
                    pieces.chip(verb if is_allowed else f"never {verb}", tone)
        pieces.prose(f"where {criteria_text(row)}")


def _constraint_menu(session: Session, row: Json, refresh: Refresh) -> None:
    name = str(row["constraintId"])
    button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
    button.props["aria-label"] = f"Actions on {name}"

    async def delete() -> None:
        await session.delete(f"/auth/constraints/{name}")
        refresh()

    with button, ui.menu():
        ui.menu_item("Change", partial(constraint_form, session, refresh, row))
        text = "What it allowed is not allowed any more, from the next request on."
        ui.menu_item("Delete", partial(confirm, f"Delete {name}?", text, "Delete", delete))


# -- roles


async def _roles(session: Session) -> None:
    @ui.refreshable
    async def listed() -> None:
        holders = await session.items_or_none("/user-roles")
        with ui.element("div").classes("sk-grid"):
            for row in await session.items("/roles"):
                users = [each["userId"] for each in holders if row["roleName"] in each["roleName"]]
                _role(session, row, users, listed.refresh)

    if session.can_change:
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            pieces.button("New role", partial(_role_form, session, listed.refresh), icon="add")
    await listed()


def _role(session: Session, row: Json, users: list[Any], refresh: Refresh) -> None:
    name = str(row["roleName"])
    with ui.element("article").classes("sk-card sk-stack"):
        with ui.element("div").classes("sk-row sk-spread").style("flex-wrap: nowrap"):
            pieces.heading(name)
            if session.can_change:
                _role_menu(session, row, refresh)
        ui.label(str(row.get("description") or ""))
        if row.get("mfaRequired"):
            pieces.chip("only with a one-time code", "warn")
        pieces.quiet(", ".join(str(user) for user in sorted(users)) or "Nobody has it.")


def _role_menu(session: Session, row: Json, refresh: Refresh) -> None:
    name = str(row["roleName"])
    button = ui.button(icon="more_vert").props("flat round dense").classes("sk-second")
    button.props["aria-label"] = f"Actions on {name}"

    async def delete() -> None:
        await session.delete(f"/roles/{name}")
        refresh()

    with button, ui.menu():
        ui.menu_item("Change", partial(_role_form, session, refresh, row))
        text = "It is taken from everybody who has it."
        ui.menu_item("Delete", partial(confirm, f"Delete {name}?", text, "Delete", delete))


def _role_form(session: Session, refresh: Refresh, known: Json | None = None) -> None:
    row = known or {}
    with form("Change the role" if known else "New role", width="30rem") as dialog:
        name = field(
            ui.input("Name", value=str(row.get("roleName") or ""), placeholder="engineers")
        )
        if known:
            name.disable()
        about = field(ui.input("Description", value=str(row.get("description") or "")))
        mfa = ui.switch("Only with a one-time code", value=bool(row.get("mfaRequired")))

        async def save() -> None:
            body = {
                "roleName": (name.value or "").strip(),
                "description": (about.value or "").strip(),
                "mfaRequired": bool(mfa.value),
            }
            await (session.put if known else session.post)("/roles", body)
            refresh()

        dialog.buttons("Save", save)
