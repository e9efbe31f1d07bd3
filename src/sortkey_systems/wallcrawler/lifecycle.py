"""The lives of sessions on this server: who is connected, when a session ends, and ending it.

It runs in one event loop, that of the routes; calls of the store go to threads. The table says what
is true: what is kept here are timers, which recovery sets again after a restart.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sortkey_systems.wallcrawler.browsers.port import (
    BrowserEvent,
    BrowserGone,
    Browsers,
    BrowserStopped,
    ClientsChanged,
    CloseRequested,
    EndedBrowser,
)
from sortkey_systems.wallcrawler.contexts.profiles import Contexts
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.records import End, Records, now_of
from sortkey_systems.wallcrawler.settings import Settings

log = logging.getLogger("sortkey.wallcrawler")

ENDS_AT_ONCE_MAX = 8
"""Browsers that are ended at the same time when many windows close together."""
RETRY_SECONDS = 5.0
"""After an end that failed before the table knew of it."""


@dataclass(slots=True)
class _Live:
    """A session whose browser runs."""

    keep_alive: bool
    clients: int = 0
    timer: asyncio.TimerHandle | None = None
    """Ends it unless a client comes."""
    is_left: bool = False
    """It had clients, and none is connected."""
    shown: str | None = "READY"
    """READY or ACTIVE, as the table has it; None while its browser starts."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])


class Lifecycle:
    """Watches the browsers of this server and ends sessions. All of it runs in the loop that called
    `begin`.
    """

    def __init__(
        self,
        browsers: Browsers,
        records: Records,
        contexts: Contexts,
        settings: Settings,
        clock: Callable[[], float],
    ) -> None:
        self._browsers, self._records, self._contexts = browsers, records, contexts
        self._settings, self._clock = settings, clock
        self._live: dict[str, _Live] = {}
        self._ending: dict[str, asyncio.Task[Session | None]] = {}
        self._limit = asyncio.Semaphore(ENDS_AT_ONCE_MAX)
        self._tasks: set[asyncio.Task[None]] = set()
        browsers.subscribe(self._heard)

    # -- watching

    def adopt(self, session: Session, *, clients: int = 0, has_had_clients: bool = False) -> None:
        """Look after a session that is ready from now on."""
        live = _Live(session.keep_alive, clients, shown=session.internal_status)
        self._live[session.session_id] = live
        if not clients:
            seconds = self._settings.return_seconds if has_had_clients else None
            self._set_timer(session.session_id, live, was_used=has_had_clients, seconds=seconds)
        self._show_activity(session.session_id, live)

    def expect(self, session: Session) -> None:
        """Count the clients of a session that is about to be ready: they may be faster than the
        answer to its creator. `begin` follows, or an end.
        """
        self._live[session.session_id] = _Live(session.keep_alive, shown=None)

    def begin(self, session: Session) -> None:
        """An expected session is ready: its clients are shown, and without any it ends in time."""
        live = self._live.get(session.session_id)
        if live is None:
            return  # it is ending already
        live.shown = session.internal_status
        if not live.clients and live.timer is None:
            self._set_timer(session.session_id, live, was_used=False)
        self._show_activity(session.session_id, live)

    def is_leaving(self, session_id: str) -> bool:
        """Whether a session ends soon unless a client comes: its last one has left, or it is being
        ended.
        """
        live = self._live.get(session_id)
        return session_id in self._ending or (
            live is not None and live.is_left and not live.keep_alive
        )

    def _heard(self, event: BrowserEvent) -> None:
        live = self._live.get(event.session_id)
        if isinstance(event, ClientsChanged):
            if live is not None:
                self._clients_changed(event, live)
        elif isinstance(event, CloseRequested):
            self._spawn(
                self._end_quietly(event.session_id, "STOPPED", "a client has closed the browser")
            )
        elif isinstance(event, BrowserStopped):  # pyright: ignore[reportUnnecessaryIsInstance]
            self._spawn(self._end_stopped(event))

    async def _end_stopped(self, event: BrowserStopped) -> None:
        """End a session whose browser is gone, unless another server is ending the two."""
        session_id = event.session_id
        session = await asyncio.to_thread(self._records.find, session_id)
        is_ending = session is not None and session.internal_status == "TERMINATING"
        if is_ending and session is not None and session.machine is None:
            return  # if that server has left too, upkeep finds the session by its age
        await self._end_quietly(session_id, "FAILED", f"the browser has stopped: {event.reason}")

    def _clients_changed(self, event: ClientsChanged, live: _Live) -> None:
        live.clients, live.is_left = event.clients, not event.clients
        if live.timer is not None:
            live.timer.cancel()
            live.timer = None
        if not event.clients:
            self._set_timer(event.session_id, live, was_used=True)
        self._show_activity(event.session_id, live)

    def _set_timer(
        self, session_id: str, live: _Live, *, was_used: bool, seconds: float | None = None
    ) -> None:
        if live.keep_alive:
            return
        if seconds is None:
            used, unused = self._settings.leave_seconds, self._settings.unused_seconds
            seconds = used if was_used else unused
        reason = "the last client has left" if was_used else "nobody has connected"

        def end() -> None:
            self._spawn(self._end_quietly(session_id, "STOPPED", reason))

        live.timer = asyncio.get_running_loop().call_later(seconds, end)

    def _show_activity(self, session_id: str, live: _Live) -> None:
        """Have the table say whether a client is connected, one writer at a time."""
        if not live.tasks and live.shown is not None:
            task = asyncio.get_running_loop().create_task(self._write_activity(session_id, live))
            live.tasks.add(task)
            task.add_done_callback(live.tasks.discard)

    async def _write_activity(self, session_id: str, live: _Live) -> None:
        while (wanted := "ACTIVE" if live.clients else "READY") != live.shown:
            what = "Client Connected" if live.clients else "Clients Left"
            live.shown = wanted
            if await asyncio.to_thread(self._records.move, session_id, wanted, what) is None:
                return  # it has ended

    # -- ending

    async def end(self, session_id: str, end: End, reason: str) -> Session | None:
        """End a session and its browser; gives the session as it is then. Whoever asks too gets the
        same end.
        """
        task = self._ending.get(session_id)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._end(session_id, end, reason))
            self._ending[session_id] = task
            task.add_done_callback(lambda _: self._ending.pop(session_id, None))
        return await asyncio.shield(task)

    async def end_all(self, sessions: list[Session], end: End, reason: str) -> None:
        await asyncio.gather(
            *(self._end_quietly(session.session_id, end, reason) for session in sessions)
        )

    async def _end_quietly(self, session_id: str, end: End, reason: str) -> None:
        """For ends that nobody waits for. What fails is tried again: here while the session is
        looked after, and by upkeep once the table says that it is ending.
        """
        try:
            async with self._limit:
                await self.end(session_id, end, reason)
        except Exception:
            log.exception("%s could not be ended; trying again", session_id)
            self._end_later(session_id, end, reason)

    def _end_later(self, session_id: str, end: End, reason: str) -> None:
        live = self._live.get(session_id)
        if live is None:
            return
        if live.timer is not None:
            live.timer.cancel()
        live.timer = asyncio.get_running_loop().call_later(
            RETRY_SECONDS, lambda: self._spawn(self._end_quietly(session_id, end, reason))
        )

    async def _end(self, session_id: str, end: End, reason: str) -> Session | None:
        session = await asyncio.to_thread(self._begin_end, session_id, reason)
        live = self._live.pop(session_id, None)  # not before: an end that fails is tried again
        if live is not None and live.timer is not None:
            live.timer.cancel()
        if session is None or session.status != "RUNNING":
            return session
        try:
            ended = await self._browsers.end(session_id, reason)
        except BrowserGone:
            ended = None
        return await asyncio.to_thread(self._finish, session, end, reason, ended)

    def _begin_end(self, session_id: str, reason: str) -> Session | None:
        moved = self._records.move(session_id, "TERMINATING", "Session Ending", end_reason=reason)
        return moved or self._records.find(
            session_id
        )  # it is ending or has ended already, or is gone

    def _finish(
        self, session: Session, end: End, reason: str, ended: EndedBrowser | None
    ) -> Session:
        reason = self._store_profile(session, reason, ended)
        at = now_of(self._clock) if ended is None else datetime.fromtimestamp(ended.ended_at, UTC)
        proxy_bytes = None if ended is None else ended.proxy_bytes
        return self._records.finish(session, end, reason, ended_at=at, proxy_bytes=proxy_bytes)

    def _store_profile(self, session: Session, reason: str, ended: EndedBrowser | None) -> str:
        """Store the profile if that was asked for. What goes wrong is said in the reason; the
        session ends anyway.
        """
        if ended is None or not session.context_persist:
            return reason
        if ended.profile_archive is None:
            return f"{reason}; the profile was not stored: {ended.archive_error or 'there is none'}"
        try:
            self._contexts.store_profile(session, ended.profile_archive)
            ended.profile_archive.unlink(missing_ok=True)
        except Exception as error:
            log.exception("the profile of %s could not be stored", session.session_id)
            return f"{reason}; the profile was not stored: {error}"
        return reason

    # -- the end of this server

    async def stop(self) -> None:
        """Let go of the sessions, which run on; ends that are under way are waited for."""
        for live in self._live.values():
            if live.timer is not None:
                live.timer.cancel()
        self._live.clear()
        if self._ending:
            await asyncio.wait(self._ending.values(), timeout=10)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
