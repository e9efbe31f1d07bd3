"""The port between the control plane and its browsers: what can be asked of whatever runs Chromium.

`local` runs it on this machine; `fargate` runs a task for each session. The control plane decides
when a session ends; an adapter starts, connects, watches and ends browsers, and leaves tables and
buckets alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol


class BrowserDidNotStart(Exception):
    """No browser came up. The message is the reason; nothing of the attempt is left behind."""


class BrowserGone(Exception):
    """The session has no browser that could answer: it has ended, died, or never was here."""


class Role(StrEnum):
    """What a connection is for. Only clients keep a session without keepAlive from ending."""

    CLIENT = "client"
    """Any CDP, within the rules of the command filter."""
    VIEWER = "viewer"
    """A live view that only looks: targets and screencast."""
    INTERACTIVE_VIEWER = "interactive-viewer"
    """A live view that may also click, type and navigate."""
    OBSERVER = "observer"
    """As a client, for parts of the server: it is not counted, and its commands are not logged."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """The size of a page in CSS pixels."""

    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSpec:
    """One browser to start. An adapter that writes it to disk keeps others from reading it."""

    session_id: str
    project_id: str
    expires_at: float
    """Seconds since 1970. An adapter ends a browser that is much older even if nobody asks."""
    keep_alive: bool = False
    """A client's `Browser.close` then only disconnects that client."""
    viewport: Viewport | None = None
    profile_archive: Path | None = None
    """A profile to begin with, as an earlier `EndedBrowser.profile_archive`."""
    persist: bool = False
    """Archive the profile at the end."""
    extension: Path | None = None
    """The folder of an unpacked extension; it is copied."""
    proxies: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    """Rules of how requests leave, as `proxies.rules` reads them. They may hold credentials.
    Loopback addresses are reached directly.
    """
    allowed_domains: tuple[str, ...] = ()
    """Where main frames may navigate, subdomains included; empty for everywhere."""
    user_agent: str | None = None
    ignore_certificate_errors: bool = False
    record: bool = True
    log: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedBrowser:
    """A browser that answers CDP and has one page."""

    session_id: str
    product: str
    """Such as `Chrome/156.0.8078.79`."""
    user_agent: str
    protocol_version: str
    started_at: float
    is_warm: bool = False
    public_ip: str | None = None
    task_arn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedBrowser:
    """What is left of a browser: no process, no profile folder, and an archive if `persist` was
    asked for.
    """

    session_id: str
    reason: str
    ended_at: float
    profile_archive: Path | None = None
    """The caller stores it elsewhere; `discard` deletes this copy."""
    proxy_bytes: int = 0
    """What went through its proxies, both ways."""
    archive_error: str | None = None
    """Why the archive is missing although one was asked for, such as a full disk."""


@dataclass(frozen=True, slots=True)
class Page:
    """An open page; `id` is its CDP target id."""

    id: str
    url: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserStatus:
    """How a browser is now."""

    session_id: str
    product: str
    user_agent: str
    protocol_version: str
    clients: int
    has_had_clients: bool
    last_client_left_at: float | None
    """Seconds since 1970; None while a client is connected, or if there never was one."""
    pages: tuple[Page, ...]
    memory_bytes: int
    cpu_seconds: float
    proxy_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningBrowser:
    """A browser of this or an earlier process of the server. `end` it if it should not run, or is
    not alive.
    """

    session_id: str
    project_id: str
    is_alive: bool
    last_seen_at: float
    """Seconds since 1970: now if it is alive, else the latest moment at which it is known to have
    been.
    """


@dataclass(frozen=True, slots=True)
class ClientsChanged:
    """A client has connected or left; `clients` are connected now."""

    session_id: str
    clients: int


@dataclass(frozen=True, slots=True)
class CloseRequested:
    """A client has sent `Browser.close`, and the session is not keepAlive. The browser
    still runs.
    """

    session_id: str


@dataclass(frozen=True, slots=True)
class BrowserStopped:
    """A browser has ended by itself: Chromium died, or nobody looked after it. `end` says what is
    left of it.
    """

    session_id: str
    reason: str


BrowserEvent = ClientsChanged | CloseRequested | BrowserStopped


class CdpConnection(Protocol):
    """One connection to a browser, as a WebSocket to it would be. Each message is one JSON text."""

    async def send(self, message: str | bytes) -> None:
        """Hand a message on. It waits while the browser is behind; raises BrowserGone after the
        end.
        """
        ...

    async def receive(self) -> str:
        """The next message. Raises BrowserGone when the browser, or the connection, has ended."""
        ...

    def close(self) -> None:
        """Leave. The browser cleans up what this connection had attached to."""
        ...


class Browsers(Protocol):
    """Starts, finds, connects and ends browsers. All of it may be called from one event loop at
    once.
    """

    @property
    def are_on_this_machine(self) -> bool:
        """Whether only a server on this machine reaches them."""
        ...

    async def open(self) -> None:
        """Begin: find the browsers of an earlier process, and keep browsers warm if so
        configured.
        """
        ...

    async def close(self) -> None:
        """Stop watching. Sessions run on for a while, so that a server that comes back
        finds them.
        """
        ...

    async def start(self, spec: BrowserSpec) -> StartedBrowser:
        """Start a browser and wait for its first page. Raises BrowserDidNotStart; cancelling it
        leaves nothing.
        """
        ...

    async def end(self, session_id: str, reason: str) -> EndedBrowser:
        """End a browser gracefully, then by force. Ending twice is fine. Raises BrowserGone for an
        unknown one.
        """
        ...

    async def connect(
        self, session_id: str, role: Role = Role.CLIENT, *, page_id: str | None = None
    ) -> CdpConnection:
        """Connect to a running browser, or to one page of it only. Raises BrowserGone."""
        ...

    async def status(self, session_id: str) -> BrowserStatus | None:
        """How a browser is, or None if it does not run."""
        ...

    async def running(self) -> list[RunningBrowser]:
        """All browsers that have not been ended, also those whose process has died meanwhile."""
        ...

    def folder(self, session_id: str) -> Path:
        """Where `downloads`, `uploads`, `recording` and `cdp.log` of a session are, also after its
        end.
        """
        ...

    async def discard(self, session_id: str) -> None:
        """Delete what an ended session has left: archive, downloads, uploads, recording, log."""
        ...

    def subscribe(self, callback: Callable[[BrowserEvent], None]) -> None:
        """Call `callback` with every event, in the event loop of `open`."""
        ...
