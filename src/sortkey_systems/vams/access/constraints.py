"""Constraints of an installation: written whole, found by their exact id, imported by templates."""

from __future__ import annotations

import json
import re
import uuid
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field

from sortkey import Delete, Entity, Put, Store
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access, change_mark
from sortkey_systems.vams.access.definitions import CONSTRAINT, ConstraintDefinition
from sortkey_systems.vams.access.objects import Verb
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import AuthEntity, GroupConstraint, UserConstraint

TEMPLATE_CONSTRAINTS_MAX = 200
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")


class TemplateVariable(BaseModel):
    model_config = ConfigDict(extra="ignore")
    name: Annotated[str, Field(pattern=r"^\w+$", max_length=256)]
    required: bool = False
    default: str | None = None


class TemplateName(BaseModel):
    model_config = ConfigDict(extra="ignore")
    name: str = ""


class Template(BaseModel):
    """Constraints with `{{VARIABLES}}`, and the values of those."""

    model_config = ConfigDict(extra="ignore")
    template: TemplateName | str | None = None
    metadata: TemplateName | None = None
    variables: Annotated[list[TemplateVariable], Field(max_length=100)] = []
    variableValues: dict[str, str] = {}
    constraints: Annotated[
        list[dict[str, Any]], Field(min_length=1, max_length=TEMPLATE_CONSTRAINTS_MAX)
    ]


class Constraints:
    """Reads and writes constraints. Who may do so is decided by tier 1."""

    def __init__(self, store: Store, access: Access) -> None:
        self._store, self._access = store, access

    def all(self) -> list[dict[str, Any]]:
        """Every constraint."""
        rows = self._store.query(AuthEntity.of_type(entity_type=CONSTRAINT).consistent())
        return [row.definition for row in rows if row.definition]

    def get(self, constraint_id: str) -> dict[str, Any]:
        """One by its exact id. Raises NotThere."""
        found = self._store.find(_key(constraint_id), consistent=True)
        if found is None or not found.definition:
            raise NotThere("Constraint not found")
        return found.definition

    def write(self, caller: Caller, definition: ConstraintDefinition) -> bool:
        """Create or replace a constraint. Returns whether it is new."""
        before = self._store.find(_key(definition.constraintId), consistent=True)
        rows = [*definition.rows()]
        kept = {_row_key(row) for row in rows}
        stale = [key for key in _row_keys(before) if key not in kept]
        self._store.transact(
            Put(definition.head()), *map(Put, rows), *map(Delete, stale), change_mark()
        )
        action = "create" if before is None else "update"
        self._record(caller, action, definition.constraintId)
        return before is None

    def delete(self, caller: Caller, constraint_id: str) -> None:
        """Delete one by its exact id."""
        self.get(constraint_id)
        before = self._store.find(_key(constraint_id), consistent=True)
        self._store.transact(
            Delete(_key(constraint_id)), *map(Delete, _row_keys(before)), change_mark()
        )
        self._record(caller, "delete", constraint_id)

    def import_template(self, caller: Caller, template: Template) -> list[str]:
        """Write the constraints of a template; gives their ids. All are checked before the first
        is written.
        """
        definitions = _definitions(template)
        for definition in definitions:
            self.write(caller, definition)
        return [definition.constraintId for definition in definitions]

    def _record(self, caller: Caller, action: str, constraint_id: str) -> None:
        self._access.audit.record(
            "AUTHCHANGES", caller, f"constraint.{action}", f"constraint/{constraint_id}"
        )


def _key(constraint_id: str) -> Any:
    return AuthEntity.key(entity_type=CONSTRAINT, sk=f"{CONSTRAINT}#{constraint_id}")


def _row_key(row: Entity) -> Any:
    if isinstance(row, GroupConstraint):
        return GroupConstraint.key(constraint_id=row.constraint_id, group_id=row.group_id)
    assert isinstance(row, UserConstraint)
    return UserConstraint.key(constraint_id=row.constraint_id, user_id=row.user_id)


def _row_keys(head: AuthEntity | None) -> list[Any]:
    """The keys of the rows of a stored definition."""
    if head is None or not head.definition:
        return []
    definition = head.definition
    name = head.sk.removeprefix(f"{CONSTRAINT}#")
    groups = _named(definition.get("groupPermissions"), "groupId")
    users = _named(definition.get("userPermissions"), "userId")
    return [
        *(GroupConstraint.key(constraint_id=name, group_id=each) for each in sorted(groups)),
        *(UserConstraint.key(constraint_id=name, user_id=each) for each in sorted(users)),
    ]


def _named(permissions: Any, name: str) -> set[str]:
    """Whom stored permissions name. One that cannot be read must not keep its constraint."""
    found = cast("list[Any]", permissions) if isinstance(permissions, list) else []
    names = (cast("dict[str, Any]", each).get(name) for each in found if isinstance(each, dict))
    return {each for each in names if isinstance(each, str) and each}


# -- templates


def _definitions(template: Template) -> list[ConstraintDefinition]:
    values = _values(template)
    role = values.get("ROLE_NAME")
    if not role:
        raise Invalid("variableValues needs ROLE_NAME: the role that the constraints are for")
    return [_definition(_filled(each, values), role) for each in template.constraints]


def _values(template: Template) -> dict[str, str]:
    values = dict(template.variableValues)
    for variable in template.variables:
        if variable.name in values:
            continue
        if variable.default is not None:
            values[variable.name] = variable.default
        elif variable.required:
            raise Invalid(f"the template needs a value for {variable.name}")
    return values


def _filled(part: Any, values: dict[str, str]) -> Any:
    """A part with its variables replaced. Values stay data: they are put into texts, never read
    as JSON or as other variables.
    """
    if isinstance(part, str):
        return _VARIABLE.sub(lambda match: _value(match[1].strip(), values), part)
    if isinstance(part, list):
        return [_filled(each, values) for each in cast("list[Any]", part)]
    if isinstance(part, dict):
        fields = cast("dict[str, Any]", part)
        return {name: _filled(each, values) for name, each in fields.items()}
    return part


def _value(name: str, values: dict[str, str]) -> str:
    if name not in values:
        raise Invalid(f"the template has a variable without a value: {name[:100]!r}")
    return values[name]


def _definition(constraint: dict[str, Any], role: str) -> ConstraintDefinition:
    permissions = [
        {
            "groupId": each.get("groupId") or role,
            "permission": _verb(each.get("action") or each.get("permission")),
            "permissionType": each.get("type") or each.get("permissionType"),
        }
        for each in _objects(constraint.get("groupPermissions"))
    ]
    return ConstraintDefinition.model_validate(
        {
            "constraintId": str(uuid.uuid4()),
            "name": constraint.get("name"),
            "description": constraint.get("description") or constraint.get("name"),
            "objectType": constraint.get("objectType"),
            "criteriaAnd": constraint.get("criteriaAnd"),
            "criteriaOr": constraint.get("criteriaOr"),
            "groupPermissions": permissions,
        }
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    found: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if value is None:
        return []
    if not all(isinstance(each, dict) for each in found):
        raise Invalid("groupPermissions must be a list of objects with action and type")
    return found


def _verb(value: Any) -> Verb | Any:
    return value.upper() if isinstance(value, str) else json.dumps(value)
