"""As whom the console acts, and the box that chooses whose sight to take.

Whoever may open the console administers the installation: the console acts as the configured
administrator (`SORTKEY_VAMS_ADMIN`). "See as" shows what another user would see; then nothing can
be changed, and what is audited names both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from nicegui import ui

from sortkey_systems.vams.access.callers import SYSTEM_USER
from sortkey_systems.vams.console.file_links import FileLinks
from sortkey_systems.vams.console.interface import Identity, Interface, Refusal
from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.service import Vams

COOKIE = "sortkey_vams_as"


@dataclass(frozen=True, slots=True)
class Console:
    """What all pages share: the service, its interface, the links to files, and the path of the
    console.
    """

    service: Vams
    interface: Interface
    links: FileLinks
    base: str

    def session(self) -> Session:
        """The session of the page that is being drawn, as the user that its cookie names."""
        admin = self.service.installation.admin
        cookies = ui.context.client.request.cookies
        chosen = unquote(cookies.get(COOKIE, "")) or admin
        return Session(self, Identity(chosen, "" if chosen == admin else admin))


@dataclass(frozen=True, slots=True)
class Session:
    """The interface as one user."""

    console: Console
    identity: Identity

    @property
    def service(self) -> Vams:
        return self.console.service

    @property
    def can_change(self) -> bool:
        """Whether this is the console's own user. What they may change is up to the interface."""
        return not self.identity.seen_by

    async def get(self, path: str, **query: Any) -> Json:
        return await self.console.interface.call(self.identity, "GET", path, query=query)

    async def post(self, path: str, body: Any = None) -> Json:
        return await self.console.interface.call(self.identity, "POST", path, body)

    async def put(self, path: str, body: Any = None) -> Json:
        return await self.console.interface.call(self.identity, "PUT", path, body)

    async def delete(self, path: str, body: Any = None) -> Json:
        return await self.console.interface.call(self.identity, "DELETE", path, body)

    async def items(self, path: str, name: str = "Items", **query: Any) -> list[Json]:
        """All items of a list."""
        found = self.console.interface.items(self.identity, path, query, name)
        return [item async for item in found]

    async def items_or_none(self, path: str, name: str = "Items", **query: Any) -> list[Json]:
        """The same; nothing where this user may not ask."""
        try:
            return await self.items(path, name, **query)
        except Refusal:
            return []

    def file_address(
        self, database_id: str, asset_id: str, path: str, query: Mapping[str, str] | None = None
    ) -> str:
        """Where the browser gets a file of an asset, in the name of this user."""
        asset = f"/database/{database_id}/assets/{asset_id}"
        return self.console.links.address(self.identity, asset, path, query)


def asset_path(database_id: str, asset_id: str) -> str:
    """The page of an asset."""
    parts = (quote(database_id, safe=""), quote(asset_id, safe=""))
    return "/vams/databases/{}/assets/{}".format(*parts)


def see_as(session: Session) -> None:
    """The box that chooses the user, and a note while it is a colleague."""
    service = session.service
    admin = service.installation.admin
    users = sorted({user.user_id for user in service.users.all()} | _role_holders(session))
    options = {admin: f"{admin} (you)"}
    options |= {user: user for user in users if user not in (admin, SYSTEM_USER)}
    chosen = session.identity.user_id
    options.setdefault(chosen, chosen)
    box = ui.select(
        options, value=chosen, label="See as", on_change=lambda event: _choose(event.value, admin)
    )
    box.props("outlined dense options-dense").classes("va-as")


def looking_note(session: Session) -> None:
    """Says that somebody looks as a colleague."""
    if session.can_change:
        return
    user_id = session.identity.user_id
    roles = session.service.access.caller(user_id).roles
    text = f"You see what {user_id} sees"
    text += (
        f", with the role{'s' if len(roles) > 1 else ''} {', '.join(roles)}."
        if roles
        else ": they have no role."
    )
    with ui.element("div").classes("va-looking").props('role="status"'):
        ui.icon("visibility").props('aria-hidden="true"')
        ui.label(f"{text} Nothing can be changed meanwhile.")
        admin = session.service.installation.admin
        ui.button("Be yourself again", on_click=lambda: _choose(admin, admin)).props(
            "flat dense no-caps"
        )


def _role_holders(session: Session) -> set[str]:
    service = session.service
    caller = service.access.caller(service.installation.admin)
    return {row["userId"] for row in service.roles.of_users(caller)}


def _choose(user_id: Any, admin: str) -> None:
    """Store the choice in the browser, then draw the page again."""
    value = "" if user_id == admin else quote(str(user_id))
    age = 0 if not value else 28_800
    cookie = f"{COOKIE}={value}; path=/; max-age={age}; samesite=strict"
    ui.run_javascript(f"document.cookie = {json.dumps(cookie)}; location.reload()")
