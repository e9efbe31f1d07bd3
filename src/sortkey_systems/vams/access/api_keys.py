"""API keys, which act for a user. A key is shown once; its SHA-256 is stored."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator

from sortkey import Delete, Put, Store, attr
from sortkey.errors import ConditionFailed, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import ApiKey, AuthEntity

NAME = "apiKeyName"
"""The entity type of names that are taken."""
RANDOM_BYTES = 48  # 64 url-safe characters

Expiry = Annotated[str, Field(max_length=40)]
Description = Annotated[str, Field(min_length=1, max_length=256)]


class NewKey(BaseModel):
    """A key as it is asked for."""

    apiKeyName: Annotated[str, Field(pattern=r"^[A-Za-z0-9\-._ ]{1,256}$")]
    userId: Annotated[str, Field(pattern=r"^[\w\-.+@]+$", min_length=3, max_length=256)]
    description: Annotated[str, Field(max_length=256)] = ""
    expiresAt: Expiry | None = None

    @field_validator("expiresAt")
    @classmethod
    def _instant(cls, value: str | None) -> str | None:
        return _checked_instant(value)


class KeyChange(BaseModel):
    """What changes; an empty `expiresAt` means that the key never expires."""

    description: Annotated[str, Field(max_length=256)] | None = None
    expiresAt: Expiry | None = None
    isActive: Literal["true", "false"] | None = None

    @field_validator("expiresAt")
    @classmethod
    def _instant(cls, value: str | None) -> str | None:
        return _checked_instant(value)

    @field_validator("isActive", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return str(value).lower() if isinstance(value, bool) else value


class ApiKeys:
    """The keys of an installation."""

    def __init__(self, store: Store, access: Access, clock: Callable[[], float]) -> None:
        self._store, self._access, self._clock = store, access, clock

    def create(self, caller: Caller, wanted: NewKey) -> tuple[ApiKey, str]:
        """A new key and its raw text, which is not stored."""
        if not self._access.caller(wanted.userId).roles:  # a key never has MFA
            raise Invalid(
                f"the user {wanted.userId} has no role that counts without MFA: assign one first"
            )
        raw = f"vams_{secrets.token_urlsafe(RANDOM_BYTES)}"
        now = now_text()
        key = ApiKey(
            api_key_id=str(uuid.uuid4()),
            api_key_hash=sha256(raw.encode()).hexdigest(),
            user_id=wanted.userId,
            api_key_name=wanted.apiKeyName,
            description=wanted.description or None,
            created_by=caller.user_id,
            created_at=now,
            updated_at=now,
            expires_at=wanted.expiresAt or None,
            is_active="true",
        )
        taken = AuthEntity(entity_type=NAME, sk=wanted.apiKeyName)
        try:
            self._store.transact(Put(key, "create"), Put(taken, "create"))
        except TransactionFailed:
            raise Invalid(f"an API key named {wanted.apiKeyName} already exists") from None
        self._record(caller, "apikey.create", key)
        return key, raw

    def get(self, api_key_id: str) -> ApiKey:
        """A key by its id. Raises NotThere."""
        is_id = 1 <= len(api_key_id) <= 256 and not set(":#") & set(api_key_id)
        found = self._store.find(ApiKey.key(api_key_id=api_key_id)) if is_id else None
        if found is None:
            raise NotThere("API key not found")
        return found

    def all(self) -> list[ApiKey]:
        """Every key."""
        return self._store.scan(ApiKey)

    def change(self, caller: Caller, api_key_id: str, wanted: KeyChange) -> ApiKey:
        """Change the description, the expiry or whether a key is active."""
        key = self.get(api_key_id)
        given = wanted.model_dump(exclude_none=True)
        if not given:
            raise Invalid("give at least one of description, expiresAt, isActive")
        names = {
            "description": "description",
            "expiresAt": "expires_at",
            "isActive": "is_active",
        }
        changes: dict[str, Any] = {names[name]: value or None for name, value in given.items()}
        try:  # only what changes: a key that is deleted or switched off meanwhile stays so
            changed = self._store.update(
                ApiKey.key(api_key_id=key.api_key_id),
                set={**changes, "updated_at": now_text()},
                when=attr(ApiKey.api_key_hash).exists(),
            )
        except ConditionFailed:
            raise NotThere("API key not found") from None
        self._record(caller, "apikey.update", changed)
        return changed

    def delete(self, caller: Caller, api_key_id: str) -> ApiKey:
        """Delete a key. It opens nothing from then on."""
        key = self.get(api_key_id)
        name = AuthEntity.key(entity_type=NAME, sk=key.api_key_name or key.api_key_id)
        self._store.transact(Delete(ApiKey.key(api_key_id=api_key_id)), Delete(name))
        self._record(caller, "apikey.delete", key)
        return key

    def delete_of_user(self, user_id: str) -> None:
        """Delete all keys of a user who goes."""
        for key in self._store.query(ApiKey.of_user(user_id=user_id)):
            name = AuthEntity.key(entity_type=NAME, sk=key.api_key_name or key.api_key_id)
            self._store.transact(Delete(ApiKey.key(api_key_id=key.api_key_id)), Delete(name))

    def active_key(self, key_hash: str) -> ApiKey | None:
        """The key with a hash, if it may be used now."""
        indexed = self._store.first(ApiKey.by_hash(api_key_hash=key_hash))
        if indexed is None:
            return None
        key = ApiKey.key(api_key_id=indexed.api_key_id)  # an index may be behind its table
        found = self._store.find(key, consistent=True)
        if found is None or found.is_active == "false":
            return None
        if found.expires_at and _instant(found.expires_at).timestamp() <= self._clock():
            return None
        return found

    def _record(self, caller: Caller, action: str, key: ApiKey) -> None:
        self._access.audit.record(
            "AUTHCHANGES", caller, action, f"apikey/{key.api_key_id}", user=key.user_id
        )


def key_answer(key: ApiKey) -> dict[str, Any]:
    """A key as lists show it, without its hash."""
    return {
        "apiKeyId": key.api_key_id,
        "apiKeyName": key.api_key_name or key.api_key_id,
        "description": key.description or "",
        "userId": key.user_id,
        "createdBy": key.created_by or "",
        "createdAt": key.created_at or "",
        "updatedAt": key.updated_at or "",
        "expiresAt": key.expires_at or "",
        "isActive": key.is_active or "true",
    }


def _checked_instant(value: str | None) -> str | None:
    if value:
        _instant(value)
    return value


def _instant(text: str) -> datetime:
    """An ISO 8601 instant; without a zone it is in UTC."""
    instant = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
