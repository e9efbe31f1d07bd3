"""A constraint as clients write and read it, and its rows: one auth entity with the definition, and
one row for each group and user, which the indexes of the constraints table find.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self

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
from sortkey_systems.vams.access.objects import OBJECT_CLASSES, Verb
from sortkey_systems.vams.model import AuthEntity, GroupConstraint, UserConstraint

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


def stored_rule(entity: AuthEntity) -> Rule | None:
    """The rule of a stored definition, which may be older than today's checks. None if it cannot
    be read: then it neither allows nor denies.
    """
    found: dict[str, Any] = entity.definition or {}
    try:
        return ConstraintDefinition.model_construct(
            constraintId=str(found["constraintId"]),
            objectType=str(found["objectType"]),
            criteriaAnd=_values(CriterionValue, found.get("criteriaAnd")),
            criteriaOr=_values(CriterionValue, found.get("criteriaOr")),
            groupPermissions=_values(GroupPermission, found.get("groupPermissions")),
            userPermissions=_values(UserPermission, found.get("userPermissions")),
        ).rule()
    except (KeyError, ValueError):
        return None


def _values(kind: Any, stored: Any) -> list[Any]:
    return [kind.model_validate(each) for each in stored or ()]
