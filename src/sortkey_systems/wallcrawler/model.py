"""Wallcrawler's four tables: sessions with their lifecycle, projects, API keys (hashed) and browser
contexts.

They are the source of truth for authentication and session state. What happens between the statuses
is the service's.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field, computed_field

from sortkey import (
    GSI,
    Action,
    Created,
    Entity,
    EpochSeconds,
    Follows,
    Instant,
    Model,
    Named,
    Part,
    Query,
    States,
    Table,
    Template,
    Updated,
    attr,
    camel,
    index,
    key,
)

model = Model("wallcrawler", doc="Browsers for many tenants.")

DEFAULT_TIMEOUT_SECONDS = 3600
EVENT_HISTORY_MAX = 200
"""Events that a session keeps; an item has 400 KB at most. Older ones belong in an append-only log.
"""

PROFILE_KEY = Template("{projectId}/{contextId}/profile.tar.gz")
"""Where the archived Chrome profile of a context lies in the bucket `wallcrawler-contexts-*`."""

ProjectId = Annotated[str, Field(pattern=r"^[^/]+$", examples=["project_default"])]
"""A folder of the bucket: a slash in it would lead into another tenant's."""
SessionId = Annotated[str, Field(pattern=r"^sess_[A-Za-z0-9_-]+$", examples=["sess_4f2a"])]
ContextId = Annotated[str, Field(pattern=r"^ctx_[A-Za-z0-9_-]+$", examples=["ctx_77aa"])]


def api_key_hash(raw_key: str) -> str:
    """What is stored of an API key: its SHA-256. The raw key never is."""
    return sha256(raw_key.encode()).hexdigest()


ApiKeyHash = Annotated[
    str, Field(pattern=r"^[0-9a-f]{64}$", examples=[api_key_hash("wc_sample_laptop")])
]


# -- wallcrawler-sessions

sessions = model.add(
    Table(
        "wallcrawler-sessions",
        key=("sessionId",),
        indexes=[
            GSI("projectId-createdAt-index", "projectId", "createdAt"),
            GSI("status-expiresAt-index", "status", "expiresAt", projection="KEYS_ONLY"),
        ],
        types={"expiresAt": "N"},
        ttl="expiresAt",
        stream="NEW_AND_OLD_IMAGES",
        doc="Session lifecycle state, connection metadata, audit history. Its stream feeds sessions-stream-processor.",
    )
)

SessionStatus = Literal["RUNNING", "COMPLETED", "ERROR", "TIMED_OUT"]
InternalStatus = Literal[
    "CREATING",
    "PROVISIONING",
    "STARTING",
    "READY",
    "ACTIVE",
    "TERMINATING",
    "STOPPED",
    "FAILED",
    "TIMED_OUT",
]

SHOWN_AS: dict[InternalStatus, SessionStatus] = {
    "CREATING": "RUNNING",
    "PROVISIONING": "RUNNING",
    "STARTING": "RUNNING",
    "READY": "RUNNING",
    "ACTIVE": "RUNNING",
    "TERMINATING": "RUNNING",
    "STOPPED": "COMPLETED",
    "FAILED": "ERROR",
    "TIMED_OUT": "TIMED_OUT",
}
"""The SDK-visible status of each step of the lifecycle."""

_ENDS = ("STOPPED", "FAILED", "TIMED_OUT")
LIFECYCLE = States(
    {
        "CREATING": ("PROVISIONING", "STARTING", "READY", "TERMINATING", *_ENDS),
        "PROVISIONING": ("STARTING", "READY", "TERMINATING", *_ENDS),
        "STARTING": ("PROVISIONING", "READY", "TERMINATING", *_ENDS),  # back for an automatic retry
        "READY": ("ACTIVE", "TERMINATING", *_ENDS),
        "ACTIVE": (
            "READY",
            "TERMINATING",
            *_ENDS,
        ),  # back when the client has left and the browser lives on
        "TERMINATING": _ENDS,
    },
    start=("CREATING",),
)
"""sessions-create seeds CREATING, ecs-task-processor makes it READY, REQUEST_RELEASE stops it. An
end is an end.
"""


class Event(Part):
    """One EventBridge event envelope, kept as it came."""

    id: str
    source: str
    detail_type: Annotated[str, Named("detail-type")]
    time: str
    detail: dict[str, Any] = {}


class Session(Entity, table=sessions, names=camel):
    """One browser of one project, from its creation to its end."""

    session_id: SessionId
    internal_status: Annotated[InternalStatus, LIFECYCLE] = "CREATING"
    """Detailed lifecycle status."""
    status: Annotated[SessionStatus, Follows("internal_status", SHOWN_AS)] = "RUNNING"
    """SDK-visible status."""
    project_id: ProjectId
    """Owning project."""
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    expires_at: EpochSeconds
    """The end of the timeout window: for TTL and the status index."""
    keep_alive: bool = False
    """Survives the client's disconnection and the project's default timeout, up to the configured
    maximum.
    """
    region: str | None = None
    """Target AWS region, informational."""
    public_ip: Annotated[str | None, Named("publicIP")] = None
    """Public IP of the Fargate task."""
    ecs_task_arn: str | None = None
    """Task ARN for cleanup and diagnostics."""
    connect_url: Annotated[str | None, Field(repr=False)] = None
    """Signed WebSocket URL for Direct Mode."""
    signing_key: Annotated[str, Field(repr=False)]
    """JWT returned to the client. Restricted: it never stands in lists, logs or notifications."""
    selenium_remote_url: str | None = None
    """Remote WebDriver endpoint."""
    context_id: ContextId | None = None
    """Associated browser context."""
    context_persist: bool = False
    """Persist the context back to S3 on shutdown."""
    proxy_bytes: Annotated[int, Field(ge=0)] = 0
    """Data transfer usage counter."""
    avg_cpu_usage: float | None = None
    memory_usage: float | None = None
    event_history: list[Event] = []
    """For auditing: the last events, at most EVENT_HISTORY_MAX."""
    last_event_timestamp: Instant | None = None
    """Last event recorded by the controller or processor."""
    retry_count: Annotated[int, Field(ge=0)] = 0
    """Automatic retry attempts."""
    user_metadata: dict[str, Any] = {}
    """Arbitrary JSON supplied by clients."""
    machine: str | None = None
    """Which machine runs the browser, where it is not a task: only a server there can reach it."""
    extension_id: str | None = None
    """The extension that is loaded into the browser."""
    end_reason: str | None = None
    """Why it ended, for people."""

    @computed_field
    @property
    def context_storage_key(self) -> str | None:
        """S3 key of the context's archive."""
        return PROFILE_KEY.render({"projectId": self.project_id, "contextId": self.context_id})

    @key("{sessionId}")
    def key(*, session_id: str):
        """A session by its canonical identifier."""

    @index("projectId-createdAt-index", "{projectId}", "{createdAt}")
    def of_project(*, project_id: str):
        """The sessions of a project, by creation."""

    @index("status-expiresAt-index", "{status}", "{expiresAt}")
    def by_status(*, status: SessionStatus):
        """The sessions in a status, by the end of their timeout window."""


def recorded(event: Event) -> tuple[Action, ...]:
    """What an update does to keep an event. It appends in place: controller and processor record at
    the same time.
    """
    at = datetime.fromisoformat(event.time)
    return attr(Session.event_history).append(event), attr(Session.last_event_timestamp).set(at)


def trimmed(session: Session) -> tuple[Action, ...]:
    """What an update does to drop the oldest events above EVENT_HISTORY_MAX; nothing while there
    are none.

    It counts from the front, so it holds only while the history has the length that was read.
    """
    above = len(session.event_history) - EVENT_HISTORY_MAX
    return tuple(attr(Session.event_history)[number].remove() for number in range(above))


# -- wallcrawler-projects

projects = model.add(
    Table(
        "wallcrawler-projects",
        key=("projectId",),
        doc="Project configuration (quotas, defaults).",
    )
)


class Project(Entity, table=projects, names=camel):
    """A tenant. The authorizer lets a request pass only if the selected project is ACTIVE."""

    project_id: ProjectId
    name: str
    """Human-friendly name."""
    owner_id: str | None = None
    """External owner identifier."""
    default_timeout: Annotated[int, Field(gt=0)] = DEFAULT_TIMEOUT_SECONDS
    """Default session timeout, in seconds."""
    concurrency: Annotated[int, Field(ge=0)]
    """Max concurrent sessions allowed."""
    running_sessions: Annotated[int, Field(ge=0)] = 0
    """How many run: raised with a session's creation only while it is below `concurrency`, in one
    transaction.
    """
    status: Literal["ACTIVE", "INACTIVE"] = "ACTIVE"
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None
    billing_tier: str | None = None
    """Future pricing tier hook."""
    used_seconds: Annotated[int, Field(ge=0)] | None = None
    """Of browsers whose sessions have ended: usage outlives the items of sessions."""
    used_proxy_bytes: Annotated[int, Field(ge=0)] | None = None

    @key("{projectId}")
    def key(*, project_id: str):
        """A project by its identifier: the authorizer validates that it is active."""


# -- wallcrawler-api-keys

api_keys = model.add(
    Table(
        "wallcrawler-api-keys",
        key=("apiKeyHash",),
        indexes=[GSI("projectId-index", "projectId")],
        doc="Wallcrawler API keys (hashed).",
    )
)


class ApiKey(Entity, table=api_keys, names=camel):
    """An API key. The authorizer alone reads it and hands the allowed projects on; other handlers
    never ask here.
    """

    api_key_hash: ApiKeyHash
    """SHA-256 of the customer's key."""
    key_id: str | None = None
    """Friendly identifier for metrics."""
    project_id: ProjectId
    """Primary project, for billing and metrics."""
    project_ids: list[ProjectId] = []
    """Additional accessible projects."""
    name: str | None = None
    """Label for internal use."""
    status: Literal["ACTIVE", "INACTIVE"] = "ACTIVE"
    created_at: Annotated[Instant | None, Created] = None
    last_used_at: Instant | None = None
    """Populated by the authorizer if enabled."""

    @property
    def allowed_projects(self) -> tuple[str, ...]:
        """The primary project, then the additional ones, each once."""
        return tuple(dict.fromkeys([self.project_id, *self.project_ids]))

    @key("{apiKeyHash}")
    def key(*, api_key_hash: str):
        """An API key by the SHA-256 hash of the raw key."""

    @index("projectId-index", "{projectId}")
    def of_project(*, project_id: str):
        """The API keys whose primary project this is."""


# -- wallcrawler-contexts

contexts = model.add(
    Table(
        "wallcrawler-contexts",
        key=("contextId",),
        doc="Browser context metadata and S3 storage keys. One item per persisted context.",
    )
)


class Context(Entity, table=contexts, names=camel):
    """A Chrome profile that outlives its sessions: downloaded before Chrome starts, uploaded when
    persist is asked.
    """

    context_id: ContextId
    project_id: ProjectId
    """Owning project."""
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None
    status: str = "CREATED"
    """CREATED, AVAILABLE once a profile is stored, and future lifecycle states."""
    name: str | None = None
    """As it was given; in a project no two contexts have the same, whatever the case."""
    writer_session_id: SessionId | None = None
    """The session that will write the profile at its end. There is one at a time."""

    @computed_field
    @property
    def storage_key(self) -> str | None:
        """S3 key of the archived Chrome profile."""
        return PROFILE_KEY.render({"projectId": self.project_id, "contextId": self.context_id})

    @key("{contextId}")
    def key(*, context_id: str):
        """A context by its identifier."""


# -- TTL and expiration


@model.pattern
def expired_sessions(now: datetime) -> Query[Session]:
    """Sessions that still run though their timeout window has ended, the longest overdue first."""
    return Session.by_status(status="RUNNING").at_most(now).hydrated()
