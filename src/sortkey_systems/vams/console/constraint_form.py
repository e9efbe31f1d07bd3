"""The editor of a constraint: its object, its criteria, and who is allowed or denied what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.access.objects import FIELDS, VERBS
from sortkey_systems.vams.console.constraint_texts import OPERATORS, parts_of
from sortkey_systems.vams.console.forms import field, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json

LISTS = ("is_one_of", "is_not_one_of")
EFFECTS = {"allow": "allow", "deny": "deny"}


async def constraint_form(
    session: Session, refresh: Callable[[], object], known: Json | None = None
) -> None:
    """Make or change a constraint."""
    row = known or {}
    roles = [str(each["roleName"]) for each in await session.items_or_none("/roles")]
    users = [str(each["userId"]) for each in await session.items_or_none("/user-roles")]
    with form("Change the constraint" if known else "New constraint", width="52rem") as dialog:
        name = field(
            ui.input("Name", value=str(row.get("name") or ""), placeholder="plant-readers")
        )
        about = field(ui.input("Description", value=str(row.get("description") or "")))
        kind = field(
            ui.select(list(FIELDS), value=row.get("objectType") or "asset", label="Object")
        )
        editors = {
            "criteriaAnd": _Criteria("All of these", row.get("criteriaAnd")),
            "criteriaOr": _Criteria("And one of these", row.get("criteriaOr")),
        }
        permissions = _Permissions(row, roles, users)

        @ui.refreshable
        def criteria() -> None:
            for each in editors.values():
                each.draw(FIELDS[str(kind.value)])

        with ui.element("div").classes("sk-stack sk-fields"):
            criteria()
            permissions.draw()
        kind.on_value_change(lambda: criteria.refresh())

        async def save() -> None:
            text = (name.value or "").strip()
            identifier = str(row.get("constraintId") or text)
            body: Json = {
                "identifier": identifier,
                "name": text,
                "description": (about.value or "").strip(),
                "objectType": kind.value,
                **{key: each.read() for key, each in editors.items()},
                **permissions.read(),
            }
            await session.post(f"/auth/constraints/{identifier}", body)
            refresh()

        dialog.buttons("Save", save)


class _Criteria:
    """Criteria of one kind, in rows."""

    def __init__(self, heading: str, stored: Any) -> None:
        self._heading = heading
        self._rows: list[Json] = [dict(each) for each in stored or ()]

    def draw(self, fields: tuple[str, ...]) -> None:
        @ui.refreshable
        def rows() -> None:
            for at, row in enumerate(self._rows):
                self._draw_row(at, row, fields, rows.refresh)

        def add() -> None:
            self._rows.append({"field": fields[0], "operator": "equals", "value": ""})
            rows.refresh()

        with ui.element("div").classes("sk-row sk-spread"):
            pieces.heading(self._heading, 3)
            pieces.button("Add a criterion", add, icon="add", is_main=False).props("dense flat")
        rows()

    def _draw_row(
        self, at: int, row: Json, fields: tuple[str, ...], refresh: Callable[[], object]
    ) -> None:
        if row["field"] not in fields:
            row["field"] = fields[0]
        text = ", ".join(map(str, parts_of(row["value"])))
        with ui.element("div").classes("va-rule"):
            name = ui.select(list(fields), value=row["field"], label="Field")
            operator = ui.select(OPERATORS, value=row["operator"], label="Operator")
            box = ui.input("Value", value=text)
            for each in (name, operator, box):
                each.props("outlined dense")

            def remove() -> None:
                self._rows.pop(at)
                refresh()

            button = ui.button(icon="close", on_click=remove).props("flat round dense")
            button.classes("sk-second").props["aria-label"] = "Remove the criterion"
        name.on_value_change(lambda event: row.update(field=event.value))
        operator.on_value_change(lambda event: row.update(operator=event.value))
        box.on_value_change(lambda event: row.update(value=event.value or ""))

    def read(self) -> list[Json]:
        """The criteria; the value of a list is split at its commas."""
        return [_read(row) for row in self._rows]


def _read(row: Json) -> Json:
    value = row["value"]
    if row["operator"] in LISTS and isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return {"field": row["field"], "operator": row["operator"], "value": value}


class _Permissions:
    """Who is allowed or denied which verbs: a row for each role or user and effect."""

    def __init__(self, stored: Json, roles: list[str], users: list[str]) -> None:
        self._holders = {f"groupId/{name}": f"role {name}" for name in sorted(roles)}
        self._holders |= {f"userId/{name}": f"user {name}" for name in sorted(users)}
        self._rows: list[Json] = []
        for name, permissions in (("groupId", "groupPermissions"), ("userId", "userPermissions")):
            for each in stored.get(permissions) or ():
                self._take(f"{name}/{each[name]}", each)

    def _take(self, holder: str, permission: Json) -> None:
        self._holders.setdefault(holder, holder.replace("Id/", " "))
        effect = permission["permissionType"]
        for row in self._rows:
            if (row["holder"], row["effect"]) == (holder, effect):
                row["verbs"].append(permission["permission"])
                return
        verbs = [permission["permission"]]
        self._rows.append({"holder": holder, "effect": effect, "verbs": verbs})

    def draw(self) -> None:
        @ui.refreshable
        def rows() -> None:
            for at, row in enumerate(self._rows):
                self._draw_row(at, row, rows.refresh)

        def add() -> None:
            first = next(iter(self._holders), "groupId/admin")
            self._rows.append({"holder": first, "effect": "allow", "verbs": ["GET"]})
            rows.refresh()

        with ui.element("div").classes("sk-row sk-spread"):
            pieces.heading("For whom", 3)
            pieces.button("Add a role or user", add, icon="add", is_main=False).props("dense flat")
        rows()

    def _draw_row(self, at: int, row: Json, refresh: Callable[[], object]) -> None:
        with ui.element("div").classes("va-rule"):
            holder = ui.select(self._holders, value=row["holder"], label="Role or user")
            effect = ui.select(EFFECTS, value=row["effect"], label="Effect")
            verbs = ui.select(list(VERBS), value=row["verbs"], multiple=True, label="Verbs")
            for each in (holder, effect, verbs):
                each.props("outlined dense")

            def remove() -> None:
                self._rows.pop(at)
                refresh()

            button = ui.button(icon="close", on_click=remove).props("flat round dense")
            button.classes("sk-second").props["aria-label"] = "Remove this role or user"
        holder.on_value_change(lambda event: row.update(holder=event.value))
        effect.on_value_change(lambda event: row.update(effect=event.value))
        verbs.on_value_change(lambda event: row.update(verbs=list(event.value or [])))

    def read(self) -> Json:
        """As the interface takes them."""
        found: Json = {"groupPermissions": [], "userPermissions": []}
        for row in self._rows:
            kind, _, name = str(row["holder"]).partition("/")
            target = "groupPermissions" if kind == "groupId" else "userPermissions"
            found[target] += [
                {kind: name, "permission": verb, "permissionType": row["effect"]}
                for verb in row["verbs"]
            ]
        return found
