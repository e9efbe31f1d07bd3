"""Projects and their API keys, for operators: the console and the commands. REST only reads them.

A raw key exists once, in the answer to `create_key`; only its hash is stored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, Protocol

from sortkey import Store, attr
from sortkey.errors import NotFound
from sortkey.web import Refused
from sortkey_systems.wallcrawler.model import ApiKey, Project, api_key_hash

PROJECTS_MAX = 1000
KEYS_MAX = 1000
CONCURRENCY_MAX = 1000
NAME_LENGTH_MAX = 100
_PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Announce(Protocol):
    """Says that a key or a project has changed, so that every server forgets what it knew of it."""

    def __call__(self, **what: str) -> object: ...


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made. `raw` is shown now and never again."""

    raw: str = field(repr=False)
    record: ApiKey


@dataclass(frozen=True, slots=True)
class Tenants:
    """All projects and all keys. Whoever has this is an operator, not a tenant."""

    store: Store
    announce: Announce

    def projects(self) -> list[Project]:
        """Every project, by its id."""
        return sorted(self.store.scan(Project), key=lambda project: project.project_id)[
            :PROJECTS_MAX
        ]

    def project(self, project_id: str) -> Project:
        """One project. Raises NotFound."""
        return self.store.get(Project.key(project_id=project_id))

    def create_project(
        self, project_id: str, *, name: str = "", concurrency: int = 5, default_timeout: int = 3600
    ) -> Project:
        """Raises AlreadyExists, and Refused where an id, a name or a limit cannot be one."""
        if not _PROJECT_ID.fullmatch(project_id):
            raise Refused(
                400,
                "BadProjectId",
                f"{project_id!r} cannot be a project id: use letters, digits, _ and -",
            )
        _check_limits(concurrency, default_timeout)
        project = Project(
            project_id=project_id,
            name=_checked_name(name) or project_id,
            concurrency=concurrency,
            default_timeout=default_timeout,
        )
        return self.store.create(project)

    def change_project(
        self,
        project_id: str,
        *,
        concurrency: int | None = None,
        default_timeout: int | None = None,
        is_active: bool | None = None,
    ) -> Project:
        """Change limits, or switch a project on or off. Sessions that run go on. Raises
        NotFound.
        """
        project = self.project(project_id)
        changes: dict[str, Any] = {
            "concurrency": project.concurrency if concurrency is None else concurrency,
            "default_timeout": project.default_timeout
            if default_timeout is None
            else default_timeout,
        }
        _check_limits(**changes)
        if is_active is not None:
            changes["status"] = "ACTIVE" if is_active else "INACTIVE"
        changed = self.store.update(Project.key(project_id=project_id), set=changes)
        self.announce(projectId=project_id)
        return changed

    def keys(self, project_id: str | None = None) -> list[ApiKey]:
        """The keys of a project, or of all, newest first."""
        every = project_id is None
        found = (
            self.store.scan(ApiKey)
            if every
            else self.store.query(ApiKey.of_project(project_id=project_id))
        )
        return sorted(found, key=_created, reverse=True)[:KEYS_MAX]

    def create_key(
        self, project_id: str, *, name: str, more_projects: Sequence[str] = ()
    ) -> NewKey:
        """Make a key for a project, and perhaps for more of them. Raises NotFound where one does
        not exist.
        """
        for each in (project_id, *more_projects):
            self.project(each)
        raw = f"wc_{token_hex(24)}"
        record = ApiKey(
            api_key_hash=api_key_hash(raw),
            key_id=f"key_{token_hex(6)}",
            name=_checked_name(name) or None,
            project_id=project_id,
            project_ids=list(more_projects),
        )
        return NewKey(raw, self.store.create(record))

    def revoke_key(self, key_id: str) -> ApiKey:
        """Make a key worthless, for good. Revoking twice is fine. Raises NotFound."""
        found = next((each for each in self.store.scan(ApiKey) if each.key_id == key_id), None)
        if found is None:
            raise NotFound(f"unknown API key {key_id!r}: `sortkey wallcrawler keys` lists them")
        key = ApiKey.key(api_key_hash=found.api_key_hash)
        revoked = self.store.update(key, attr(ApiKey.status).set("INACTIVE"))
        self.announce(apiKeyHash=found.api_key_hash)
        return revoked


def _created(key: ApiKey) -> datetime:
    return key.created_at or datetime.min.replace(tzinfo=UTC)


def _checked_name(name: str) -> str:
    if len(name.strip()) > NAME_LENGTH_MAX:
        raise Refused(400, "BadName", f"a name has at most {NAME_LENGTH_MAX} characters")
    return name.strip()


def _check_limits(concurrency: int, default_timeout: int) -> None:
    if not 0 <= concurrency <= CONCURRENCY_MAX:
        raise Refused(400, "BadConcurrency", f"concurrency is between 0 and {CONCURRENCY_MAX}")
    if default_timeout < 1:
        raise Refused(400, "BadTimeout", "the default timeout is at least one second")
