"""Roles, and which user has which."""

from __future__ import annotations

import uuid
from collections import defaultdict
from typing import Annotated, Any

from pydantic import BaseModel, Field

from sortkey import Action, Delete, Put, Store, Update, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access, change_mark
from sortkey_systems.vams.access.objects import RoleObject, UserRoleObject, Verb
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import Role, UserRole

ROLES_MAX = 40
"""Roles of a user."""
WRITES_MAX = 2 * ROLES_MAX
"""In one transaction: enough to replace all roles of a user."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9\-._ ]{1,256}$")]
UserId = Annotated[str, Field(pattern=r"^[\w\-.+@]+$", min_length=3, max_length=256)]
Text = Annotated[str, Field(max_length=256)]


class RoleValues(BaseModel):
    """A role as it is written. In a change, what is not given stays."""

    roleName: Name
    description: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    source: Text | None = None
    sourceIdentifier: Text | None = None
    mfaRequired: bool | None = None


class UserRolesValues(BaseModel):
    """Roles of a user."""

    userId: UserId
    roleName: Annotated[list[Name], Field(min_length=1, max_length=ROLES_MAX)]


class Roles:
    """The roles of an installation."""

    def __init__(self, store: Store, access: Access) -> None:
        self._store, self._access = store, access

    def all(self, caller: Caller) -> list[Role]:
        """The roles that the caller may see."""
        is_visible = self._access.filter(caller)
        return [role for role in self._store.scan(Role) if is_visible(RoleObject(role.role_name))]

    def create(self, caller: Caller, wanted: RoleValues) -> Role:
        """A new role."""
        self._access.require(caller, "POST", RoleObject(wanted.roleName))
        if wanted.description is None:
            raise Invalid("a role needs a description")
        role = Role(
            role_name=wanted.roleName,
            id=str(uuid.uuid4()),
            description=wanted.description,
            created_on=now_text(),
            source=wanted.source,
            source_identifier=wanted.sourceIdentifier,
            mfa_required=bool(wanted.mfaRequired),
        )
        try:
            self._store.transact(Put(role, "create"), change_mark())
        except TransactionFailed:
            raise Invalid(f"the role {wanted.roleName} already exists") from None
        self._record(caller, "role.create", role.role_name)
        return role

    def change(self, caller: Caller, wanted: RoleValues) -> Role:
        """Change a role. What is not given stays."""
        self._access.require(caller, "PUT", RoleObject(wanted.roleName))
        if wanted.mfaRequired and not caller.has_mfa and wanted.roleName in caller.roles:
            raise Invalid(
                "this would take the role from you: sign in with a one-time code first "
                "(`sortkey vams mfa USER` sets it up)"
            )
        role = self._get(wanted.roleName)
        actions = _actions(wanted)
        if actions:
            try:  # only what changes: a requirement of MFA that others write meanwhile stays
                update = Update(Role.key(role_name=role.role_name), actions)
                self._store.transact(update, change_mark())
            except TransactionFailed:
                raise NotThere(f"the role {role.role_name} was deleted meanwhile") from None
        self._record(caller, "role.update", role.role_name)
        return self._get(role.role_name)

    def delete(self, caller: Caller, role_name: str) -> None:
        """Delete a role, and take it from the users who have it. The role goes last, so that what
        was interrupted can be done again.
        """
        self._access.require(caller, "DELETE", RoleObject(role_name))
        self._get(role_name)
        rows = [row for row in self._store.scan(UserRole) if row.role_name == role_name]
        keys = [UserRole.key(user_id=row.user_id, role_name=role_name) for row in rows]
        self._store.batch_write(deletes=keys)
        self._store.transact(Delete(Role.key(role_name=role_name)), change_mark())
        self._record(caller, "role.delete", role_name)

    # -- of users

    def of_users(self, caller: Caller) -> list[dict[str, Any]]:
        """Users with those of their roles that the caller may see."""
        is_visible = self._access.filter(caller)
        grouped: dict[str, list[UserRole]] = defaultdict(list)
        for row in self._store.scan(UserRole):
            if is_visible(UserRoleObject(row.role_name, row.user_id)):
                grouped[row.user_id].append(row)
        return [
            {
                "userId": user_id,
                "roleName": sorted(row.role_name for row in rows),
                "createdOn": min((row.created_on or "" for row in rows), default=""),
            }
            for user_id, rows in grouped.items()
        ]

    def assign(self, caller: Caller, wanted: UserRolesValues) -> None:
        """Give a user roles besides those they have."""
        self._write(caller, wanted.userId, added=set(wanted.roleName), removed=set())

    def replace(self, caller: Caller, wanted: UserRolesValues) -> None:
        """Give a user these roles and no others."""
        user_id = wanted.userId
        current, future = self._names_of(user_id), set(wanted.roleName)
        if current == future:  # who may not change them must not learn that they are these
            self._require(caller, "POST", user_id, future)
        self._write(caller, user_id, added=future - current, removed=current - future)

    def remove_all(self, caller: Caller, user_id: str) -> None:
        """Take all roles from a user."""
        current = self._names_of(user_id)
        if not current:
            self._require(caller, "DELETE", user_id, {""})
            raise NotThere("the user has no roles")
        self._write(caller, user_id, added=set(), removed=current)

    def _write(self, caller: Caller, user_id: str, *, added: set[str], removed: set[str]) -> None:
        self._require(caller, "POST", user_id, added)
        self._require(caller, "DELETE", user_id, removed)
        if added and len((self._names_of(user_id) | added) - removed) > ROLES_MAX:
            raise Invalid(f"a user has at most {ROLES_MAX} roles")
        for name in sorted(added):
            self._get(name)
        now = now_text()
        writes = [
            *(Delete(UserRole.key(user_id=user_id, role_name=name)) for name in sorted(removed)),
            *(
                Put(UserRole(user_id=user_id, role_name=name, created_on=now))
                for name in sorted(added)
            ),
        ]
        for start in range(0, len(writes), WRITES_MAX):
            self._store.transact(*writes[start : start + WRITES_MAX], change_mark())
        self._access.audit.record(
            "AUTHCHANGES",
            caller,
            "userrole.change",
            f"user/{user_id}",
            added=sorted(added),
            removed=sorted(removed),
        )

    def _require(self, caller: Caller, verb: Verb, user_id: str, names: set[str]) -> None:
        objects = (UserRoleObject(name, user_id) for name in sorted(names))
        self._access.require(caller, verb, *objects)

    def _names_of(self, user_id: str) -> set[str]:
        rows = self._store.query(UserRole.of_user(user_id=user_id).consistent())
        return {row.role_name for row in rows}

    def _get(self, role_name: str) -> Role:
        found = self._store.find(Role.key(role_name=role_name), consistent=True)
        if found is None:
            raise NotThere(f"the role {role_name[:256]} does not exist")
        return found

    def _record(self, caller: Caller, action: str, role_name: str) -> None:
        self._access.audit.record("AUTHCHANGES", caller, action, f"role/{role_name}")


def _actions(wanted: RoleValues) -> tuple[Action, ...]:
    """The changes of what is given."""
    texts = (
        (attr(Role.description), wanted.description),
        (attr(Role.source), wanted.source),
        (attr(Role.source_identifier), wanted.sourceIdentifier),
    )
    actions: list[Action] = [field.set(text) for field, text in texts if text is not None]
    if wanted.mfaRequired is not None:
        actions.append(attr(Role.mfa_required).set(wanted.mfaRequired))
    return tuple(actions)


def role_answer(role: Role) -> dict[str, Any]:
    """A role as lists show it."""
    return {
        "id": role.id or role.role_name,
        "roleName": role.role_name,
        "description": role.description or "",
        "createdOn": role.created_on or "",
        "source": role.source or "",
        "sourceIdentifier": role.source_identifier or "",
        "mfaRequired": bool(role.mfa_required),
    }
