"""Keys of programs: `sk_…`, shown once, kept as their SHA-256 in the table `sortkey-api-keys`.

A key is for one system, to read or for everything, for some time, until it is revoked.
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
"""How often at most it is noted that a key was used: a write for each request would cost more than
the request.
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
    """What is kept of a key: never the key itself."""

    key_id: Annotated[str, Field(pattern=f"^{KEY_ID}$")]
    system: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    access: Right
    user_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    secret_sha256: str
    proof: str | None = None
    """Who made it: an HMAC of all that it opens, with the secret of the server."""
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
    """A key that was just made. `text` is the key itself, which nobody can show again."""

    text: str
    record: ApiKey


@dataclass(frozen=True, slots=True)
class Access:
    """What a caller may do. `caller_id` tells callers apart; `user_id` is the user that a key or
    token is for.
    """

    caller_id: str
    name: str
    access: Right
    user_id: str | None = None


class Forbidden(Refused):
    """Who asks is known, and may not."""

    status = 403


class ApiKeys:
    """The keys in a store. `ensure` makes their table.

    With `secret`, only keys count that were made with the same secret: to write items into the
    table is not enough.
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
        """A new key, to be shown now and never again. Where data belongs to users, it sees that of
        `user_id`.
        """
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(SECRET_BYTES)
        expires = self._now() + timedelta(days=days)
        made = ApiKey(
            key_id=key_id,
            system=system,
            name=name,
            access=access,
            user_id=user_id,
            secret_sha256=_hash(secret),
            expires_at=expires,
        )
        if self._secret is not None:
            made = made.changed(proof=_proof(made, self._secret))
        return NewKey(f"{PREFIX}_{key_id}_{secret}", self._store.create(made))

    def list(self, system: str) -> list[ApiKey]:
        return self._store.query(ApiKey.of_system(system=system))

    def revoke(self, key_id: str) -> ApiKey:
        """Make a key worthless, from the next request on. Raises NotFound; doing it twice
        is fine.
        """
        found = self._store.get(ApiKey.key(key_id=key_id), consistent=True)
        if found.revoked_at is not None:
            return found
        return self._store.update(ApiKey.key(key_id=key_id), set={"revoked_at": self._now()})

    def check(self, text: str, system: str, needed: Right = "read") -> Access:
        """What a key may do. Raises Unauthenticated, and Forbidden where the key is good but not
        for this.
        """
        found = self._find(text)
        if found is None or not found.is_good(self._now()):
            raise Unauthenticated(
                "the key is not known, has expired or was revoked: ask for another", "ApiKey"
            )
        if found.system != system:
            raise Forbidden(f"the key is for {found.system}, not for {system}")
        if needed == "full" and found.access != "full":
            raise Forbidden("the key may only read: this needs one with full access")
        self._note_use(found)
        return Access(found.key_id, found.name, found.access, found.user_id)

    def _find(self, text: str) -> ApiKey | None:
        prefix, _, rest = text.partition("_")
        key_id, _, secret = rest.partition("_")
        if prefix != PREFIX or not re.fullmatch(KEY_ID, key_id):
            return None
        found = self._store.find(ApiKey.key(key_id=key_id), consistent=True)
        # Compared also where nothing was found, so that both take the same time.
        is_same = hmac.compare_digest(_hash(secret), found.secret_sha256 if found else _hash(""))
        return found if found and is_same and self._is_ours(found) else None

    def _is_ours(self, found: ApiKey) -> bool:
        return self._secret is None or hmac.compare_digest(
            _proof(found, self._secret), found.proof or ""
        )

    def _note_use(self, found: ApiKey) -> None:
        """Who asks is let in also where that cannot be noted: the table may be throttled, or the
        key just deleted.
        """
        now = self._now()
        if (
            found.last_used_at is not None
            and (now - found.last_used_at).total_seconds() < USED_SECONDS
        ):
            return
        try:
            self._store.update(ApiKey.key(key_id=found.key_id), set={"last_used_at": now})
        except SortkeyError as error:
            log.warning("the use of the key %s could not be noted: %s", found.key_id, error)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(int(self._clock()), UTC)


def _hash(secret: str) -> str:
    """A plain hash is enough: the secret is 32 random bytes, which nobody can try out."""
    return sha256(secret.encode()).hexdigest()


def _proof(key: ApiKey, secret: bytes) -> str:
    """Of everything that says what the key opens. Name and use may change; revoking it is open to
    everybody.
    """
    expires = int(key.expires_at.timestamp())
    what = [key.key_id, key.system, key.access, key.user_id, key.secret_sha256, expires]
    return hmac.new(secret, json.dumps(what).encode(), sha256).hexdigest()
