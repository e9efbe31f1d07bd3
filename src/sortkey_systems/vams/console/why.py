"""Why a user may do something or not: the decision of both tiers, with the constraints that made
it.
"""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.access.decisions import Decision
from sortkey_systems.vams.access.objects import FIELDS, OBJECT_CLASSES, VERBS, Verb
from sortkey_systems.vams.console.constraint_texts import criteria_text
from sortkey_systems.vams.console.forms import field
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.failures import NotThere

EXAMPLES = {"route__path": "/database", "databaseId": "plant-rotterdam", "tags": "pump, valve"}


def why_panel(session: Session) -> None:
    """A question about one user, verb and object; the answer follows each change."""
    service = session.service
    caller = service.access.caller(service.installation.admin)
    users = {each.user_id for each in service.users.all()}
    users |= {str(row["userId"]) for row in service.roles.of_users(caller)}
    boxes: dict[str, ui.input] = {}
    with ui.element("div").classes("va-files"):
        with ui.element("section").classes("sk-card sk-stack").style("gap: 0.9rem"):
            start = session.identity.user_id
            user = field(ui.select(sorted(users | {start}), value=start, label="May this user"))
            verb = field(ui.select(list(VERBS), value="GET", label="do this"))
            kind = field(ui.select(list(OBJECT_CLASSES), value="asset", label="with this"))

            @ui.refreshable
            def values() -> None:
                boxes.clear()
                for name in FIELDS[str(kind.value)]:
                    box = field(ui.input(name, placeholder=EXAMPLES.get(name, "")))
                    box.on_value_change(lambda: answer.refresh())
                    boxes[name] = box

            values()

        @ui.refreshable
        def answer() -> None:
            given = {name: (box.value or "").strip() for name, box in boxes.items()}
            _draw(session, str(user.value), str(verb.value), str(kind.value), given)

        with ui.element("section").classes("va-side").props('aria-live="polite"'):
            answer()

    def ask_again() -> None:
        values.refresh()
        answer.refresh()

    user.on_value_change(lambda: answer.refresh())
    verb.on_value_change(lambda: answer.refresh())
    kind.on_value_change(ask_again)


def decision_of(
    session: Session, user_id: str, verb: str, kind: str, values: dict[str, str]
) -> Decision:
    """The decision about an object with these values; a list is written with commas."""
    fields: dict[str, Any] = {
        name: tuple(part.strip() for part in text.split(",") if part.strip())
        if name == "tags"
        else text
        for name, text in values.items()
    }
    access = session.service.access
    asked: Verb = next(known for known in VERBS if known == verb)
    return access.explain(access.caller(user_id), asked, OBJECT_CLASSES[kind](**fields))


def _draw(session: Session, user_id: str, verb: str, kind: str, values: dict[str, str]) -> None:
    decision = decision_of(session, user_id, verb, kind, values)
    roles = session.service.access.caller(user_id).roles
    tone = "va-yes" if decision.is_allowed else "va-no"
    with ui.element("div").classes(f"va-why {tone}"):
        ui.label("Yes" if decision.is_allowed else "No").classes("sk-figure")
        named = (
            f"the role{'s' if len(roles) > 1 else ''} {', '.join(roles)}" if roles else "no role"
        )
        ui.label(f"{user_id} has {named}.")
        if not decision.allowed_by and not decision.denied_by:
            ui.label("No constraint allows it, and what is not allowed is denied.")
    _draw_constraints(session, "Denied by", decision.denied_by)
    _draw_constraints(session, "Allowed by", decision.allowed_by)
    if kind not in ("api", "web"):
        pieces.quiet("A request also needs its path allowed: ask about the object api, too.")


def _draw_constraints(session: Session, heading: str, names: tuple[str, ...]) -> None:
    if not names:
        return
    with ui.element("div").classes("sk-card sk-stack"):
        pieces.heading(heading, 3)
        for name in names:
            ui.label(name).classes("va-name")
            try:
                row = session.service.constraints.get(name)
            except NotThere:
                continue
            pieces.prose(f"{row.get('description') or ''}: where {criteria_text(row)}")
