"""API keys of programs: `sk_…`, shown once, stored as a SHA-256 hash in the table
`sortkey-api-keys`.

A key gives read or full access to one system until it expires or is revoked.
"""

from __future__ import annotations

import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import Field

from sortkey.errors import SortkeyError
from sortkey.model.entity import Entity
from sortkey.model.fields import Created, camel
from sortkey.model.instants import InstantSeconds
from sortkey.model.keys import index, key
from sortkey.model.patterns import Model
from sortkey.model.tables import GSI, Table
from sortkey.runtime.store import Store
from sortkey.web.refusals import Refused
from sortkey.web.tokens import Unauthenticated

log = logging.getLogger("sortkey.web")

Right = Literal["read", "full"]

PREFIX = "sk"
KEY_ID = "[0-9a-f]{12}"
SECRET_BYTES = 32
DAYS = 365
USED_SECONDS = 60
"""The least time between two updates of `last_used_at`: writing it for every request would cost
more than the request.
"""

model = Model("api-keys", doc="Keys of programs that use the REST interfaces.")
table = model.add(
    Table(
        "sortkey-api-keys",
        key=("PK", "SK"),
        indexes=[GSI("GSI1", "GSI1PK", "GSI1SK", doc="The keys of a system")],
    )
)


class ApiKey(Entity, table=table, names=camel):
    """The stored record of a key, without the key itself."""

    key_id: Annotated[str, Field(pattern=f"^{KEY_ID}$")]
    system: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    access: Right
    user_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    secret_sha256: str
    proof: str | None = None
    """An HMAC of what the key gives access to, made with the secret of the server."""
    created_at: Annotated[InstantSeconds | None, Created] = None
    expires_at: InstantSeconds
    revoked_at: InstantSeconds | None = None
    last_used_at: InstantSeconds | None = None

    @key("KEY#{keyId}", "METADATA")
    def key(*, key_id: str):
        """One key."""

    @index("GSI1", "SYSTEM#{system}", "KEY#{keyId}")
    def of_system(*, system: str):
        """The keys of a system."""

    def is_good(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just created. `text` is the key itself, which cannot be shown again."""

    text: str
    record: ApiKey


@dataclass(frozen=True, slots=True)
class Access:
    """What a caller may do. `caller_id` identifies the caller, `user_id` the user of its key or
    token.
    """

    caller_id: str
    name: str
    access: Right
    user_id: str | None = None


class Forbidden(Refused):
    """The caller is known but has no permission."""

    status = 403


class ApiKeys:
    """The keys in a store. `ensure` creates their table.

    With `secret`, only keys that were created with the same secret are valid: write access to the
    table is not enough to make one.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float] = time.time, *, secret: bytes | None = None
    ) -> None:
        self._store, self._clock, self._secret = store, clock, secret

    def ensure(self) -> list[str]:
        return self._store.ensure(model)

    def create(
        self,
        name: str,
        system: str,
        access: Right = "read",
        *,
        days: int = DAYS,
        user_id: str | None = None,
    ) -> NewKey:
        """Create a key. Its text cannot be shown again. Where data belongs to users, the key
        accesses that of `user_id`.
        """
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(SECRET_BYTES)
        expires = self._now() + timedelta(days=days)
        record = ApiKey(
            key_id=key_id,
            system=system,
            name=name,
            access=access,
            user_id=user_id,
            secret_sha256=_hash(secret),
            expires_at=expires,
        )
        if self._secret is not None:
            record = record.changed(proof=_proof(record, self._secret))
        return NewKey(f"{PREFIX}_{key_id}_{secret}", self._store.create(record))

    def list(self, system: str) -> list[ApiKey]:
        return self._store.query(ApiKey.of_system(system=system))

    def revoke(self, key_id: str) -> ApiKey:
        """Revoke a key from the next request on. Raises NotFound. Revoking twice is fine."""
        record = self._store.get(ApiKey.key(key_id=key_id), consistent=True)
        if record.revoked_at is not None:
            return record
        return self._store.update(ApiKey.key(key_id=key_id), set={"revoked_at": self._now()})

    def check(self, text: str, system: str, needed: Right = "read") -> Access:
        """What a key may do. Raises Unauthenticated, or Forbidden if it lacks the access."""
        record = self._find(text)
        if record is None or not record.is_good(self._now()):
            raise Unauthenticated(
                "the key is unknown, expired or revoked: create a new one", "ApiKey"
            )
        if record.system != system:
            raise Forbidden(f"the key is for {record.system}, not for {system}: use another key")
        if needed == "full" and record.access != "full":
            raise Forbidden("the key may only read: use one with full access")
        self._note_use(record)
        return Access(record.key_id, record.name, record.access, record.user_id)

    def _find(self, text: str) -> ApiKey | None:
        prefix, _, rest = text.partition("_")
        key_id, _, secret = rest.partition("_")
        if prefix != PREFIX or not re.fullmatch(KEY_ID, key_id):
            return None
        record = self._store.find(ApiKey.key(key_id=key_id), consistent=True)
        # Compare even if there is no record, so that both cases take the same time.
        is_same = hmac.compare_digest(_hash(secret), record.secret_sha256 if record else _hash(""))
        return record if record and is_same and self._is_ours(record) else None

    def _is_ours(self, record: ApiKey) -> bool:
        return self._secret is None or hmac.compare_digest(
            _proof(record, self._secret), record.proof or ""
        )

    def _note_use(self, record: ApiKey) -> None:
        """Update `last_used_at`. A failure does not reject the request: the table may be throttled,
        or the key just deleted.
        """
        now, last = self._now(), record.last_used_at
        if last is not None and (now - last).total_seconds() < USED_SECONDS:
            return
        try:
            self._store.update(ApiKey.key(key_id=record.key_id), set={"last_used_at": now})
        except SortkeyError as error:
            log.warning("the use of the key %s could not be recorded: %s", record.key_id, error)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(int(self._clock()), UTC)


def _hash(secret: str) -> str:
    """A plain hash is enough: the secret is 32 random bytes, too many to guess."""
    return sha256(secret.encode()).hexdigest()


def _proof(key: ApiKey, secret: bytes) -> str:
    """An HMAC of everything that grants access. Name and last use may change, and anyone with write
    access may revoke the key.
    """
    expires = int(key.expires_at.timestamp())
    values = [key.key_id, key.system, key.access, key.user_id, key.secret_sha256, expires]
    return hmac.new(secret, json.dumps(values).encode(), sha256).hexdigest()
