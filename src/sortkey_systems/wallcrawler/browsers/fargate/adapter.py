"""`FargateBrowsers`: the port's adapter that runs each browser in a task of its own.

What a browser has left is copied here when it ends, so that downloads, logs and recordings are
served from the same place as those of local browsers. While it runs, they are in its task only.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from sortkey import Subscription, Topics
from sortkey.errors import NotConfigured
from sortkey_systems.wallcrawler.browsers.fargate.agent import SECRET
from sortkey_systems.wallcrawler.browsers.fargate.agent_client import (
    fetch_files,
    open_agent_connection,
    start_browser,
)
from sortkey_systems.wallcrawler.browsers.fargate.task_processor import TOPIC
from sortkey_systems.wallcrawler.browsers.fargate.tasks import FargateSettings, Task, Tasks
from sortkey_systems.wallcrawler.browsers.local.control_link import ControlLink
from sortkey_systems.wallcrawler.browsers.local.folders import Folders, remove
from sortkey_systems.wallcrawler.browsers.local.frame_connection import LocalConnection
from sortkey_systems.wallcrawler.browsers.local.links import Links, ask_status
from sortkey_systems.wallcrawler.browsers.local.session_folder import ARCHIVE, Remains
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
from sortkey_systems.wallcrawler.browsers.protocol import CONTROL, Method

log = logging.getLogger("sortkey.wallcrawler")

LOOK_SECONDS = 1.0
"""How often a task that starts is looked at, unless an event comes first."""
END_SECONDS = 30.0
EXIT_SECONDS = 5.0


class FargateBrowsers:
    """Browsers in tasks, with what they leave below `root`."""

    are_on_this_machine = False

    def __init__(
        self, root: Path, settings: FargateSettings, topics: Callable[[], Topics], secret: bytes
    ) -> None:
        self._settings, self._topics, self._secret = settings, topics, secret
        self._folders, self._tasks = Folders(root), Tasks(settings)
        self._addresses: dict[str, tuple[str, int]] = {}
        self._arns: dict[str, str] = {}
        self._links = Links(self._open_link, loss="its task has stopped")

    # -- the port

    async def open(self) -> None:
        """Find the tasks of an earlier process."""
        await asyncio.to_thread(self._folders.create)
        for task in await asyncio.to_thread(self._tasks.running):
            await self._know(task)

    async def close(self) -> None:
        """Leave the sessions to the next server."""
        await self._links.close()

    async def start(self, spec: BrowserSpec) -> StartedBrowser:
        """Run a task, wait until it runs, and have its agent start the browser."""
        session_id = spec.session_id
        subscription = await asyncio.to_thread(
            self._topics().subscribe, TOPIC, match={"sessionId": session_id}
        )
        try:
            task = await self._run_task(session_id)
            self._arns[session_id] = task.arn
            await self._until_running(task, subscription)
            return await self._start_browser(spec, task.arn)
        except BaseException as error:
            await asyncio.shield(self._stop_task(session_id, "its browser did not start"))
            if isinstance(error, BrowserGone):
                raise BrowserDidNotStart(str(error)) from None
            raise
        finally:
            subscription.close()

    async def end(self, session_id: str, reason: str) -> EndedBrowser:
        """End a browser and its task; whoever asks a second time gets the same answer."""
        return await self._links.end(session_id, lambda: self._end(session_id, reason))

    async def connect(
        self, session_id: str, role: Role = Role.CLIENT, *, page_id: str | None = None
    ) -> CdpConnection:
        """Connect to the browser of a session, through its agent."""
        address = await self._address(session_id)
        secret = self._task_secret(session_id)
        return LocalConnection(await open_agent_connection(address, secret, role, page_id))

    async def status(self, session_id: str) -> BrowserStatus | None:
        """How the browser of a session is."""
        try:
            return await self._status(session_id)
        except (BrowserGone, TimeoutError):
            return None

    async def running(self) -> list[RunningBrowser]:
        """The sessions whose task has not been stopped here."""
        found: list[RunningBrowser] = []
        for task in await asyncio.to_thread(self._tasks.running):
            await self._know(task)
            is_alive = await self.status(task.started_by) is not None
            found.append(
                RunningBrowser(
                    session_id=task.started_by,
                    project_id="",
                    is_alive=is_alive,
                    last_seen_at=time.time(),
                )
            )
        return found

    def folder(self, session_id: str) -> Path:
        """Where the files of a session are, once it has ended."""
        return self._folders.of(session_id)

    async def discard(self, session_id: str) -> None:
        """Delete the files of an ended session."""
        await asyncio.to_thread(remove, self._folders.ended(session_id))

    def subscribe(self, callback: Callable[[BrowserEvent], None]) -> None:
        """Hear of clients that come and go, and of browsers that end."""
        self._links.subscribe(callback)

    # -- start

    async def _run_task(self, session_id: str) -> Task:
        environment = {SECRET: self._task_secret(session_id)}
        try:
            return await asyncio.to_thread(self._tasks.run, session_id, environment)
        except NotConfigured as error:
            raise BrowserDidNotStart(str(error)) from None

    async def _until_running(self, task: Task, subscription: Subscription) -> None:
        """Wait for the event of the task, and look for oneself: events can be late."""
        while not await self._know(task):
            await subscription.wait_for_async(timeout=LOOK_SECONDS)
            task = await self._described(task.arn)

    async def _described(self, arn: str) -> Task:
        """A task that is starting or runs. Raises BrowserDidNotStart if it has stopped."""
        described = await asyncio.to_thread(self._tasks.describe, [arn])
        if not described:
            raise BrowserDidNotStart("its task is gone")
        if described[0].is_stopped:
            raise BrowserDidNotStart(f"its task has stopped: {described[0].stopped_reason}")
        return described[0]

    async def _know(self, task: Task) -> bool:
        """Note where a running task is reached; False while it cannot be."""
        if task.status != "RUNNING":
            return False
        address = await asyncio.to_thread(self._tasks.reachable_address, task)
        if address is None:
            return False
        self._arns[task.started_by] = task.arn
        self._addresses[task.started_by] = (address, self._settings.agent_port)
        return True

    async def _start_browser(self, spec: BrowserSpec, arn: str) -> StartedBrowser:
        """The task runs a moment before its agent listens. The creator's deadline ends the wait."""
        address = await self._address(spec.session_id)
        secret = self._task_secret(spec.session_id)
        while True:
            try:
                started = await start_browser(address, secret, spec, arn)
            except BrowserGone:
                await asyncio.sleep(LOOK_SECONDS / 5)
                await self._described(arn)
                continue
            await self._links.of(spec.session_id)
            return started

    async def _stop_task(self, session_id: str, reason: str) -> None:
        arn = self._arns.pop(session_id, None)
        self._addresses.pop(session_id, None)
        if arn is not None:
            try:
                await asyncio.to_thread(self._tasks.stop, arn, reason)
            except Exception:  # of botocore, whatever it is; recovery stops tasks without a session
                log.exception("the task of %s could not be stopped", session_id)

    # -- links

    async def _open_link(self, session_id: str) -> ControlLink:
        address, secret = await self._address(session_id), self._task_secret(session_id)
        return ControlLink(await open_agent_connection(address, secret, CONTROL))

    async def _status(self, session_id: str) -> BrowserStatus:
        """A task of another server is asked only: that server hears its events and its end."""
        if session_id in self._arns:
            return await ask_status(session_id, await self._links.of(session_id))
        link = await self._open_link(session_id)
        try:
            return await ask_status(session_id, link)
        finally:
            await link.close()

    async def _address(self, session_id: str) -> tuple[str, int]:
        """Where the task of a session is reached; ECS is asked for one that another server has
        started. Raises BrowserGone.
        """
        address = self._addresses.get(session_id)
        if address is not None:
            return address
        task = await asyncio.to_thread(self._tasks.of_session, session_id)
        if task is None or task.status != "RUNNING":
            raise BrowserGone("the session has no task")
        host = await asyncio.to_thread(self._tasks.reachable_address, task)
        if host is None:
            raise BrowserGone("the task of the session cannot be reached")
        return host, self._settings.agent_port

    def _task_secret(self, session_id: str) -> str:
        """The same after a restart, and another for every session."""
        return hmac.new(self._secret, session_id.encode(), sha256).hexdigest()

    # -- end

    async def _end(self, session_id: str, reason: str) -> EndedBrowser:
        if session_id not in self._arns:
            task = await asyncio.to_thread(self._tasks.of_session, session_id)
            if task is None:
                return self._ended(session_id, self._folders.ended(session_id))
            self._arns[session_id] = task.arn
            await self._know(task)
        with suppress(BrowserGone, TimeoutError):
            link = await self._links.of(session_id)
            await link.request(Method.END, {"reason": reason}, timeout=END_SECONDS)
            await link.wait_closed(EXIT_SECONDS)
        folder = self._folders.ended(session_id)
        await self._fetch(session_id, folder)
        await self._stop_task(session_id, reason)
        if not (folder / "ended.json").exists():
            error = "its task was gone before it could be read"
            Remains(reason, time.time(), has_archive=False, archive_error=error).write(folder)
        return self._ended(session_id, folder)

    async def _fetch(self, session_id: str, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            address, secret = await self._address(session_id), self._task_secret(session_id)
            await fetch_files(address, secret, folder)
        except (BrowserGone, OSError) as error:
            log.warning("%s: what its browser has left could not be copied: %s", session_id, error)
            if isinstance(error, OSError):
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _ended(self, session_id: str, folder: Path) -> EndedBrowser:
        remains = Remains.read(folder)
        if remains is None:
            raise BrowserGone(f"session {session_id} has no task")
        archive = folder / ARCHIVE
        return EndedBrowser(
            session_id=session_id,
            reason=remains.reason,
            ended_at=remains.ended_at,
            profile_archive=archive if archive.exists() else None,
            archive_error=remains.archive_error,
            proxy_bytes=remains.proxy_bytes,
        )
