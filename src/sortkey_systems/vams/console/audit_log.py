"""The audit log of a day: denials, changes and transfers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, get_args

from nicegui import run, ui

from sortkey import AuditRecord
from sortkey.web.console import pieces
from sortkey_systems.vams.access.audit import Kind
from sortkey_systems.vams.console.area import Area
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console

ALL = ""
ROWS_MAX = 300
NAMES = {
    "AUTHORIZATION": "denials",
    "AUTHCHANGES": "changes of permissions",
    "AUTHOTHER": "logins",
    "FILEUPLOAD": "uploads",
    "FILEDOWNLOAD": "downloads",
    "FILEDOWNLOADSTREAMED": "streams",
    "ACTIONS": "actions",
    "ERRORS": "errors",
}
_SHOWN_APART = {"type", "roles", "mfaEnabled", "seenBy"}


@explained
async def audit_page(console: Console) -> None:
    session = console.session()
    begin(session, "Audit", "Who did what, and what was denied. Nothing here can be changed.")
    if not session.can_change:
        pieces.empty("Only who administers the installation sees the audit log.")
        return
    today = datetime.fromtimestamp(session.service.clock(), UTC)
    with ui.element("div").classes("sk-row"):
        day = ui.input("Day", value=f"{today:%Y-%m-%d}").props("outlined dense type=date")
        kinds = {ALL: "everything"} | NAMES
        kind = ui.select(kinds, value=ALL, label="Kind").props("outlined dense")
        kind.style("min-width: 14rem")
        text = ui.input("User or object").props("outlined dense clearable debounce=250")
        text.style("flex: 1 1 12rem")

    async def load() -> list[AuditRecord]:
        wanted: Kind | None = next((each for each in get_args(Kind) if each == kind.value), None)
        log = session.service.audit
        found = await run.io_bound(log.of_day, str(day.value or ""), wanted, ROWS_MAX)
        needle = str(text.value or "").lower()
        return [each for each in found or () if needle in _words(each)]

    area = Area(load, _draw)
    for each in (day, kind, text):
        each.on_value_change(lambda _: area.update())
    await area.update()


def _draw(shown: list[AuditRecord]) -> None:
    if not shown:
        pieces.empty("Nothing was recorded.")
        return
    with ui.element("section").classes("sk-card"):
        pieces.table(("time, UTC", "who", "what", "object", ""), [_row(each) for each in shown])
        if len(shown) == ROWS_MAX:
            pieces.quiet(f"The newest {ROWS_MAX} records of the day.")


def _words(record: AuditRecord) -> str:
    return f"{record.actor} {record.subject} {record.action}".lower()


def _row(record: AuditRecord) -> tuple[Any, ...]:
    detail: dict[str, Any] = record.detail
    seen_by = f" (seen by {detail['seenBy']})" if detail.get("seenBy") else ""
    is_denied = record.outcome == "denied"
    action = record.action.removeprefix("vams.")
    return (
        f"{record.at:%H:%M:%S}",
        f"{record.actor}{seen_by}",
        pieces.chipped(action, "bad") if is_denied else action,
        record.subject.removeprefix("vams/"),
        _details(detail),
    )


def _details(detail: dict[str, Any]) -> Any:
    rest = {name: value for name, value in detail.items() if name not in _SHOWN_APART}
    if not rest:
        return ""
    if set(rest) <= {"verb", "object", "reason"}:
        return f"{rest.get('verb', '')} {rest.get('object', '')}: {rest.get('reason', '')}"
    return pieces.folded("details", json.dumps(rest, indent=2, default=str, ensure_ascii=False))
