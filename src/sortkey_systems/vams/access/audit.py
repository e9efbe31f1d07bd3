"""The audit log: denials, changes and transfers, by type, with the user, the roles and whether the
session had MFA. It is appended to Sortkey's audit table and never changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from sortkey import AuditRecord, Store, audit, audit_table
from sortkey.errors import SortkeyError
from sortkey_systems.vams.access.callers import Caller

log = logging.getLogger("sortkey.vams")

Kind = Literal[
    "AUTHORIZATION",
    "AUTHCHANGES",
    "AUTHOTHER",
    "FILEUPLOAD",
    "FILEDOWNLOAD",
    "FILEDOWNLOADSTREAMED",
    "ACTIONS",
    "ERRORS",
]
TEXT_CHARACTERS_MAX = 500


class AuditLog:
    """Writes records, and reads those of a day."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        store.ensure(audit_table)

    def record(
        self,
        kind: Kind,
        caller: Caller | None,
        action: str,
        subject: str,
        *,
        is_denied: bool = False,
        **details: Any,
    ) -> None:
        """Append a record. A log that cannot be written stops no request: the server's log has the
        reason.
        """
        user = caller.user_id if caller else "anonymous"
        detail: dict[str, Any] = {
            "type": kind,
            "roles": list(caller.roles) if caller else [],
            "mfaEnabled": bool(caller and caller.has_mfa),
            **({"seenBy": caller.seen_by} if caller and caller.seen_by else {}),
            **_shortened(details),
        }
        try:
            audit(
                self._store,
                user,
                f"vams.{action}",
                f"vams/{subject}"[:TEXT_CHARACTERS_MAX],
                detail,
                outcome="denied" if is_denied else "done",
                at=datetime.fromtimestamp(self._clock(), UTC),
            )
        except SortkeyError:
            log.exception("the audit log could not be written: %s %s", kind, action)

    def of_day(self, day: str, kind: Kind | None = None, limit: int = 500) -> list[AuditRecord]:
        """Records of a day, as 2026-11-01, the latest first."""
        found: list[AuditRecord] = []
        for record in self._store.iterate(AuditRecord.of_day(day=day).descending()):
            is_ours = record.action.startswith("vams.")
            if is_ours and kind in (None, record.detail.get("type")):
                found.append(record)
            if len(found) == limit:
                break
        return found


def _shortened(details: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value[:TEXT_CHARACTERS_MAX] if isinstance(value, str) else value
        for name, value in details.items()
    }
