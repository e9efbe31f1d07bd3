"""Constraints as they are written: what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sortkey_systems.vams.access.definitions import ConstraintDefinition

VALID: dict[str, Any] = {
    "constraintId": "c1",
    "name": "c1",
    "description": "of a test",
    "objectType": "asset",
    "criteriaAnd": [{"field": "databaseId", "operator": "equals", "value": "plant"}],
    "groupPermissions": [{"groupId": "g", "permission": "GET", "permissionType": "allow"}],
}


def criterion(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"criteriaAnd": [{"field": field, "operator": operator, "value": value}]}


@pytest.mark.parametrize(
    "change",
    [
        criterion("userId", "equals", "x"),  # not a field of assets
        criterion("databaseId", "matches", "x"),
        criterion("databaseId", "contains", "("),
        criterion("databaseId", "contains", "(a+)+$"),
        criterion("databaseId", "contains", ["a"]),
        criterion("databaseId", "is_one_of", []),
        criterion("databaseId", "contains", "x" * 2_000),
        {"criteriaAnd": [], "criteriaOr": None},
        {"objectType": "file"},
        {"constraintId": "a#group#b"},
        {"groupPermissions": [{"groupId": "g", "permission": "HEAD", "permissionType": "allow"}]},
    ],
)
def test_a_constraint_that_could_not_be_evaluated_is_refused(change: dict[str, Any]) -> None:
    # An expression that fails later would deny, or worse not deny, without anybody noticing.
    ConstraintDefinition.model_validate(VALID)
    with pytest.raises(ValidationError):
        ConstraintDefinition.model_validate({**VALID, **change})
