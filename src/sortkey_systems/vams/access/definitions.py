"""A constraint as clients write and read it, and its rows: one auth entity with the definition, and
one row for each group and user, which the indexes of the constraints table find.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sortkey import Entity
from sortkey_systems.vams.access.criteria import (
    VALUE_CHARACTERS_MAX,
    VALUES_MAX,
    Criterion,
    Operator,
    problem_of,
)
from sortkey_systems.vams.access.decisions import Permission, PermissionType, Rule
from sortkey_systems.vams.access.decisions import of_group as group_principal
from sortkey_systems.vams.access.decisions import of_user as user_principal
from sortkey_systems.vams.access.objects import OBJECT_CLASSES, VERBS, Verb
from sortkey_systems.vams.model import AuthEntity, GroupConstraint, UserConstraint

log = logging.getLogger("sortkey.vams")

CONSTRAINT = "constraint"
"""The entity type of definitions."""
PRINCIPALS_MAX = 40
"""Groups and users of one constraint: its rows are written in one transaction."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9\-._ ]{1,256}$")]
Text = Annotated[str, Field(max_length=VALUE_CHARACTERS_MAX)]


class CriterionValue(BaseModel):
    """A criterion as it is written."""

    model_config = ConfigDict(extra="ignore")
    field: Annotated[str, Field(min_length=1, max_length=256)]
    operator: Operator
    value: Text | Annotated[list[Text], Field(max_length=VALUES_MAX)]

    def criterion(self) -> Criterion:
        value = self.value if isinstance(self.value, str) else tuple(self.value)
        return Criterion(self.field, self.operator, value)


class GroupPermission(BaseModel):
    model_config = ConfigDict(extra="ignore")
    groupId: Name
    permission: Verb
    permissionType: PermissionType


class UserPermission(BaseModel):
    model_config = ConfigDict(extra="ignore")
    userId: Annotated[str, Field(pattern=r"^[\w\-.+@]+$", min_length=3, max_length=256)]
    permission: Verb
    permissionType: PermissionType


class ConstraintDefinition(BaseModel):
    """A constraint, checked: fields exist, expressions can be read."""

    model_config = ConfigDict(extra="ignore")
    constraintId: Name
    name: Name
    description: Annotated[str, Field(min_length=1, max_length=256)]
    objectType: str
    criteriaAnd: Annotated[list[CriterionValue], Field(max_length=100)] = []
    criteriaOr: Annotated[list[CriterionValue], Field(max_length=100)] = []
    groupPermissions: Annotated[list[GroupPermission], Field(max_length=400)] = []
    userPermissions: Annotated[list[UserPermission], Field(max_length=400)] = []

    @field_validator(
        "criteriaAnd", "criteriaOr", "groupPermissions", "userPermissions", mode="before"
    )
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        return [] if value is None else value

    @field_validator("objectType")
    @classmethod
    def _known_type(cls, value: str) -> str:
        if value not in OBJECT_CLASSES:
            raise ValueError(f"unknown object type: use one of {', '.join(OBJECT_CLASSES)}")
        return value

    @model_validator(mode="after")
    def _checked(self) -> Self:
        criteria = [*self.criteriaAnd, *self.criteriaOr]
        if not criteria:
            raise ValueError("criteriaAnd or criteriaOr needs at least one criterion")
        for each in criteria:
            problem = problem_of(self.objectType, each.criterion())
            if problem:
                raise ValueError(problem)
        if len(self._groups() | self._users()) > PRINCIPALS_MAX:
            raise ValueError(f"at most {PRINCIPALS_MAX} groups and users: use more constraints")
        return self

    def _groups(self) -> set[str]:
        return {each.groupId for each in self.groupPermissions}

    def _users(self) -> set[str]:
        return {each.userId for each in self.userPermissions}

    # -- as it is evaluated

    def rule(self) -> Rule:
        """What decisions are made of."""
        groups = [
            Permission(group_principal(each.groupId), each.permission, each.permissionType)
            for each in self.groupPermissions
        ]
        users = [
            Permission(user_principal(each.userId), each.permission, each.permissionType)
            for each in self.userPermissions
        ]
        return Rule(
            self.constraintId,
            self.objectType,
            tuple(each.criterion() for each in self.criteriaAnd),
            tuple(each.criterion() for each in self.criteriaOr),
            (*groups, *users),
        )

    # -- as it is stored

    def head(self) -> AuthEntity:
        """The row with the whole definition."""
        return AuthEntity(
            entity_type=CONSTRAINT,
            sk=f"{CONSTRAINT}#{self.constraintId}",
            definition=self.model_dump(),
        )

    def rows(self) -> Iterator[Entity]:
        """The rows of its groups and users."""
        shared = self._shared()
        for group in sorted(self._groups()):
            permissions = [_row(each) for each in self.groupPermissions if each.groupId == group]
            yield GroupConstraint(group_id=group, permissions=permissions, **shared)
        for user in sorted(self._users()):
            permissions = [_row(each) for each in self.userPermissions if each.userId == user]
            yield UserConstraint(user_id=user, permissions=permissions, **shared)

    def _shared(self) -> dict[str, Any]:
        return {
            "constraint_id": self.constraintId,
            "object_type": self.objectType,
            "name": self.name,
            "description": self.description,
            "criteria_and": [each.model_dump() for each in self.criteriaAnd],
            "criteria_or": [each.model_dump() for each in self.criteriaOr],
        }


def _row(permission: GroupPermission | UserPermission) -> dict[str, str]:
    return {
        "permission": permission.permission,
        "permissionType": permission.permissionType,
    }


def stored_rules(entity: AuthEntity) -> list[Rule]:
    """The rules of a stored definition, which may be older than today's checks. What cannot be
    read is marked, so that its denies count; without an object type it is about every type.
    """
    found: dict[str, Any] = entity.definition or {}
    constraint_id = str(found.get("constraintId") or entity.sk)
    permissions = (
        *_permissions(constraint_id, found.get("groupPermissions"), "groupId", group_principal),
        *_permissions(constraint_id, found.get("userPermissions"), "userId", user_principal),
    )
    kind = found.get("objectType")
    try:
        criteria_and = _criteria(found.get("criteriaAnd"))
        criteria_or = _criteria(found.get("criteriaOr"))
        is_unreadable = not isinstance(kind, str)
    except (TypeError, ValueError):
        criteria_and, criteria_or, is_unreadable = (), (), True
    kinds = [kind] if isinstance(kind, str) else [*OBJECT_CLASSES]
    return [
        Rule(constraint_id, each, criteria_and, criteria_or, permissions, is_unreadable)
        for each in kinds
    ]


def _criteria(stored: Any) -> tuple[Criterion, ...]:
    return tuple(CriterionValue.model_validate(each).criterion() for each in stored or ())


def _permissions(
    constraint_id: str, stored: Any, name: str, principal_of: Callable[[str], str]
) -> Iterator[Permission]:
    """Stored permissions. One that is not clearly an allow is a deny; without a verb that is known
    it denies all.
    """
    for each in cast("list[Any]", stored) if isinstance(stored, list) else ():
        fields = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        if not isinstance(fields.get(name), str):
            log.error("a permission of constraint %s names no %s", constraint_id, name)
            continue
        principal = principal_of(fields[name])
        verb: Verb | None = next(
            (known for known in VERBS if known == fields.get("permission")), None
        )
        is_allow = fields.get("permissionType") == "allow"
        if verb is not None:
            yield Permission(principal, verb, "allow" if is_allow else "deny")
        elif not is_allow:
            log.error("a deny of constraint %s has an unknown verb", constraint_id)
            yield from (Permission(principal, known, "deny") for known in VERBS)
