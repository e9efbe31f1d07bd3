"""Creating a session: authorised and checked, seeded in the table, its browser started, answered
when it is ready.

Whatever goes wrong on the way, also that the creator hangs up, nothing is left behind but an ended
session.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from sortkey import Topics
from sortkey.errors import NotFound
from sortkey.web import Refused
from sortkey_systems.wallcrawler.addresses import Addresses
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserDidNotStart,
    Browsers,
    BrowserSpec,
    StartedBrowser,
    Viewport,
)
from sortkey_systems.wallcrawler.contexts.profiles import Contexts
from sortkey_systems.wallcrawler.extensions import Extensions
from sortkey_systems.wallcrawler.lifecycle import Lifecycle
from sortkey_systems.wallcrawler.model import Context, Project, Session
from sortkey_systems.wallcrawler.proxies.rules import InvalidProxy, read_rules
from sortkey_systems.wallcrawler.ready_topic import TOPIC, wait_until_ready
from sortkey_systems.wallcrawler.records import End, Records
from sortkey_systems.wallcrawler.requests import CreateRequest
from sortkey_systems.wallcrawler.settings import Settings, normalized_timeout
from sortkey_systems.wallcrawler.tokens import SessionTokens

log = logging.getLogger("sortkey.wallcrawler")
T = TypeVar("T")

STARTS_MAX = 2
"""How often a browser is started before a create gives up."""
CONTEXT_LOOK_SECONDS = 0.1
LEAVING_SECONDS = 1.0
"""So long after a client has hung up its session may still look as if it were in use."""


class NotReady(Refused):
    """The browser was not ready in time."""

    status = 504

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the browser was not ready within {seconds:g} seconds: the session has ended"
        )
        self.headers = {"x-should-retry": "false"}


class NoBrowser(Refused):
    """The browser could not be started."""

    status = 503

    def __init__(self, reason: str) -> None:
        super().__init__(f"the browser did not start: {reason}")
        self.headers = {"x-should-retry": "false"}


class EndedMeanwhile(Refused):
    """The session was released before it was ready."""

    status = 409

    def __init__(self) -> None:
        super().__init__("the session was released before it was ready")
        self.headers = {"x-should-retry": "false"}


class Creation:
    """Creates sessions. Runs in the event loop of the lifecycle."""

    def __init__(
        self,
        *,
        browsers: Browsers,
        records: Records,
        contexts: Contexts,
        extensions: Extensions,
        lifecycle: Lifecycle,
        tokens: SessionTokens,
        addresses: Addresses,
        topics: Callable[[], Topics],
        settings: Settings,
        clock: Callable[[], float],
        machine: str | None,
    ) -> None:
        self._browsers, self._records, self._lifecycle = browsers, records, lifecycle
        self._contexts, self._extensions, self._tokens = contexts, extensions, tokens
        self._addresses, self._topics, self._settings = addresses, topics, settings
        self._clock, self._machine = clock, machine

    async def create(self, project_id: str, wanted: CreateRequest) -> Session:
        """A session that is ready. Cancelling it ends the session. Raises Refused and NotFound."""
        seconds = self._settings.ready_seconds
        deadline = asyncio.get_running_loop().time() + seconds
        seeding: asyncio.Task[Session] | None = None
        try:
            async with asyncio.timeout_at(deadline):
                await self._wait_for_context(project_id, wanted)
                seeding = asyncio.create_task(asyncio.to_thread(self._seed, project_id, wanted))
                session = await asyncio.shield(seeding)
                return await self._run(session, wanted)
        except TimeoutError:
            await self._give_up(seeding, "TIMED_OUT", f"not ready within {seconds:g} seconds")
            raise NotReady(seconds) from None
        except BrowserDidNotStart as error:
            await self._give_up(seeding, "FAILED", f"the browser did not start: {error}")
            raise NoBrowser(str(error)) from None
        except asyncio.CancelledError:
            await self._give_up(seeding, "STOPPED", "the creator has left")
            raise
        except Exception:
            await self._give_up(seeding, "FAILED", "it could not be created")
            raise

    async def _give_up(self, seeding: asyncio.Task[Session] | None, end: End, reason: str) -> None:
        """End the session, if there is one: a thread that writes its item cannot be stopped half
        way.
        """
        if seeding is None:
            return
        await asyncio.wait({seeding})
        if not seeding.cancelled() and seeding.exception() is None:
            await self._lifecycle.end(seeding.result().session_id, end, reason)

    # -- the item

    def _seed(self, project_id: str, wanted: CreateRequest) -> Session:
        project = self._records.store.get(Project.key(project_id=project_id))
        self._check(project_id, wanted)
        now = datetime.fromtimestamp(self._clock(), UTC)
        seconds = normalized_timeout(
            wanted.timeout, project.default_timeout, self._settings.timeout_seconds_max
        )
        session_id, ends = f"sess_{secrets.token_hex(12)}", now + timedelta(seconds=seconds)
        context = wanted.browser.context
        session = Session(
            session_id=session_id,
            project_id=project_id,
            created_at=now,
            updated_at=now,
            expires_at=ends,
            keep_alive=wanted.keep_alive,
            region=wanted.region or self._settings.region,
            signing_key=self._tokens.issue_connect(session_id, project_id, ends),
            context_id=context.id if context else None,
            context_persist=bool(context and context.persist),
            user_metadata=wanted.user_metadata or {},
            machine=self._machine,
            extension_id=wanted.extension,
        )
        return self._records.seed(session)

    def _check(self, project_id: str, wanted: CreateRequest) -> None:
        """Whether what it names is there, and belongs to the project."""
        if wanted.browser.context is not None:
            self._contexts.get((project_id,), wanted.browser.context.id)
        if wanted.extension is not None:
            self._extensions.get((project_id,), wanted.extension)
        try:
            read_rules(_proxies(wanted))
        except InvalidProxy as error:
            raise Refused(400, "InvalidProxy", str(error)) from None
        if wanted.browser.without_effect:
            log.info(
                "a session of %s asked for %s: no effect",
                project_id,
                ", ".join(wanted.browser.without_effect),
            )

    async def _wait_for_context(self, project_id: str, wanted: CreateRequest) -> None:
        """Wait while the session that writes the context is ending: its profile is what this one
        begins with.
        """
        context, loop = wanted.browser.context, asyncio.get_running_loop()
        patient_until = loop.time() + LEAVING_SECONDS
        while context is not None:
            found = await asyncio.to_thread(self._contexts.get, (project_id,), context.id)
            if not await self._is_being_written(found):
                is_refused = context.persist and found.writer_session_id is not None
                if not is_refused or loop.time() > patient_until:
                    return
            await asyncio.sleep(CONTEXT_LOOK_SECONDS)

    async def _is_being_written(self, context: Context) -> bool:
        writer = context.writer_session_id
        if writer is None:
            return False
        if self._lifecycle.is_leaving(writer):
            return True
        session = await asyncio.to_thread(self._records.find, writer)
        return session is not None and session.internal_status == "TERMINATING"

    # -- the browser

    async def _run(self, session: Session, wanted: CreateRequest) -> Session:
        subscription = await asyncio.to_thread(
            self._topics().subscribe, TOPIC, match={"sessionId": session.session_id}
        )
        folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="wallcrawler-")
        try:
            spec = await _uncancelled(asyncio.to_thread(self._spec, session, wanted, Path(folder)))
            self._lifecycle.expect(session)
            started = await self._start(spec)
            ready = await asyncio.to_thread(self._make_ready, session, started)
            if ready is None:
                is_late = session.expires_at.timestamp() <= self._clock()
                raise TimeoutError if is_late else EndedMeanwhile
            await wait_until_ready(self._records.store, subscription, session.session_id)
            self._lifecycle.begin(ready)
            return ready
        finally:
            subscription.close()
            await _uncancelled(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))

    async def _start(self, spec: BrowserSpec) -> StartedBrowser:
        for attempt in range(1, STARTS_MAX + 1):
            try:
                return await self._browsers.start(spec)
            except BrowserDidNotStart as error:
                if attempt == STARTS_MAX:
                    raise
                log.warning(
                    "%s: the browser did not start, trying again: %s", spec.session_id, error
                )
                await asyncio.to_thread(self._note_retry, spec.session_id, attempt)
        raise AssertionError("unreachable")

    def _note_retry(self, session_id: str, attempt: int) -> None:
        self._records.move(session_id, "STARTING", "Browser Start Failed", retry_count=attempt)

    def _make_ready(self, session: Session, started: StartedBrowser) -> Session | None:
        """READY and all that a client needs, in one write: whoever sees READY can connect."""
        return self._records.move(
            session.session_id,
            "READY",
            "Browser Ready",
            started_at=datetime.fromtimestamp(self._clock(), UTC),
            connect_url=self._addresses.connect(session.session_id, session.signing_key),
            selenium_remote_url=self._addresses.selenium(),
            **{
                name: value
                for name, value in {
                    "public_ip": started.public_ip,
                    "ecs_task_arn": started.task_arn,
                }.items()
                if value is not None
            },
        )

    def _spec(self, session: Session, wanted: CreateRequest, folder: Path) -> BrowserSpec:
        browser = wanted.browser
        archive = extension = None
        if session.context_id is not None:
            with suppress(NotFound):
                context = self._contexts.get((session.project_id,), session.context_id)
                archive = self._contexts.fetch(context, folder / "profile.tar.gz")
        if session.extension_id is not None:
            extension = self._extensions.unpack(session.project_id, session.extension_id, folder)
        viewport = browser.viewport
        return BrowserSpec(
            session_id=session.session_id,
            project_id=session.project_id,
            expires_at=session.expires_at.timestamp(),
            keep_alive=session.keep_alive,
            viewport=Viewport(viewport.width, viewport.height) if viewport else None,
            profile_archive=archive,
            persist=session.context_persist,
            extension=extension,
            proxies=_proxies(wanted),
            allowed_domains=tuple(browser.allowed_domains),
            ignore_certificate_errors=browser.ignore_certificate_errors,
            record=browser.record_session,
            log=browser.log_session,
        )


def _proxies(wanted: CreateRequest) -> tuple[dict[str, Any], ...]:
    rules = wanted.proxy_rules
    return tuple(rule.model_dump(by_alias=True, exclude_none=True) for rule in rules)


async def _uncancelled(work: Coroutine[Any, Any, T]) -> T:
    """Await something to its end, and be cancelled only then: what a thread does cannot be taken
    back half way.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
