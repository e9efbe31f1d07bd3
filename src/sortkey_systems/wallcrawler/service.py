"""Wallcrawler as one object: what the routes, the console and the commands stand on.

What touches browsers is awaited in one event loop, between `open` and `close`. Everything else may
be called from any thread. Methods take the projects that the authorizer allows and never look at
keys.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from math import ceil

from sortkey import Page, StreamWorker
from sortkey.errors import NotFound
from sortkey.systems import IsGuest, Resources, Worker
from sortkey.web import Refused
from sortkey_systems.wallcrawler import events, extensions
from sortkey_systems.wallcrawler.addresses import Addresses
from sortkey_systems.wallcrawler.authorizer import Authorizer
from sortkey_systems.wallcrawler.browsers.port import Browsers, BrowserStatus
from sortkey_systems.wallcrawler.contexts import profiles
from sortkey_systems.wallcrawler.creation import Creation
from sortkey_systems.wallcrawler.lifecycle import Lifecycle
from sortkey_systems.wallcrawler.machine import machine_id
from sortkey_systems.wallcrawler.metadata_query import metadata_test
from sortkey_systems.wallcrawler.model import Project, Session, SessionStatus, sessions
from sortkey_systems.wallcrawler.ready_topic import ready_publisher
from sortkey_systems.wallcrawler.records import Records, now_of
from sortkey_systems.wallcrawler.removals import removal_handler
from sortkey_systems.wallcrawler.requests import CreateRequest
from sortkey_systems.wallcrawler.session_files import SessionFiles
from sortkey_systems.wallcrawler.settings import Settings
from sortkey_systems.wallcrawler.tenants import Tenants
from sortkey_systems.wallcrawler.tokens import SessionTokens
from sortkey_systems.wallcrawler.upkeep import Upkeep

log = logging.getLogger("sortkey.wallcrawler")

READY_WORKER, REMOVAL_WORKER = "wallcrawler-ready", "wallcrawler-removals"


def make_service(resources: Resources) -> Wallcrawler:
    """The service on the resources of a host, with browsers on this machine or as tasks."""
    from sortkey_systems.wallcrawler.browsers.choice import make_browsers

    settings = Settings.from_environment()
    return Wallcrawler(resources, make_browsers(resources), settings)


def make_workers(service: Wallcrawler) -> list[Worker]:
    """What reads the stream of sessions."""
    return [service.ready_worker(), service.removal_worker()]


def guests(service: Wallcrawler) -> IsGuest | None:
    """The users that browsers run as. Without root it is the server's own, which is logged."""
    from sortkey_systems.wallcrawler.browsers.absent import AbsentBrowsers
    from sortkey_systems.wallcrawler.browsers.local.isolation import describe_reach
    from sortkey_systems.wallcrawler.browsers.local.users import is_guest

    if not service.browsers.are_on_this_machine:
        return None
    warning = describe_reach()
    if warning is None:
        return is_guest
    if not isinstance(service.browsers, AbsentBrowsers):
        log.warning("%s", warning)
    return None


def load_sample(service: Wallcrawler) -> str:
    """Load the sample data; the text is a key to try the service with."""
    from sortkey_systems.wallcrawler.sample import load_into

    return load_into(service.resources)


class Ended(Refused):
    """The session has ended."""

    status = 410


class Wallcrawler:
    """All of the service."""

    def __init__(
        self, resources: Resources, browsers: Browsers, settings: Settings | None = None
    ) -> None:
        self.settings = settings or Settings()
        self.resources, self.store, self.browsers = resources, resources.store, browsers
        self.clock, self.addresses = resources.clock, Addresses(resources.url)
        self.tokens = SessionTokens(resources, self.clock)
        self.authorizer = Authorizer(
            self.store,
            resources.topics,
            cache_seconds=self.settings.authorizer_cache_seconds,
            records_last_use=self.settings.records_last_use,
            clock=self.clock,
        )
        self.tenants = Tenants(self.store, self.authorizer.announce_change)
        self.events = events.EventLog(self.store, resources.buckets[events.BUCKET])
        self.records = Records(self.store, self.events, self.clock)
        secret, bucket = (
            resources.derive_secret("context names"),
            resources.buckets[profiles.BUCKET],
        )
        self.contexts = profiles.Contexts(self.store, bucket, secret, self.clock)
        self.extensions = extensions.Extensions(resources.buckets[extensions.BUCKET])
        self.files = SessionFiles(browsers.folder)
        self.lifecycle = Lifecycle(browsers, self.records, self.contexts, self.settings, self.clock)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.machine = machine_id(resources.folder) if browsers.are_on_this_machine else None
        self._creation = Creation(
            browsers=browsers,
            records=self.records,
            contexts=self.contexts,
            extensions=self.extensions,
            lifecycle=self.lifecycle,
            tokens=self.tokens,
            addresses=self.addresses,
            topics=lambda: resources.topics,
            settings=self.settings,
            clock=self.clock,
            machine=self.machine,
        )
        self._upkeep = Upkeep(
            browsers, self.records, self.lifecycle, self.settings, self.clock, self.machine
        )
        resources.delay_expiry(sessions.name, self.settings.ttl_grace_seconds)

    # -- the event loop of browsers

    async def open(self) -> None:
        """Begin to look after sessions, in this event loop. Those of an earlier server are found
        again.
        """
        try:
            await self.browsers.open()
            await self._upkeep.start()
        except Exception:  # the other systems of the host have to start
            log.exception("the browsers could not be opened: sessions are refused until a restart")
            return
        self._loop = asyncio.get_running_loop()

    async def close(self) -> None:
        """Let go of the sessions. They run on for a while, for a server that comes back."""
        self._loop = None
        await self._upkeep.stop()
        await self.lifecycle.stop()
        await self.browsers.close()

    @asynccontextmanager
    async def opened(self, _: object = None) -> AsyncGenerator[None]:
        """`open` and `close` around a block: the lifespan of the routes."""
        await self.open()
        try:
            yield
        finally:
            await self.close()

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop of the browsers, while the service is open."""
        return self._loop

    def ready_worker(self) -> StreamWorker:
        """Says on a topic which sessions are ready. It is not started."""
        publisher = ready_publisher(self.store, self.resources.topics)
        return StreamWorker(self.store, [publisher], name=READY_WORKER)

    def removal_worker(self) -> StreamWorker:
        """Cleans up after deleted items, which takes time: nobody waits for it. It is not
        started.
        """
        return StreamWorker(self.store, [removal_handler(self)], name=REMOVAL_WORKER)

    # -- sessions

    async def create(self, project_id: str, wanted: CreateRequest) -> Session:
        """A session with its browser, ready to be used. Cancelling it leaves nothing behind."""
        if self._loop is None:
            message = "the browsers could not be opened: the server's log says why"
            raise Refused(503, "NotStarted", message)
        return await self._creation.create(project_id, wanted)

    async def release(self, projects: Iterable[str], session_id: str) -> Session:
        """End a session of these projects; gives it as it is then. Releasing twice is fine. Raises
        NotFound.
        """
        session = await asyncio.to_thread(self.session, projects, session_id)
        if session.status != "RUNNING":
            return session
        if session.machine not in (None, self.machine):
            raise Refused(503, "OtherMachine", "the session runs on another machine: ask there")
        return await self.lifecycle.end(session_id, "STOPPED", "released") or session

    def session(self, projects: Iterable[str], session_id: str) -> Session:
        """A session of one of these projects. Raises NotFound for any other: who may not see it
        learns nothing.
        """
        is_id = session_id.startswith("sess_") and len(session_id) <= 100
        found = self.records.find(session_id) if is_id else None
        if found is None or found.project_id not in projects:
            raise NotFound(f"unknown session {session_id[:100]!r}")
        return found

    def running_session(self, projects: Iterable[str], session_id: str) -> Session:
        """The same, if it has not ended. Raises Ended."""
        session = self.session(projects, session_id)
        if session.status != "RUNNING":
            raise Ended(f"the session has ended: it is {session.status}", status=session.status)
        return session

    def list_sessions(
        self, projects: Sequence[str], *, status: SessionStatus | None = None, q: str | None = None
    ) -> list[Session]:
        """The newest sessions of these projects that match, the newest first."""
        matches = metadata_test(q) if q else None
        found: list[Session] = []
        for project_id in projects:
            of_project = 0
            for session in self.store.iterate(
                Session.of_project(project_id=project_id).descending()
            ):
                is_wanted = status is None or session.status == status
                if is_wanted and (matches is None or matches(session.user_metadata)):
                    found.append(session)
                    of_project += 1
                    if of_project == self.settings.sessions_listed_max:
                        break
        return sorted(found, key=_created, reverse=True)[: self.settings.sessions_listed_max]

    def page_of_sessions(
        self, project_id: str, *, cursor: str | None = None, size: int = 50
    ) -> Page[Session]:
        """For the console: a page of a project's sessions, the newest first."""
        return self.store.page(
            Session.of_project(project_id=project_id).descending(), cursor=cursor, size=size
        )

    async def status(self, session_id: str) -> BrowserStatus | None:
        """How the browser of a session is; None if it does not run here."""
        return await self.browsers.status(session_id)

    # -- projects

    def project(self, projects: Iterable[str], project_id: str) -> Project:
        """One of these projects. Raises NotFound."""
        found = (
            self.store.find(Project.key(project_id=project_id)) if project_id in projects else None
        )
        if found is None:
            raise NotFound(f"unknown project {project_id[:100]!r}")
        return found

    def projects(self, projects: Sequence[str]) -> list[Project]:
        """Those of these projects that exist."""
        found = self.store.batch_get([Project.key(project_id=each) for each in projects])
        return [each for each in found if each is not None]

    def usage(self, project: Project) -> tuple[int, int]:
        """Whole minutes of browsers and bytes through proxies, with those of sessions that run."""
        now, seconds, proxy_bytes = (
            now_of(self.clock),
            project.used_seconds or 0,
            project.used_proxy_bytes or 0,
        )
        for session in self.list_sessions([project.project_id], status="RUNNING"):
            proxy_bytes += session.proxy_bytes
            if session.started_at is not None:
                seconds += max(0, ceil((now - session.started_at).total_seconds()))
        return -(-seconds // 60), proxy_bytes


def _created(session: Session) -> datetime:
    return session.created_at or datetime.min.replace(tzinfo=UTC)
