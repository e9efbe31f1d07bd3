"""No browsers at all: every start is refused with the reason. The rest of the service works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.port import (
    BrowserDidNotStart,
    BrowserEvent,
    BrowserGone,
    BrowserSpec,
    BrowserStatus,
    CdpConnection,
    EndedBrowser,
    Role,
    RunningBrowser,
    StartedBrowser,
)


class AbsentBrowsers:
    """What a server has that starts no browsers."""

    are_on_this_machine = True

    def __init__(self, folder: Path, reason: str) -> None:
        self._folder, self._reason = folder, reason

    async def open(self) -> None:
        """Nothing to find."""

    async def close(self) -> None:
        """Nothing to let go of."""

    async def start(self, spec: BrowserSpec) -> StartedBrowser:
        raise BrowserDidNotStart(self._reason)

    async def end(self, session_id: str, reason: str) -> EndedBrowser:
        raise BrowserGone(self._reason)

    async def connect(
        self, session_id: str, role: Role = Role.CLIENT, *, page_id: str | None = None
    ) -> CdpConnection:
        raise BrowserGone(self._reason)

    async def status(self, session_id: str) -> BrowserStatus | None:
        return None

    async def running(self) -> list[RunningBrowser]:
        return []

    def folder(self, session_id: str) -> Path:
        return self._folder / "sessions" / session_id

    async def discard(self, session_id: str) -> None:
        """Nothing is left."""

    def subscribe(self, callback: Callable[[BrowserEvent], None]) -> None:
        """Nothing happens."""
