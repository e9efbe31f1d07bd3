"""What happens without being asked: recovery after a start, timeouts, creates that nobody finishes,
figures.

Timeouts come from the index of statuses and windows, so any server finds the sessions of a server
that is gone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from sortkey import attr
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserGone,
    Browsers,
    BrowserStatus,
    RunningBrowser,
)
from sortkey_systems.wallcrawler.lifecycle import Lifecycle
from sortkey_systems.wallcrawler.model import Session, expired_sessions
from sortkey_systems.wallcrawler.records import STARTING, End, Records, now_of
from sortkey_systems.wallcrawler.settings import Settings

log = logging.getLogger("sortkey.wallcrawler")

LOOK_SECONDS = 1.0
COMPARE_EVERY = 10
"""So many looks at the timeouts, then one at everything that runs."""
RECOUNT_EVERY = 60
"""So many looks, then the counts of running sessions are compared with the sessions."""
START_MARGIN = timedelta(seconds=30)
STATUS_SECONDS = 5.0
"""For one browser to say how it is. Adapters give up earlier by themselves."""


class Upkeep:
    """Runs beside the routes, in their event loop."""

    def __init__(
        self,
        browsers: Browsers,
        records: Records,
        lifecycle: Lifecycle,
        settings: Settings,
        clock: Callable[[], float],
        machine: str | None,
    ) -> None:
        self._browsers, self._records, self._lifecycle = browsers, records, lifecycle
        self._settings, self._clock, self._machine = settings, clock, machine
        self._task: asyncio.Task[None] | None = None
        self._ends: asyncio.Task[None] | None = None
        self._silent: set[str] = set()
        """The sessions whose browser was gone at the last look."""

    async def start(self) -> None:
        """Recover what an earlier server has left, then look again and again."""
        await self._recover()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        for task in (self._task, self._ends):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _run(self) -> None:
        looks = 0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            looks += 1
            try:
                await self.end_expired()
                if looks % COMPARE_EVERY == 0:
                    await self.compare()
                if looks % RECOUNT_EVERY == 0:
                    await asyncio.to_thread(self._records.recount)
            except Exception:
                log.exception("the upkeep of sessions failed; trying again")

    # -- timeouts

    async def end_expired(self) -> None:
        """End the sessions whose window has closed."""
        due = await asyncio.to_thread(
            self._records.store.query, expired_sessions(now_of(self._clock))
        )
        await self._lifecycle.end_all(self._ours(due), "TIMED_OUT", "its window has closed")

    def _ours(self, sessions: list[Session]) -> list[Session]:
        """Those that this server can reach. A session without a machine is a task, which every
        server reaches.
        """
        return [
            session
            for session in sessions
            if session.machine is None or session.machine == self._machine
        ]

    # -- after a restart

    async def _recover(self) -> None:
        running = {each.session_id: each for each in await self._browsers.running()}
        sessions = {
            each.session_id: each
            for each in self._ours(await asyncio.to_thread(self._records.running))
        }
        lost = [
            (session, running.get(session_id))
            for session_id, session in sessions.items()
            if not await self._is_found(session, running.get(session_id))
        ]
        strays = running.keys() - sessions.keys()
        self._ends = asyncio.get_running_loop().create_task(self._end_lost(lost, strays))

    async def _end_lost(
        self, lost: list[tuple[Session, RunningBrowser | None]], strays: Iterable[str]
    ) -> None:
        """End what cannot go on. The server answers meanwhile."""
        for session, browser in lost:
            end, reason = self._honest_end(session, browser)
            await self._lifecycle.end_all([session], end, reason)
        for session_id in strays:
            log.warning("%s: a browser without a session is ended", session_id)
            await self._end_stray(session_id)

    async def _is_found(self, session: Session, browser: RunningBrowser | None) -> bool:
        """Whether a session goes on, or is another server's to look after."""
        is_passing = session.internal_status in (*STARTING, "TERMINATING")
        if is_passing and session.machine is None:
            return True  # another server may be at work on it; if not, it is found by its age
        is_alive = browser is not None and browser.is_alive
        if is_alive and not is_passing:
            status = await self._browsers.status(session.session_id)
            if status is not None:
                had = status.has_had_clients
                self._lifecycle.adopt(session, clients=status.clients, has_had_clients=had)
                log.info("%s: found again", session.session_id)
                return True
        return False

    def _honest_end(self, session: Session, browser: RunningBrowser | None) -> tuple[End, str]:
        if session.expires_at <= now_of(self._clock):
            return "TIMED_OUT", "its window has closed"
        if session.internal_status == "TERMINATING":
            return "STOPPED", session.end_reason or "released"
        if session.internal_status in STARTING:
            return "FAILED", "the server was restarted before the browser was ready"
        last = browser.last_seen_at if browser else None
        when = f" at {datetime.fromtimestamp(last, UTC):%H:%M:%S}" if last else ""
        return (
            "FAILED",
            f"the browser was gone when the server came back; last seen{when}"
            if when
            else ("the browser was gone when the server came back"),
        )

    async def _end_stray(self, session_id: str) -> None:
        with suppress(BrowserGone):
            await self._browsers.end(session_id, "it belongs to no session")
        if await asyncio.to_thread(self._records.find, session_id) is None:
            await self._browsers.discard(session_id)

    # -- what was left behind

    async def compare(self) -> None:
        """End creates that nobody finishes and sessions whose browser is gone; note what the others
        use.
        """
        sessions = self._ours(await asyncio.to_thread(self._records.running))
        oldest = (
            now_of(self._clock) - timedelta(seconds=self._settings.ready_seconds) - START_MARGIN
        )
        silent: list[Session] = []
        for session in sessions:
            try:
                if await self._is_silent(session, oldest):
                    silent.append(session)
            except Exception:  # the others are looked at all the same
                log.exception("the upkeep of %s failed; trying again", session.session_id)
        await self._end_gone(silent)

    async def _is_silent(self, session: Session, oldest: datetime) -> bool:
        """Look after one session. Whether its browser should answer and does not."""
        since = session.updated_at or oldest
        if session.internal_status in (*STARTING, "TERMINATING") and since < oldest:
            await self._lifecycle.end(session.session_id, *self._honest_end(session, None))
        elif session.internal_status in ("READY", "ACTIVE"):
            status = await self._status(session.session_id)
            if status is None:
                return session.machine == self._machine
            await self._note_figures(session, status)
        return False

    async def _status(self, session_id: str) -> BrowserStatus | None:
        try:
            async with asyncio.timeout(STATUS_SECONDS):
                return await self._browsers.status(session_id)
        except TimeoutError:
            return None

    async def _end_gone(self, silent: list[Session]) -> None:
        """End the sessions whose browser was gone twice in a row: once may be a pause of the
        network, or an end that is under way. One that is only slow is left alone.
        """
        running = await self._browsers.running() if silent else []
        alive = {each.session_id for each in running if each.is_alive}
        gone = [session for session in silent if session.session_id not in alive]
        lost = [session for session in gone if session.session_id in self._silent]
        self._silent = {session.session_id for session in gone}
        await self._lifecycle.end_all(lost, "FAILED", "the browser is gone")

    async def _note_figures(self, session: Session, status: BrowserStatus) -> None:
        seconds = max(1.0, self._clock() - (session.started_at or now_of(self._clock)).timestamp())
        await asyncio.to_thread(
            self._records.note,
            session.session_id,
            attr(Session.memory_usage).set(round(status.memory_bytes / (1 << 20))),
            attr(Session.proxy_bytes).set(status.proxy_bytes),
            attr(Session.avg_cpu_usage).set(round(100 * status.cpu_seconds / seconds, 1)),
        )
