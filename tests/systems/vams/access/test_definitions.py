"""Constraints as they are written: what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.decisions import Rule, Rules
from sortkey_systems.vams.access.definitions import ConstraintDefinition, stored_rules
from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.model import AuthEntity

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
        criterion("databaseId", "contains", "((a|b)c)*$"),
        criterion("databaseId", "contains", "((a)+[)])+$"),
        criterion("databaseId", "contains", "(?:a?){40}$"),
        criterion("databaseId", "contains", "(a+)(?#c)+$"),
        criterion("databaseId", "contains", "(?x)(a+) +$"),
        criterion("databaseId", "ends_with", "(?i)plant"),
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


@pytest.mark.parametrize(
    "value", ["(plant|museum)-[0-9]+", "(?:ab)+", r"\(a+\)+", "[(a+)]+", "(a*)?"]
)
def test_an_expression_without_a_nested_repetition_is_taken(value: str) -> None:
    # A check that refuses too much would make people write wider expressions.
    change = criterion("databaseId", "contains", value)
    ConstraintDefinition.model_validate({**VALID, **change})


GROUP = {"groupId": "g", "permission": "GET"}
ALL = {"field": "databaseId", "operator": "contains", "value": ".*"}


@pytest.mark.parametrize(
    "change",
    [
        criterion("databaseId", "ends_with", "(?i)plant"),
        criterion("databaseId", "does_not_contain", "(plant"),
        criterion("tags", "contains", "("),
        criterion("databaseId", "matches", "plant"),
        criterion("gone", "equals", "plant"),
        {"criteriaAnd": "nonsense"},
        {"objectType": None},
        {"groupPermissions": [{**GROUP, "permission": "HEAD", "permissionType": "deny"}]},
        {"groupPermissions": [{**GROUP, "permissionType": "DENY"}]},
    ],
)
def test_a_stored_deny_that_cannot_be_read_denies_and_an_allow_allows_nothing(
    change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    # A deny that fails in silence opens what somebody closed.
    def stored(kind: str) -> list[Rule]:
        permissions = [{**GROUP, "permissionType": kind}]
        definition = {**VALID, "groupPermissions": permissions, **change}
        return stored_rules(AuthEntity(entity_type="constraint", sk="c", definition=definition))

    everything = ConstraintDefinition.model_validate({**VALID, "criteriaAnd": [ALL]}).rule()
    caller, subject = Caller("jan@example.com", ("g",)), AssetObject("plant", "n")
    assert Rules([everything]).allows(caller, "GET", subject)
    assert not Rules([everything, *stored("deny")]).allows(caller, "GET", subject)
    assert not Rules(stored("allow")).allows(caller, "GET", subject)
    assert caplog.records or "groupPermissions" in change
