"""The items of sessions: seeded, made ready, ended, each in one conditional write. Knows nothing of
browsers.

The count of a project's running sessions changes in the same transaction as its sessions, so a
limit holds with any number of servers, and every slot is given back once.
"""

from __future__ import annotations

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, Literal

from sortkey import Action, Put, Store, Update, attr
from sortkey.errors import ConditionFailed, NotFound, TransactionFailed
from sortkey.web import Refused
from sortkey_systems.wallcrawler.events import EventLog, session_event
from sortkey_systems.wallcrawler.model import (
    Context,
    InternalStatus,
    Project,
    Session,
    recorded,
)

log = logging.getLogger("sortkey.wallcrawler")

End = Literal["STOPPED", "FAILED", "TIMED_OUT"]
STARTING: tuple[InternalStatus, ...] = ("CREATING", "PROVISIONING", "STARTING")
SERVING: tuple[InternalStatus, ...] = ("READY", "ACTIVE")
LIVE: tuple[InternalStatus, ...] = (*STARTING, *SERVING, "TERMINATING")
CONFLICTS_MAX = 8
SETTLED_SECONDS = 60
"""After so long without a change of a project, the index of its sessions is up to date."""
RETRY_SECONDS = 2
"""What a client is asked to wait when its project has no free place."""


class TooManySessions(Refused):
    """The project has as many sessions as it may."""

    status = 429

    def __init__(self, project: Project) -> None:
        super().__init__(
            f"the project runs {project.concurrency} sessions at once, and all of them are taken: "
            "release one",
            concurrency=project.concurrency,
        )
        self.headers = {
            "Retry-After": str(RETRY_SECONDS),
            "x-ratelimit-limit": str(project.concurrency),
            "x-ratelimit-remaining": "0",
            "x-ratelimit-reset": str(RETRY_SECONDS),
        }
        if project.concurrency == 0:
            self.headers |= {"x-should-retry": "false"}


class ContextInUse(Refused):
    """Another live session will write the profile of the context."""

    status = 409

    def __init__(self, context_id: str) -> None:
        super().__init__(
            f"a running session persists into {context_id}: release it, or ask for persist=false"
        )
        self.headers = {"x-should-retry": "false"}


class Records:
    """Sessions in the table. Threads share it."""

    def __init__(self, store: Store, events: EventLog, clock: Callable[[], float]) -> None:
        self.store, self.events, self._clock = store, events, clock

    # -- reading

    def find(self, session_id: str, *, consistent: bool = True) -> Session | None:
        return self.store.find(_key(session_id), consistent=consistent)

    def running(self) -> list[Session]:
        """All sessions that have not ended, by the end of their window."""
        return self.store.query(Session.by_status(status="RUNNING").hydrated())

    # -- the beginning

    def seed(self, session: Session) -> Session:
        """Store a new session and take a place of its project; with persist, the context's too.

        Raises TooManySessions, ContextInUse, NotFound.
        """
        has_place = attr(Project.running_sessions) < attr(Project.concurrency)
        is_active = attr(Project.status) == "ACTIVE"
        place = attr(Project.running_sessions).add(1)
        writes: list[Any] = [
            Put(session, "create"),
            Update(Project.key(project_id=session.project_id), (place,), has_place & is_active),
        ]
        if session.context_id is not None and session.context_persist:
            is_free = attr(Context.writer_session_id).missing()
            taken = attr(Context.writer_session_id).set(session.session_id)
            writes.append(Update(Context.key(context_id=session.context_id), (taken,), is_free))
        try:
            self._transact(writes)
        except TransactionFailed as failed:
            raise self._refusal(session, failed) from None
        return session

    def _refusal(self, session: Session, failed: TransactionFailed) -> Exception:
        indexes = failed_conditions(failed)
        if 1 in indexes:
            project = self.store.get(Project.key(project_id=session.project_id), consistent=True)
            if project.status != "ACTIVE":
                return Refused(403, "ProjectForbidden", "the project is not active")
            return TooManySessions(project)
        if 2 in indexes:
            return ContextInUse(session.context_id or "")
        return failed

    # -- on the way

    def move(self, session_id: str, to: InternalStatus, what: str, **values: Any) -> Session | None:
        """Take a session one step on, with an event. None if it cannot follow: it has ended, or is
        gone.
        """
        event = session_event(session_id, what, self._clock, internalStatus=to)
        actions = recorded(event)
        try:
            session = self.store.update(
                _key(session_id), *actions, set={"internal_status": to, **values}
            )
        except (ConditionFailed, NotFound):
            return None
        self.events.trim(session)
        return session

    def note(self, session_id: str, *actions: Action) -> None:
        """Change counters of a session that is there."""
        with suppress(ConditionFailed, NotFound):
            self.store.update(_key(session_id), *actions)

    # -- the end

    def finish(
        self, session: Session, end: End, reason: str, *, ended_at: datetime, **values: Any
    ) -> Session:
        """End a session, give its place back and count what it used. Ending twice changes nothing
        the second time. Raises TransactionFailed if others wrote the same items all the time.
        """
        self.release_context(session)
        event = session_event(
            session.session_id, "Session Ended", self._clock, internalStatus=end, reason=reason
        )
        sets = {"internal_status": end, "ended_at": ended_at, "end_reason": reason, **values}
        update = Update(_key(session.session_id), (*recorded(event), *_sets(sets)))
        try:
            self._transact(
                [update, self._place_given_back(session, ended_at, values.get("proxy_bytes"))]
            )
        except TransactionFailed as failed:
            conditions = failed_conditions(failed)
            if not conditions:
                raise  # nothing is known of the project: the session ends at the next attempt
            if 0 not in conditions:  # the project is gone: only the session is left
                with suppress(ConditionFailed, NotFound):
                    self.store.update(_key(session.session_id), *update.actions)
        return self.find(session.session_id) or session

    def release_context(self, session: Session) -> None:
        """Let others write the context."""
        if session.context_id is not None and session.context_persist:
            with suppress(ConditionFailed, NotFound):
                self.store.update(
                    Context.key(context_id=session.context_id),
                    attr(Context.writer_session_id).remove(),
                    when=attr(Context.writer_session_id) == session.session_id,
                )

    def give_place_back(self, session: Session, ended_at: datetime) -> Update[Project]:
        """The write for a session whose item is gone without an end."""
        return self._place_given_back(session, ended_at, None)

    def _place_given_back(
        self, session: Session, ended_at: datetime, proxy_bytes: int | None
    ) -> Update[Project]:
        since = session.started_at
        seconds = 0 if since is None else max(0, ceil((ended_at - since).total_seconds()))
        used = session.proxy_bytes if proxy_bytes is None else proxy_bytes
        actions = (
            attr(Project.running_sessions).add(-1),
            attr(Project.used_seconds).add(seconds),
            attr(Project.used_proxy_bytes).add(used),
        )
        return Update(
            Project.key(project_id=session.project_id), actions, attr(Project.running_sessions) > 0
        )

    # -- repair

    def recount(self) -> None:
        """Correct counts of running sessions that have drifted. A project that has just changed, or
        changes meanwhile, is left for the next time: its sessions change in the same transactions.
        """
        latest = now_of(self._clock) - timedelta(seconds=SETTLED_SECONDS)
        projects = list(self.store.scan(Project))  # before the sessions
        running = Counter(session.project_id for session in self.running())
        for project in projects:
            count = running[project.project_id]
            is_settled = (project.updated_at or latest) <= latest
            if is_settled and project.running_sessions != count:
                self._correct_count(project, count)

    def _correct_count(self, project: Project, running: int) -> None:
        is_unchanged = attr(Project.running_sessions) == project.running_sessions
        if project.updated_at is not None:
            is_unchanged &= attr(Project.updated_at) == project.updated_at
        with suppress(ConditionFailed, NotFound):
            count = attr(Project.running_sessions).set(running)
            self.store.update(Project.key(project_id=project.project_id), count, when=is_unchanged)
            before = project.running_sessions
            log.warning("%s had %d places taken, now %d", project.project_id, before, running)

    def _transact(self, writes: Sequence[Any]) -> None:
        """Again where others wrote the same items at the same time: that is not an answer to
        anybody's question.
        """
        for attempt in range(CONFLICTS_MAX):
            try:
                self.store.transact(*writes)
                return
            except TransactionFailed as failed:
                is_conflict = any(reason.code == "TransactionConflict" for reason in failed.reasons)
                if not is_conflict or attempt + 1 == CONFLICTS_MAX:
                    raise
                time.sleep(random.uniform(0, 0.02 * 2**attempt))


def failed_conditions(failed: TransactionFailed) -> set[int]:
    """Which writes of a transaction met another item than they need. Conflicts are not among them:
    they say nothing of the items.
    """
    return {each.index for each in failed.reasons if each.code == "ConditionalCheckFailed"}


def now_of(clock: Callable[[], float]) -> datetime:
    return datetime.fromtimestamp(clock(), UTC)


def _key(session_id: str) -> Any:
    return Session.key(session_id=session_id)


def _sets(values: dict[str, Any]) -> tuple[Action, ...]:
    fields = {name: getattr(Session, name) for name in values}
    return tuple(
        attr(fields[name]).set(value) for name, value in values.items() if value is not None
    )
