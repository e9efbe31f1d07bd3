"""What clients are answered: the objects of the interface, without an envelope. Lists never carry a
secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from sortkey_systems.wallcrawler.addresses import Addresses
from sortkey_systems.wallcrawler.model import Context, Project, Session, SessionStatus
from sortkey_systems.wallcrawler.settings import REGIONS


class Answer(BaseModel):
    """Written in camel case. What is None is left out."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SessionAnswer(Answer):
    """A session as lists show it."""

    id: str
    created_at: str
    updated_at: str
    started_at: str
    expires_at: str
    ended_at: str | None = None
    project_id: str
    status: SessionStatus
    proxy_bytes: int
    keep_alive: bool
    region: str
    context_id: str | None = None
    user_metadata: dict[str, Any] | None = None
    avg_cpu_usage: int | None = None
    memory_usage: int | None = None

    @classmethod
    def of(cls, session: Session) -> Self:
        return cls(**_session_values(session))


class ConnectedSessionAnswer(SessionAnswer):
    """A session with what its client needs to connect: only while it runs."""

    connect_url: str | None = None
    selenium_remote_url: str | None = None
    signing_key: str | None = None

    @classmethod
    def at(cls, session: Session, addresses: Addresses) -> Self:
        """With URLs as the caller reaches them, also after the server has moved."""
        values = _session_values(session)
        if session.status == "RUNNING" and session.connect_url:
            values |= {
                "connect_url": addresses.connect(session.session_id, session.signing_key),
                "selenium_remote_url": addresses.selenium(),
                "signing_key": session.signing_key,
            }
        return cls(**values)


class PageAnswer(Answer):
    """An open page of the live view; `id` is its CDP target id."""

    id: str
    url: str
    title: str
    favicon_url: str
    debugger_url: str
    debugger_fullscreen_url: str


class LiveAnswer(Answer):
    """The URLs of the live view."""

    debugger_url: str
    debugger_fullscreen_url: str
    ws_url: str
    pages: Sequence[PageAnswer]


class ContextAnswer(Answer):
    id: str
    created_at: str
    updated_at: str
    project_id: str
    name: str | None = None

    @classmethod
    def of(cls, context: Context) -> Self:
        return cls(
            id=context.context_id,
            created_at=instant(context.created_at),
            updated_at=instant(context.updated_at),
            project_id=context.project_id,
            name=context.name,
        )


class ContextUploadAnswer(Answer):
    """Where to put an archived profile. It is not encrypted: the link is a secret for as long as it
    is good.
    """

    id: str
    upload_url: str
    public_key: str = ""
    cipher_algorithm: str = "NONE"
    initialization_vector_size: int = 0


class ExtensionAnswer(Answer):
    id: str
    created_at: str
    updated_at: str
    file_name: str
    project_id: str


class ProjectAnswer(Answer):
    id: str
    name: str
    owner_id: str
    default_timeout: int
    concurrency: int
    created_at: str
    updated_at: str

    @classmethod
    def of(cls, project: Project) -> Self:
        return cls(
            id=project.project_id,
            name=project.name,
            owner_id=project.owner_id or "",
            default_timeout=project.default_timeout,
            concurrency=project.concurrency,
            created_at=instant(project.created_at),
            updated_at=instant(project.updated_at),
        )


class UsageAnswer(Answer):
    """What a project has used: whole minutes of browsers, and bytes through their proxies."""

    browser_minutes: int
    proxy_bytes: int


class LogRequest(Answer):
    """A command that was sent."""

    timestamp: int | None = None
    params: dict[str, Any]
    raw_body: str


class LogResponse(Answer):
    """What came back, or the event that came."""

    timestamp: int | None = None
    result: dict[str, Any]
    raw_body: str


class LogAnswer(Answer):
    """One CDP command with its answer, or one event."""

    method: str
    page_id: int
    session_id: str
    timestamp: int | None = None
    frame_id: str | None = None
    loader_id: str | None = None
    request: LogRequest | None = None
    response: LogResponse | None = None


class MessageAnswer(Answer):
    message: str


class StartData(Answer):
    session_id: str | None = None
    available: Literal[False] = False


class StartAnswer(Answer):
    """Asked by Stagehand 3, which then drives the browser itself: remote agents are not offered."""

    success: Literal[True] = True
    data: StartData = Field(default_factory=StartData)


class ErrorAnswer(Answer):
    """Every answer of these routes that is not a success."""

    status_code: int
    error: str = Field(description="The phrase of the status")
    message: str = Field(description="A sentence for people, with what to do")
    code: str = Field(description="A name for programs")


def instant(value: datetime | None) -> str:
    """An instant with milliseconds, in UTC. One that is missing is the beginning of 1970: clients
    refuse null.
    """
    known = value or datetime.fromtimestamp(0, UTC)
    return known.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _session_values(session: Session) -> dict[str, Any]:
    return {
        "id": session.session_id,
        "created_at": instant(session.created_at),
        "updated_at": instant(session.updated_at),
        "started_at": instant(session.started_at or session.created_at),
        "expires_at": instant(session.expires_at),
        "ended_at": instant(session.ended_at) if session.ended_at else None,
        "project_id": session.project_id,
        "status": session.status,
        "proxy_bytes": session.proxy_bytes,
        "keep_alive": session.keep_alive,
        "region": session.region if session.region in REGIONS else REGIONS[1],
        "context_id": session.context_id,
        "user_metadata": session.user_metadata or None,
        "avg_cpu_usage": None if session.avg_cpu_usage is None else round(session.avg_cpu_usage),
        "memory_usage": None if session.memory_usage is None else round(session.memory_usage),
    }
