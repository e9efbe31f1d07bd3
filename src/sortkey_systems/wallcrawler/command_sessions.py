"""`sortkey wallcrawler sessions`: what runs and what ran."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from sortkey import Store
from sortkey.commands import Data, Json, examples, print_json, print_table
from sortkey_systems.wallcrawler.command_tables import (
    ProjectOption,
    is_list,
    opened,
    plain,
    print_rows,
)
from sortkey_systems.wallcrawler.model import Project, Session, SessionStatus

app = typer.Typer(
    invoke_without_command=True,
    epilog=examples(
        "sortkey wallcrawler sessions --status RUNNING",
        "sortkey wallcrawler sessions show sess_4f2a",
    ),
)

SessionId = Annotated[str, typer.Argument(metavar="ID", help="The id of the session.")]


@app.callback()
def sessions(
    context: typer.Context,
    status: Annotated[
        SessionStatus | None, typer.Option(help="Only sessions in this status.")
    ] = None,
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 50,
    data: Data = "data",
    json: Json = False,
) -> None:
    """List the sessions, newest first."""
    if is_list(context):
        _list(data, status, project, limit, is_json=json)


@app.command(
    epilog=examples(
        "sortkey wallcrawler sessions show sess_4f2a",
        "sortkey wallcrawler sessions show sess_4f2a --json",
    )
)
def show(session_id: SessionId, data: Data = "data", json: Json = False) -> None:
    """Print one session with its history. Its signing key is not printed."""
    with opened(data) as store:
        session = store.get(Session.key(session_id=session_id))
    if json:
        print_json(plain(session))
        return
    print_table(["", ""], [[name, str(value)] for name, value in _facts(session).items()])
    if session.event_history:
        rows = [
            [event.time, event.source, event.detail.get("internalStatus", "")]
            for event in session.event_history
        ]
        print_table(["time", "source", "status"], rows, title="history")


def sessions_of(
    store: Store, project_id: str | None, status: SessionStatus | None, limit: int
) -> list[Session]:
    """The newest sessions of a project, or of all, perhaps in one status only."""
    ids = [project_id] if project_id else [each.project_id for each in store.scan(Project)]
    found: list[Session] = []
    for each in ids:
        query = Session.of_project(project_id=each).descending()
        chosen = query.where(Session.status == status) if status else query
        found += store.page(chosen, size=limit).items
    return sorted(found, key=_created, reverse=True)[:limit]


def _created(session: Session) -> datetime:
    return session.created_at or datetime.min.replace(tzinfo=UTC)


def _list(
    data: str, status: SessionStatus | None, project: str | None, limit: int, *, is_json: bool
) -> None:
    with opened(data) as store:
        found = sessions_of(store, project, status, limit)
    rows = [
        {
            "session": each.session_id,
            "status": each.status,
            "step": each.internal_status,
            "project": each.project_id,
            "created, UTC": each.created_at,
            "minutes": _minutes(each),
            "context": each.context_id,
        }
        for each in found
    ]
    nothing = (
        "there are no such sessions: a client creates them, or `sortkey wallcrawler run URL` opens "
        "one page"
    )
    print_rows(rows, is_json=is_json, values=[plain(each) for each in found], nothing=nothing)


def _minutes(session: Session) -> str:
    """How long its browser ran, or has run until now."""
    if session.started_at is None:
        return ""
    return (
        f"{((session.ended_at or datetime.now(UTC)) - session.started_at).total_seconds() / 60:.1f}"
    )


def _facts(session: Session) -> dict[str, Any]:
    known = {
        "session": session.session_id,
        "project": session.project_id,
        "status": f"{session.status} ({session.internal_status})",
        "created": session.created_at,
        "started": session.started_at,
        "ended": session.ended_at,
        "expires": session.expires_at,
        "keep alive": "yes" if session.keep_alive else None,
        "context": session.context_id,
        "proxy bytes": session.proxy_bytes or None,
        "metadata": session.user_metadata or None,
    }
    return {name: value for name, value in known.items() if value is not None}
