"""Users: who can sign in. Roles are theirs by user id, whether they sign in here or elsewhere."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, Field

from sortkey import Delete, Put, Store
from sortkey.errors import AlreadyExists, TransactionFailed
from sortkey_systems.vams.access.api_keys import ApiKeys
from sortkey_systems.vams.access.callers import SYSTEM_USER, Caller
from sortkey_systems.vams.access.control import Access, change_mark
from sortkey_systems.vams.access.credentials import Credentials, new_password
from sortkey_systems.vams.access.outbox import Outbox
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import User, UserRole

USER_ID = r"^[\w\-.+@]+$"
EMAIL = r"^[^@\s<>\"',;:\\]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$"
PHONE = r"^\+\d{10,15}$"

UserId = Annotated[str, Field(pattern=USER_ID, min_length=3, max_length=256)]
Email = Annotated[str, Field(pattern=EMAIL, max_length=320)]
Phone = Annotated[str, Field(pattern=PHONE)]


class NewUser(BaseModel):
    """A user as an administrator writes one."""

    userId: UserId
    email: Email
    phone: Phone | None = None


class UserChange(BaseModel):
    """What changes. What is not given stays."""

    email: Email | None = None
    phone: Phone | None = None


class Users:
    """The users of an installation."""

    def __init__(
        self, store: Store, access: Access, keys: ApiKeys, credentials: Credentials, outbox: Outbox
    ) -> None:
        self._store, self._access, self._keys = store, access, keys
        self._credentials, self._outbox = credentials, outbox

    def all(self) -> list[User]:
        """Every user but the one that runs pipelines."""
        return [user for user in self._store.scan(User) if user.user_id != SYSTEM_USER]

    def get(self, user_id: str) -> User:
        """A user. Raises NotThere."""
        found = self._store.find(User.key(user_id=user_id), consistent=True) if user_id else None
        if found is None:
            raise NotThere("User not found")
        return found

    def is_current(self, user_id: str, generation: str) -> bool:
        """Whether a user exists and still has the credential of a login."""
        if self._credentials.generation_of(user_id) != generation:
            return False
        return self._store.find(User.key(user_id=user_id), consistent=True) is not None

    def profile(self, caller: Caller) -> dict[str, str]:
        """The profile of a caller. For one who is known elsewhere it is created when it is first
        asked for.
        """
        user_id = caller.user_id
        if not caller.is_signed_in:
            email = user_id if "@" in user_id else None
            with suppress(AlreadyExists):
                self._store.create(User(user_id=user_id, email=email, user_create_date=now_text()))
        found = self.get(user_id)
        return {"userId": user_id, "email": found.email or user_id}

    def create(self, caller: Caller, wanted: NewUser) -> User:
        """A user with a temporary password, which is sent to them."""
        now = now_text()
        user = User(
            user_id=wanted.userId,
            email=wanted.email,
            phone=wanted.phone,
            user_status="FORCE_CHANGE_PASSWORD",
            enabled=True,
            user_create_date=now,
            user_last_modified_date=now,
            mfa_enabled=False,
        )
        try:
            self._store.transact(Put(user, "create"), change_mark())
        except TransactionFailed:
            raise Invalid(f"the user {wanted.userId} already exists") from None
        self._send_password(user)
        self._record(caller, "user.create", user)
        return user

    def change(self, caller: Caller, user_id: str, wanted: UserChange) -> User:
        """Change the e-mail address or the phone number."""
        given = wanted.model_dump(exclude_none=True)
        if not given:
            raise Invalid("give an email or a phone number")
        user = self.get(user_id).model_copy(update={**given, "user_last_modified_date": now_text()})
        self._store.transact(Put(user), change_mark())
        self._record(caller, "user.update", user)
        return user

    def delete(self, caller: Caller, user_id: str) -> None:
        """Delete a user with their roles, keys and password: tokens open nothing from then on."""
        user = self.get(user_id)
        if user_id in (SYSTEM_USER, caller.user_id):
            raise Invalid("this user cannot be deleted by you")
        self._keys.delete_of_user(user_id)
        self._credentials.delete(user_id)
        for role in self._store.query(UserRole.of_user(user_id=user_id).consistent()):
            self._store.delete(role)
        self._store.transact(Delete(User.key(user_id=user_id)), change_mark())
        self._record(caller, "user.delete", user)

    def reset_password(self, caller: Caller, user_id: str) -> User:
        """Replace the password with a temporary one, which is sent to the user. Roles stay."""
        user = self.get(user_id)
        if user_id == SYSTEM_USER:
            raise Invalid("this user does not sign in")
        changes = {
            "user_status": "FORCE_CHANGE_PASSWORD",
            "user_last_modified_date": now_text(),
        }
        user = self._store.put(user.model_copy(update=changes))
        self._send_password(user)
        self._record(caller, "user.resetPassword", user)
        return user

    def set_password(self, user_id: str, password: str, *, is_temporary: bool = False) -> None:
        """Give a user a password: the end of a login with a temporary one, or a command."""
        user = self.get(user_id)
        self._credentials.set(user_id, password, is_temporary=is_temporary)
        status = "FORCE_CHANGE_PASSWORD" if is_temporary else "CONFIRMED"
        changes = {"user_status": status, "user_last_modified_date": now_text()}
        self._store.put(user.model_copy(update=changes))

    def _send_password(self, user: User) -> None:
        password = new_password()
        self._credentials.set(user.user_id, password, is_temporary=True)
        self._outbox.send(
            user.email or user.user_id,
            "Your temporary password",
            f"Sign in as {user.user_id} with the temporary password {password}\n"
            "and choose another one.",
        )

    def _record(self, caller: Caller, action: str, user: User) -> None:
        self._access.audit.record("AUTHCHANGES", caller, action, f"user/{user.user_id}")


def user_answer(user: User) -> dict[str, Any]:
    """A user as lists show them."""
    return {
        "userId": user.user_id,
        "email": user.email or "",
        "phone": user.phone or "",
        "userStatus": user.user_status or "EXTERNAL_PROVIDER",
        "enabled": user.enabled is not False,
        "userCreateDate": user.user_create_date or "",
        "userLastModifiedDate": user.user_last_modified_date or "",
        "mfaEnabled": bool(user.mfa_enabled),
    }
