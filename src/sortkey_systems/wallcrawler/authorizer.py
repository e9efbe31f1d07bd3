"""The authorizer: from the headers of a request to the project it is for, or a refusal.

It alone reads the table of API keys. What it found is cached for at most five minutes, and
forgotten at once when a key or a project changes on this machine: whoever changes one says so on a
topic.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sortkey import Store, Topics
from sortkey.errors import NotFound
from sortkey.web import Refused
from sortkey_systems.wallcrawler.model import ApiKey, Project, api_key_hash

KEY_HEADERS = ("x-bb-api-key", "x-wc-api-key")
PROJECT_HEADERS = ("x-wc-project-id", "x-bb-project-id")
TOPIC = "wallcrawler-access-changed"
"""Says that keys or projects changed: {"apiKeyHash"} or {"projectId"}."""
CACHED_MAX = 10_000
KEY_CHARACTERS_MAX = 512


class Unauthorized(Refused):
    """No key, or one that is not valid."""

    status = 401


class ProjectForbidden(Refused):
    """A project that the key may not use, or that is not active."""

    status = 403


@dataclass(frozen=True, slots=True)
class Grant:
    """What a key allows. Handlers take the projects from here and never look at keys themselves."""

    key_id: str
    projects: tuple[str, ...]
    """The primary one first."""

    @property
    def primary(self) -> str:
        return self.projects[0]


@dataclass(frozen=True, slots=True)
class _Cached:
    grant: Grant
    until: float


class Authorizer:
    """Checks keys and projects. Threads share it."""

    def __init__(
        self,
        store: Store,
        topics: Topics,
        *,
        cache_seconds: float,
        records_last_use: bool,
        clock: Callable[[], float],
    ) -> None:
        self._store, self._topics, self._clock = store, topics, clock
        self._cache_seconds, self._records_last_use = cache_seconds, records_last_use
        self._grants: OrderedDict[str, _Cached] = OrderedDict()
        self._active: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()
        self._generation = 0
        topics.subscribe(TOPIC, lambda _: self.forget())

    def grant(self, headers: Mapping[str, str]) -> Grant:
        """What the key in the headers allows. Raises Unauthorized."""
        given = {value for name in KEY_HEADERS if (value := headers.get(name, ""))}
        if len(given) > 1:
            raise Unauthorized("x-bb-api-key and x-wc-api-key differ: send one of them")
        if not given:
            raise Unauthorized("an API key is needed, in the header X-BB-API-Key or x-wc-api-key")
        return self.grant_of_key(given.pop())

    def grant_of_key(self, raw_key: str) -> Grant:
        """What a raw key allows. Raises Unauthorized."""
        if len(raw_key) > KEY_CHARACTERS_MAX:
            raise Unauthorized("the API key is not valid")
        hashed, now = api_key_hash(raw_key), self._clock()
        with self._lock:
            cached, generation = self._grants.get(hashed), self._generation
        if cached is not None and now < cached.until:
            return cached.grant
        grant = self._read(hashed)
        with self._lock:
            if (
                generation == self._generation
            ):  # otherwise it may have been revoked while it was read
                self._grants[hashed] = _Cached(grant, now + self._cache_seconds)
                _trim(self._grants)
        return grant

    def project(self, grant: Grant, headers: Mapping[str, str], named: str | None = None) -> str:
        """The project of a request: of its header, its body, or the key's primary one. Raises
        ProjectForbidden.
        """
        wanted = {
            value for value in (*(headers.get(name) for name in PROJECT_HEADERS), named) if value
        }
        if len(wanted) > 1:
            raise ProjectForbidden("the request names two different projects: name one")
        chosen = wanted.pop() if wanted else grant.primary
        if chosen not in grant.projects:
            raise ProjectForbidden("the API key may not use this project")
        self.check_active(chosen)
        return chosen

    def projects(self, grant: Grant, headers: Mapping[str, str]) -> tuple[str, ...]:
        """The projects whose things a request may name by their ids: the one in its header, or all
        of its key.
        """
        if any(headers.get(name) for name in PROJECT_HEADERS):
            return (self.project(grant, headers),)
        active = tuple(project for project in grant.projects if self._is_active(project))
        if not active:
            raise ProjectForbidden("no project of the API key is active")
        return active

    def check_active(self, project_id: str) -> None:
        if not self._is_active(project_id):
            raise ProjectForbidden("the project is not active")

    def forget(self) -> None:
        """Read everything again."""
        with self._lock:
            self._generation += 1
            self._grants.clear()
            self._active.clear()

    def announce_change(self, **what: str) -> None:
        """Make every process on this machine forget. Call it after a key or a project has
        changed.
        """
        self.forget()
        self._topics.publish(TOPIC, what)

    def _read(self, hashed: str) -> Grant:
        key = self._store.find(ApiKey.key(api_key_hash=hashed), consistent=True)
        if key is None or key.status != "ACTIVE":
            raise Unauthorized("the API key is not valid")
        if self._records_last_use:
            self._note_use(hashed)
        return Grant(key.key_id or hashed[:12], key.allowed_projects)

    def _note_use(self, hashed: str) -> None:
        used = datetime.fromtimestamp(self._clock(), UTC)
        try:
            self._store.update(ApiKey.key(api_key_hash=hashed), set={"last_used_at": used})
        except NotFound:
            raise Unauthorized("the API key is not valid") from None  # deleted in between

    def _is_active(self, project_id: str) -> bool:
        now = self._clock()
        with self._lock:
            until, generation = self._active.get(project_id, 0.0), self._generation
        if now < until:
            return True
        project = self._store.find(Project.key(project_id=project_id), consistent=True)
        if project is None or project.status != "ACTIVE":
            return False
        with self._lock:
            if generation == self._generation:
                self._active[project_id] = now + self._cache_seconds
                _trim(self._active)
        return True


def _trim(cache: OrderedDict[str, _Cached] | OrderedDict[str, float]) -> None:
    while len(cache) > CACHED_MAX:
        cache.popitem(last=False)
