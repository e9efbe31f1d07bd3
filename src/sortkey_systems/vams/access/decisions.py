"""Decisions about permissions: constraints, compiled once, and the answer to one question.

Pure: no store, no request. An object may be used when at least one allow matches and no deny does.
`explain` names the constraints that decided.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.criteria import (
    Criterion,
    Test,
    compile_criterion,
    is_always_true,
    known_criteria,
    literal_values,
)
from sortkey_systems.vams.access.objects import AccessObject, ApiObject, Verb, WebObject

log = logging.getLogger("sortkey.vams")

PermissionType = Literal["allow", "deny"]
REMEMBERED_MAX = 50_000
"""Decisions that are remembered until the constraints change."""
REMEMBERED_CHARACTERS_MAX = 256
"""Of the path in such a decision: a caller could send any number of long ones."""


@dataclass(frozen=True, slots=True)
class Permission:
    """A verb that a group (role) or a user is allowed or denied."""

    principal: str
    """`group#<role>` or `user#<user id>`."""
    verb: Verb
    kind: PermissionType


def of_group(role_name: str) -> str:
    """The principal of a role."""
    return f"group#{role_name}"


def of_user(user_id: str) -> str:
    """The principal of a user."""
    return f"user#{user_id}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint as it is evaluated."""

    constraint_id: str
    object_type: str
    criteria_and: tuple[Criterion, ...] = ()
    criteria_or: tuple[Criterion, ...] = ()
    permissions: tuple[Permission, ...] = ()
    is_unreadable: bool = False
    """Stored in a way that cannot be read: its denies match everything, its allows nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is allowed, and the constraints that say so."""

    is_allowed: bool
    allowed_by: tuple[str, ...] = ()
    denied_by: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """A sentence for people."""
        if self.denied_by:
            return f"denied by {', '.join(self.denied_by)}"
        if self.allowed_by:
            return f"allowed by {', '.join(self.allowed_by)}"
        return "no constraint allows it"


@dataclass(slots=True)
class _Bucket:
    """Compiled constraints of one principal, object type, verb and kind."""

    always: list[str] = field(default_factory=list[str])
    """Constraints that match every object."""
    anchored: dict[str, dict[str, list[tuple[str, Test]]]] = field(
        default_factory=dict[str, dict[str, list[tuple[str, Test]]]]
    )
    """By field and value: constraints that can match only objects with this value."""
    others: list[tuple[str, Test]] = field(default_factory=list[tuple[str, Test]])

    def matches(self, subject: AccessObject) -> bool:
        if self.always:
            return True
        for name, by_value in self.anchored.items():
            for _, test in _anchored(by_value, getattr(subject, name)):
                if test(subject):
                    return True
        return any(test(subject) for _, test in self.others)

    def matching(self, subject: AccessObject) -> list[str]:
        candidates = [*self.others]
        for name, by_value in self.anchored.items():
            candidates += _anchored(by_value, getattr(subject, name))
        found = [constraint_id for constraint_id, test in candidates if test(subject)]
        return [*self.always, *dict.fromkeys(found)]


def _anchored(
    by_value: dict[str, list[tuple[str, Test]]], value: str | tuple[str, ...]
) -> Sequence[tuple[str, Test]]:
    if isinstance(value, str):
        return by_value.get(value, ())
    return [each for element in value for each in by_value.get(element, ())]


def _is_long(subject: AccessObject) -> bool:
    is_path = isinstance(subject, (ApiObject, WebObject))
    return is_path and len(subject.route__path) > REMEMBERED_CHARACTERS_MAX


_Key = tuple[str, str, str, str]
"""Principal, object type, verb, and allow or deny."""


class Rules:
    """All constraints of an installation, compiled."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._buckets: dict[_Key, _Bucket] = {}
        self._rules: dict[_Key, list[Rule]] = {}
        self._remembered: dict[tuple[str, tuple[str, ...], str, AccessObject], bool] = {}
        for rule in rules:
            self._add(rule)

    def allows(self, caller: Caller, verb: Verb, subject: AccessObject) -> bool:
        """Whether a caller may use an object in this way."""
        question = (caller.user_id, caller.roles, verb, subject)
        known = self._remembered.get(question)
        if known is None:
            known = self._decide(caller, verb, subject)
            if _is_long(subject):
                return known
            if len(self._remembered) >= REMEMBERED_MAX:
                self._remembered.clear()
            self._remembered[question] = known
        return known

    def explain(self, caller: Caller, verb: Verb, subject: AccessObject) -> Decision:
        """The same, with every constraint that allows or denies it."""
        allowed: list[str] = []
        denied: list[str] = []
        for bucket in self._buckets_of(caller, verb, subject, "allow"):
            allowed += bucket.matching(subject)
        for bucket in self._buckets_of(caller, verb, subject, "deny"):
            denied += bucket.matching(subject)
        return Decision(
            bool(allowed) and not denied,
            tuple(sorted(set(allowed))),
            tuple(sorted(set(denied))),
        )

    def concerning(
        self, caller: Caller, verb: Verb, object_type: str, kind: PermissionType
    ) -> list[Rule]:
        """The constraints that allow or deny a caller something, whatever their criteria: for
        queries that decide about many objects at once.
        """
        if not caller.roles:
            return []
        principals = [of_user(caller.user_id), *map(of_group, caller.roles)]
        keys = ((each, object_type, verb, kind) for each in principals)
        return list(dict.fromkeys(rule for key in keys for rule in self._rules.get(key, ())))

    def _decide(self, caller: Caller, verb: Verb, subject: AccessObject) -> bool:
        if not any(
            bucket.matches(subject) for bucket in self._buckets_of(caller, verb, subject, "allow")
        ):
            return False
        denies = self._buckets_of(caller, verb, subject, "deny")
        return not any(bucket.matches(subject) for bucket in denies)

    def _buckets_of(
        self, caller: Caller, verb: Verb, subject: AccessObject, kind: PermissionType
    ) -> list[_Bucket]:
        if not caller.roles:  # a user without a role has no permission, not even a personal one
            return []
        principals = [of_user(caller.user_id), *map(of_group, caller.roles)]
        keys = ((each, subject.object_type, verb, kind) for each in principals)
        return [self._buckets[key] for key in keys if key in self._buckets]

    def _add(self, rule: Rule) -> None:
        compiled: dict[PermissionType, _Compiled | None] = {}
        for permission in dict.fromkeys(rule.permissions):
            if permission.kind not in compiled:
                compiled[permission.kind] = _Compiled.of(rule, permission.kind)
            test = compiled[permission.kind]
            if test is None:
                continue
            key = (permission.principal, rule.object_type, permission.verb, permission.kind)
            self._rules.setdefault(key, []).append(rule)
            test.put_into(self._buckets.setdefault(key, _Bucket()), rule.constraint_id)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule as one test, with what lets most objects be passed over without it."""

    test: Test
    is_always: bool
    anchor: tuple[str, tuple[str, ...]] | None

    @classmethod
    def of(cls, rule: Rule, kind: PermissionType) -> _Compiled | None:
        """A rule without a criterion that can be read denies everything and allows nothing."""
        is_deny = kind == "deny"
        all_of = known_criteria(rule.object_type, rule.criteria_and)
        one_of = known_criteria(rule.object_type, rule.criteria_or)
        if rule.is_unreadable or not (all_of or one_of):
            log.error("the %s of constraint %s cannot be read", kind, rule.constraint_id)
            return cls(lambda subject: True, True, None) if is_deny else None
        always = all(map(is_always_true, all_of)) and (
            not one_of or any(map(is_always_true, one_of))
        )
        anchors = ((each.field, literal_values(each)) for each in all_of)
        anchor = next(((name, values) for name, values in anchors if values is not None), None)
        return cls(_combined(all_of, one_of, is_deny=is_deny), always, anchor)

    def put_into(self, bucket: _Bucket, constraint_id: str) -> None:
        entry = (constraint_id, self.test)
        if self.is_always:
            bucket.always.append(constraint_id)
        elif self.anchor is not None:
            name, values = self.anchor
            for value in values:
                bucket.anchored.setdefault(name, {}).setdefault(value, []).append(entry)
        else:
            bucket.others.append(entry)


def _combined(all_of: Sequence[Criterion], one_of: Sequence[Criterion], *, is_deny: bool) -> Test:
    """All of the first and, where there are any, one of the second."""
    required = [compile_criterion(each, is_deny=is_deny) for each in all_of]
    choices = [compile_criterion(each, is_deny=is_deny) for each in one_of]
    if len(required) == 1 and not choices:
        return required[0]
    return lambda subject: (
        all(test(subject) for test in required)
        and (not choices or any(test(subject) for test in choices))
    )
