"""The items of contexts and the archives of their profiles, in a versioned bucket.

An id stands for one name of one project, so two contexts of the same name cannot be created,
without a table of names.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from sortkey import Objects, Store
from sortkey.errors import AlreadyExists, ConditionFailed, NotFound, ObjectNotFound
from sortkey.web import Refused
from sortkey_systems.wallcrawler.model import Context, Session

BUCKET = "wallcrawler-contexts-profiles"
AVAILABLE = "AVAILABLE"
"""The status of a context whose profile is stored."""
ARCHIVE_TYPE = "application/gzip"
ARCHIVE_BYTES_MAX = 512 << 20
GZIP = b"\x1f\x8b"


class NameTaken(Refused):
    """Another context of the project has the name."""

    status = 409

    def __init__(self) -> None:
        super().__init__("the project has a context of this name: choose another, or use that one")
        self.headers = {"x-should-retry": "false"}


class Contexts:
    """Contexts and their profiles. Threads share it."""

    def __init__(
        self, store: Store, bucket: Objects, secret: bytes, clock: Callable[[], float]
    ) -> None:
        self._store, self._bucket, self._secret, self._clock = store, bucket, secret, clock

    def create(self, project_id: str, name: str | None = None) -> Context:
        """A new context, without a profile. Raises NameTaken."""
        context = Context(context_id=self._id(project_id, name), project_id=project_id, name=name)
        try:
            return self._store.create(context)
        except AlreadyExists:
            raise NameTaken from None

    def get(self, projects: Iterable[str], context_id: str) -> Context:
        """A context of one of these projects. Raises NotFound for any other: who may not see it
        learns nothing.
        """
        found = self._find(context_id)
        if found is None or found.project_id not in projects:
            raise NotFound(f"unknown context {context_id!r}")
        return found

    def all(self, projects: Sequence[str] | None = None) -> list[Context]:
        """For operators: the contexts of some projects, or all, the newest first."""
        found = [
            each
            for each in self._store.scan(Context)
            if projects is None or each.project_id in projects
        ]
        return sorted(found, key=_created, reverse=True)

    def delete(self, projects: Iterable[str], context_id: str) -> None:
        """Delete a context and hide its profile; the versions of the bucket keep it. Raises
        NotFound.
        """
        context = self.get(projects, context_id)
        self._store.delete(Context.key(context_id=context_id))
        self._bucket.delete(_profile_key(context))

    # -- profiles

    def fetch(self, context: Context, target: Path) -> Path | None:
        """Copy the archived profile into a file; None if there is none."""
        try:
            with self._bucket.open(_profile_key(context)) as reader, target.open("xb") as file:
                for piece in reader:
                    file.write(piece)
        except ObjectNotFound:
            target.unlink(missing_ok=True)
            return None
        return target

    def store_profile(self, session: Session, archive: Path) -> None:
        """Store what a session has left as a new version, if the context has it as its writer.

        A context that was deleted meanwhile stays deleted. One that was created again under its
        name has the same id, but is not the one that the session wrote.
        """
        context = self._find(session.context_id or "")
        if context is None or context.writer_session_id != session.session_id:
            return
        with archive.open("rb") as file:
            self._bucket.put(
                _profile_key(context),
                file,
                content_type=ARCHIVE_TYPE,
                metadata={"session": session.session_id},
            )
        self._note_stored(context)

    def receive(self, context: Context, archive: Path) -> None:
        """Store a profile that a client has sent. Raises Refused if it is not an archive."""
        with archive.open("rb") as file:
            if file.read(2) != GZIP:
                raise Refused(
                    415, "NotAnArchive", "a profile is a gzip archive of a Chrome profile: tar.gz"
                )
            file.seek(0)
            self._bucket.put(_profile_key(context), file, content_type=ARCHIVE_TYPE)
        self._note_stored(context)

    def _note_stored(self, context: Context) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC)
        with suppress(NotFound, ConditionFailed):
            key = Context.key(context_id=context.context_id)
            self._store.update(key, set={"status": AVAILABLE, "updated_at": now})

    def _find(self, context_id: str) -> Context | None:
        if not context_id.startswith("ctx_") or len(context_id) > 100:
            return None
        return self._store.find(Context.key(context_id=context_id), consistent=True)

    def _id(self, project_id: str, name: str | None) -> str:
        if name is None:
            return f"ctx_{secrets.token_hex(12)}"
        text = f"{project_id}\0{name.casefold()}".encode()
        return f"ctx_{hmac.new(self._secret, text, sha256).hexdigest()[:24]}"


def _profile_key(context: Context) -> str:
    key = context.storage_key
    assert key is not None  # both of its parts are required
    return key


def _created(context: Context) -> datetime:
    return context.created_at or datetime.min.replace(tzinfo=UTC)
