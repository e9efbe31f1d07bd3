"""The losses that `sortkey jobengine run` allows: options of the command line, stored with the
journey.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.commands import USAGE, CommandFailed

if TYPE_CHECKING:
    from sortkey_systems.jobengine.inputs import AllowedLossesDraft
    from sortkey_systems.jobengine.service import JobEngine


def losses_of(
    rows: list[str], values: str | None, references: str | None, *, is_unread: bool
) -> dict[str, Any]:
    """The limits given as options: `5`, `2%`, and `customers=3` for the rows of one table."""
    tables = {
        table: limit for row in rows if "=" in row for table, _, limit in [row.rpartition("=")]
    }
    general = [row for row in rows if "=" not in row]
    if len(general) > 1:
        raise CommandFailed(
            f"--allow-lost-rows is given as {' and '.join(general)}: name one for all tables", USAGE
        )
    limits = {
        "rows": general[0] if general else None,
        "tables": tables,
        "values": values,
        "references": references,
    }
    losses: dict[str, Any] = {name: limit for name, limit in limits.items() if limit}
    if is_unread:
        losses["unread"] = True
    _checked(losses)
    return losses


def allow_losses(engine: JobEngine, journey_id: str, losses: dict[str, Any]) -> None:
    """Allow a journey these losses. Earlier limits stay."""
    from sortkey_systems.jobengine.inputs import JourneyChange

    if not losses:
        return
    configured = engine.journeys.get(journey_id).configuration.allowed_losses
    before: dict[str, Any] = configured.model_dump() if configured else {}
    tables: dict[str, str] = {**before.get("tables", {}), **losses.get("tables", {})}
    allowed = _checked({**before, **losses, "tables": tables})
    engine.journeys.change(journey_id, JourneyChange(allowed_losses=allowed))


def _checked(losses: dict[str, Any]) -> AllowedLossesDraft:
    from pydantic import ValidationError

    from sortkey_systems.jobengine.inputs import AllowedLossesDraft

    try:
        return AllowedLossesDraft(**losses)
    except ValidationError as error:
        wrong = ", ".join(repr(fault["input"]) for fault in error.errors())
        raise CommandFailed(
            f"{wrong} is not a limit: give a number, or a share such as 2.5%", USAGE
        ) from None
