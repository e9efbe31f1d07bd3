"""`Access`: the decisions of an installation, over its tables.

Constraints and roles are compiled once per change. A change writes a mark in the same transaction;
each request reads the mark, so that a change counts from the next request on, in every process.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from sortkey import Put, Store
from sortkey_systems.vams.access.audit import AuditLog
from sortkey_systems.vams.access.callers import SYSTEM_USER, Caller
from sortkey_systems.vams.access.decisions import Decision, Rule, Rules
from sortkey_systems.vams.access.definitions import CONSTRAINT, stored_rules
from sortkey_systems.vams.access.objects import AccessObject, Verb
from sortkey_systems.vams.failures import Denied
from sortkey_systems.vams.model import AuthEntity, Role, User, UserRole

CHANGE = "change"
_CHANGE_KEY = AuthEntity.key(entity_type=CHANGE, sk="access")
USERS_REMEMBERED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class _UserRoles:
    """The roles of a user, and those that need MFA."""

    always: tuple[str, ...]
    with_mfa: tuple[str, ...]


@dataclass(slots=True)
class _Snapshot:
    """What was read at one mark."""

    mark: str | None
    rules: Rules
    users: dict[str, _UserRoles] = field(default_factory=dict[str, "_UserRoles"])


def change_mark() -> Put[AuthEntity]:
    """The write that makes every process read constraints, roles and users again: part of each
    transaction that changes them.
    """
    mark = {"mark": secrets.token_hex(8)}
    return Put(AuthEntity(entity_type=CHANGE, sk="access", definition=mark))


class Access:
    """Answers whether a caller may do something. Get the caller from `caller`, which looks for
    changes, once per request or job.
    """

    def __init__(self, store: Store, audit: AuditLog) -> None:
        self.audit = audit
        self._store = store
        self._lock = threading.Lock()
        self._snapshot: _Snapshot | None = None

    def caller(
        self, user_id: str, *, has_mfa: bool = False, api_key_id: str | None = None
    ) -> Caller:
        """A user with the roles of this moment; none if the user is disabled."""
        roles = self._roles(self._current(), user_id)
        active = (*roles.always, *roles.with_mfa) if has_mfa else roles.always
        return Caller(user_id, tuple(sorted(active)), has_mfa, api_key_id)

    def system_caller(self) -> Caller:
        """The user that runs pipelines and automatic workflows."""
        return self.caller(SYSTEM_USER)

    def allowed(self, caller: Caller, verb: Verb, subject: AccessObject) -> bool:
        """Whether a caller may use an object: for the filters of lists. Nothing is audited."""
        return self._rules().allows(caller, verb, subject)

    def filter(self, caller: Caller, verb: Verb = "GET") -> Callable[[AccessObject], bool]:
        """The same as a function of the object, for many objects."""
        rules = self._rules()
        return lambda subject: rules.allows(caller, verb, subject)

    def rules(self, caller: Caller, verb: Verb, object_type: str) -> tuple[list[Rule], list[Rule]]:
        """The constraints that allow a caller something, and those that deny it."""
        rules = self._rules()
        return (
            rules.concerning(caller, verb, object_type, "allow"),
            rules.concerning(caller, verb, object_type, "deny"),
        )

    def require(self, caller: Caller, verb: Verb, *subjects: AccessObject) -> None:
        """Raise Denied, and record it, unless the caller may use all objects in this way."""
        rules = self._rules()
        for subject in subjects:
            if not rules.allows(caller, verb, subject):
                self._record_denial(rules, caller, verb, subject)
                raise Denied

    def explain(self, caller: Caller, verb: Verb, subject: AccessObject) -> Decision:
        """The decision with the constraints that made it."""
        return self._rules().explain(caller, verb, subject)

    # -- what was read

    def _rules(self) -> Rules:
        snapshot = self._snapshot
        return snapshot.rules if snapshot is not None else self._current().rules

    def _current(self) -> _Snapshot:
        """The snapshot of the latest change. The mark is read first, so that a snapshot is never
        older than its mark.
        """
        found = self._store.find(_CHANGE_KEY, consistent=True)
        mark = (found.definition or {}).get("mark") if found else None
        snapshot = self._snapshot
        if snapshot is not None and snapshot.mark == mark:
            return snapshot
        with self._lock:
            definitions = self._store.query(AuthEntity.of_type(entity_type=CONSTRAINT).consistent())
            rules = [rule for each in definitions for rule in stored_rules(each)]
            self._snapshot = snapshot = _Snapshot(mark, Rules(rules))
        return snapshot

    def _roles(self, snapshot: _Snapshot, user_id: str) -> _UserRoles:
        known = snapshot.users.get(user_id)
        if known is None:
            known = self._read_roles(user_id)
            if len(snapshot.users) >= USERS_REMEMBERED_MAX:
                snapshot.users.clear()
            snapshot.users[user_id] = known
        return known

    def _read_roles(self, user_id: str) -> _UserRoles:
        user = self._store.find(User.key(user_id=user_id), consistent=True)
        if user is not None and user.enabled is False:
            return _UserRoles((), ())
        names = [
            each.role_name
            for each in self._store.query(UserRole.of_user(user_id=user_id).consistent())
        ]
        keys = [Role.key(role_name=name) for name in names]
        roles = [role for role in self._store.batch_get(keys, consistent=True) if role is not None]
        if user_id == SYSTEM_USER:  # it has no session that could have MFA
            return _UserRoles(tuple(role.role_name for role in roles), ())
        return _UserRoles(
            tuple(role.role_name for role in roles if not role.mfa_required),
            tuple(role.role_name for role in roles if role.mfa_required),
        )

    def _record_denial(
        self, rules: Rules, caller: Caller, verb: Verb, subject: AccessObject
    ) -> None:
        self.audit.record(
            "AUTHORIZATION",
            caller,
            "denied",
            subject.object_type,
            is_denied=True,
            verb=verb,
            object=repr(subject),
            reason=rules.explain(caller, verb, subject).reason,
        )
