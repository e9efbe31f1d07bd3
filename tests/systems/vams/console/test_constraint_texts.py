"""Constraints in words."""

from sortkey_systems.vams.console.constraint_texts import criteria_text, permissions_of


def test_both_kinds_of_criteria_are_said_as_they_are_decided() -> None:
    # All of the first and one of the second: a reader must not take it for "any".
    row = {
        "criteriaAnd": [{"field": "databaseId", "operator": "equals", "value": "plant"}],
        "criteriaOr": [
            {"field": "assetType", "operator": "is_one_of", "value": [".glb", ".stl"]},
            {"field": "tags", "operator": "contains", "value": ".*"},
        ],
    }
    text = "databaseId is `plant` and (assetType is one of `.glb, .stl` or tags is anything)"
    assert criteria_text(row) == text


def test_permissions_are_grouped_by_who_has_them() -> None:
    # A card has a line for each role and user, not for each verb.
    row = {
        "groupPermissions": [
            {"groupId": "readers", "permission": "GET", "permissionType": "allow"},
            {"groupId": "readers", "permission": "DELETE", "permissionType": "deny"},
        ],
        "userPermissions": [
            {"userId": "ada@example.com", "permission": "PUT", "permissionType": "allow"}
        ],
    }
    assert permissions_of(row) == {
        "readers": [("GET", True), ("DELETE", False)],
        "ada@example.com": [("PUT", True)],
    }
