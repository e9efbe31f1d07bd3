"""`LocalBrowsers`: the port's adapter that runs Chromium on this machine, a holder process for each
session.

Everything that a session is lies in its folder and its holder. So this object can be dropped at any
time, also by `kill -9`, and the next one finds the sessions again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.abandoned import (
    clear_abandoned,
    end_holder,
    settle_abandoned,
)
from sortkey_systems.wallcrawler.browsers.local.chromium import ChromiumMissing, find_chromium
from sortkey_systems.wallcrawler.browsers.local.control_link import ControlLink
from sortkey_systems.wallcrawler.browsers.local.folders import Folders, remove
from sortkey_systems.wallcrawler.browsers.local.frame_connection import (
    LocalConnection,
    open_frame_connection,
)
from sortkey_systems.wallcrawler.browsers.local.isolation import (
    NotIsolated,
    choose_isolation,
    describe,
)
from sortkey_systems.wallcrawler.browsers.local.launch import HolderSettings, Launch, spec_to_json
from sortkey_systems.wallcrawler.browsers.local.links import Links, ask_status
from sortkey_systems.wallcrawler.browsers.local.nursery_client import NurseryClient
from sortkey_systems.wallcrawler.browsers.local.session_folder import (
    ARCHIVE,
    Remains,
    State,
    last_seen_at,
)
from sortkey_systems.wallcrawler.browsers.local.settings import LocalSettings
from sortkey_systems.wallcrawler.browsers.local.warm_pool import (
    WarmBrowser,
    WarmPool,
    can_use_warm,
)
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
from sortkey_systems.wallcrawler.browsers.protocol import Method

CONFIGURE_SECONDS = 5.0
END_SECONDS = 30.0
"""The gentle way takes 9 seconds at most, and then the archive is written."""
EXIT_SECONDS = 5.0
REFILL_SECONDS = 0.5
"""The next warm browser waits while the client of the last one connects and opens its page."""

log = logging.getLogger(__name__)


class LocalBrowsers:
    """Browsers on this machine, with their state below `root`."""

    are_on_this_machine = True

    def __init__(self, root: Path, settings: LocalSettings | None = None) -> None:
        self._settings = settings or LocalSettings()
        self._folders = Folders(root)
        self._nursery = NurseryClient()
        self._pool = WarmPool(
            self._settings.warm,
            self._launch_warm,
            self._discard_warm,
            idle_seconds=self._settings.warm_idle_seconds,
        )
        self._links = Links(self._open_link, loss="the process that held the browser has ended")
        self._holder_settings: HolderSettings | None = None
        self._problem = "the browsers have not been opened"

    # -- the port

    async def open(self) -> None:
        """Find the sessions of an earlier process. A machine without Chromium is fine."""
        self._folders.create()
        for session_id in self._folders.session_ids():
            with suppress(BrowserGone):
                await self._links.of(session_id)
        for folder in self._folders.warm():
            await self._clear_if_abandoned(folder)
        try:
            self._holder_settings = await asyncio.to_thread(self._find_means)
        except (ChromiumMissing, NotIsolated) as problem:
            self._problem = str(problem)
            log.warning("no browser can be started: %s", problem)

    async def close(self) -> None:
        """End the browsers that wait, and leave the sessions to the next server."""
        await self._pool.close()
        await self._links.close()
        await self._nursery.close()

    async def start(self, spec: BrowserSpec) -> StartedBrowser:
        """Start a browser, or take a warm one."""
        if self._holder_settings is None:
            raise BrowserDidNotStart(self._problem)
        version = await self._start_warm(spec) if can_use_warm(spec) else None
        is_warm = version is not None
        try:
            if version is None:
                version = await self._start_cold(spec, self._holder_settings)
        finally:
            self._pool.fill(after_seconds=REFILL_SECONDS)
        return StartedBrowser(
            session_id=spec.session_id,
            product=version["product"],
            user_agent=version["userAgent"],
            protocol_version=version["protocolVersion"],
            started_at=time.time(),
            is_warm=is_warm,
        )

    async def end(self, session_id: str, reason: str) -> EndedBrowser:
        """End a browser; whoever asks a second time gets the same answer."""
        return await self._links.end(session_id, lambda: self._end(session_id, reason))

    async def connect(
        self, session_id: str, role: Role = Role.CLIENT, *, page_id: str | None = None
    ) -> CdpConnection:
        """Connect to the browser of a session."""
        folder = self._folders.running(session_id)
        return LocalConnection(await open_frame_connection(folder, role, page_id))

    async def status(self, session_id: str) -> BrowserStatus | None:
        """How the browser of a session is."""
        try:
            return await ask_status(session_id, await self._links.of(session_id))
        except (BrowserGone, TimeoutError):
            return None

    async def running(self) -> list[RunningBrowser]:
        """The sessions that have not been ended here."""
        return [await self._found(session_id) for session_id in self._folders.session_ids()]

    def folder(self, session_id: str) -> Path:
        """Where the files of a session are."""
        return self._folders.of(session_id)

    async def discard(self, session_id: str) -> None:
        """Delete the files of an ended session."""
        await asyncio.to_thread(remove, self._folders.ended(session_id))

    def subscribe(self, callback: Callable[[BrowserEvent], None]) -> None:
        """Hear of clients that come and go, and of browsers that end."""
        self._links.subscribe(callback)

    @property
    def warm_browsers(self) -> int:
        """How many browsers wait for a session."""
        return self._pool.ready

    # -- start

    def _find_means(self) -> HolderSettings:
        settings = self._settings
        chromium = find_chromium(settings.chromium)
        isolation = choose_isolation(
            allow_no_sandbox=settings.allow_no_sandbox, use_bwrap=settings.use_bwrap
        )
        for warning in describe(isolation):
            log.warning("%s", warning)
        return HolderSettings(
            chromium=chromium,
            bwrap=isolation.bwrap,
            is_sandboxed=isolation.is_sandboxed,
            homes=settings.homes,
            memory_bytes_max=settings.memory_bytes_max,
            start_seconds=settings.start_seconds,
            orphan_seconds=settings.orphan_seconds,
        )

    async def _start_warm(self, spec: BrowserSpec) -> dict[str, Any] | None:
        """Give a warm browser to a session; None if there is none, or it was lost on the way."""
        browser = self._pool.take()
        if browser is None:
            return None
        try:
            folder = self._folders.claim(browser.folder, spec.session_id)
        except OSError:
            return None  # another server on the same folder was faster
        try:
            params = {"spec": spec_to_json(spec)}
            version = await browser.link.request(
                Method.CONFIGURE, params, timeout=CONFIGURE_SECONDS
            )
        except BaseException as error:
            await asyncio.shield(self._abandon(folder, browser.link))
            if isinstance(error, BrowserGone | TimeoutError):
                return None
            raise
        self._links.follow(spec.session_id, browser.link)
        return version

    async def _start_cold(self, spec: BrowserSpec, settings: HolderSettings) -> dict[str, Any]:
        folder = self._folders.new_session(spec.session_id)
        link = await self._launch(folder, Launch(settings, spec))
        self._links.follow(spec.session_id, link)
        return link.ready.result()

    async def _launch_warm(self) -> WarmBrowser:
        if self._holder_settings is None:
            raise BrowserDidNotStart(self._problem)
        folder = self._folders.new_warm()
        return WarmBrowser(folder, await self._launch(folder, Launch(self._holder_settings, None)))

    async def _discard_warm(self, browser: WarmBrowser) -> None:
        await self._abandon(browser.folder, browser.link)

    async def _launch(self, folder: Path, launch: Launch) -> ControlLink:
        """Start a holder and wait until its browser is ready. Otherwise nothing is left of it."""
        link: ControlLink | None = None
        try:
            launch.write(folder)
            await self._nursery.fork_holder(folder)
            link = await ControlLink.open(folder)
            async with asyncio.timeout(launch.settings.start_seconds + EXIT_SECONDS):
                await asyncio.shield(link.ready)
            return link
        except BaseException as error:
            await asyncio.shield(self._abandon(folder, link))
            if isinstance(error, BrowserGone | TimeoutError | OSError):
                raise BrowserDidNotStart(str(error) or "it was not ready in time") from None
            raise

    async def _abandon(self, folder: Path, link: ControlLink | None) -> None:
        """End a browser that nobody will use, and delete everything of it."""
        await self._nursery.settled()
        if link is None:
            with suppress(BrowserGone):
                link = await ControlLink.open(folder)
        if link is not None:
            with suppress(BrowserGone, TimeoutError):
                await link.request(Method.END, {"reason": "nobody needs it"}, timeout=END_SECONDS)
                await link.wait_closed(EXIT_SECONDS)
            await link.close()
        await asyncio.to_thread(clear_abandoned, folder)
        await asyncio.to_thread(remove, folder)

    # -- links

    async def _open_link(self, session_id: str) -> ControlLink:
        return await ControlLink.open(self._folders.running(session_id))

    async def _found(self, session_id: str) -> RunningBrowser:
        folder = self._folders.running(session_id)
        state = await asyncio.to_thread(State.read, folder)
        try:
            await self._links.of(session_id)
            is_alive = True
        except BrowserGone:
            is_alive = False
        return RunningBrowser(
            session_id=session_id,
            project_id=(state.project_id if state else None) or "",
            is_alive=is_alive,
            last_seen_at=time.time() if is_alive else last_seen_at(folder),
        )

    async def _clear_if_abandoned(self, folder: Path) -> None:
        """Delete a warm browser of an earlier process whose holder has died; one that lives ends by
        itself."""
        try:
            link = await ControlLink.open(folder)
        except BrowserGone:
            await asyncio.to_thread(clear_abandoned, folder)
            await asyncio.to_thread(remove, folder)
        else:
            await link.close()

    # -- end

    async def _end(self, session_id: str, reason: str) -> EndedBrowser:
        folder = self._folders.of(session_id)
        if not folder.exists():
            raise BrowserGone(f"session {session_id} has no browser here")
        if Remains.read(folder) is None:
            await self._end_holder(session_id, folder, reason)
        remains = await asyncio.to_thread(settle_abandoned, folder, reason)
        folder = await asyncio.to_thread(self._folders.move_to_ended, session_id)
        return EndedBrowser(
            session_id=session_id,
            reason=remains.reason,
            ended_at=remains.ended_at,
            profile_archive=folder / ARCHIVE if remains.has_archive else None,
            archive_error=remains.archive_error,
            proxy_bytes=remains.proxy_bytes,
        )

    async def _end_holder(self, session_id: str, folder: Path, reason: str) -> None:
        """Have the holder end its browser and exit; kill it if it does not."""
        state = await asyncio.to_thread(State.read, folder)
        try:
            link = await self._links.of(session_id)
            await link.request(Method.END, {"reason": reason}, timeout=END_SECONDS)
            await link.wait_closed(EXIT_SECONDS)
        except BrowserGone:
            pass
        except TimeoutError:
            log.warning("the holder of session %s does not answer and is killed", session_id)
        if state is not None:
            await asyncio.to_thread(end_holder, state.holder_pid)
