"""Constraints in words, for their cards."""

from __future__ import annotations

from typing import Any, cast

from sortkey_systems.vams.console.json_values import Json

OPERATORS = {
    "equals": "is",
    "contains": "contains",
    "does_not_contain": "does not contain",
    "starts_with": "starts with",
    "ends_with": "ends with",
    "is_one_of": "is one of",
    "is_not_one_of": "is not one of",
}


def permissions_of(row: Json) -> dict[str, list[tuple[str, bool]]]:
    """For each role and user: verbs, and whether they are allowed."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for name, permissions in (("groupId", "groupPermissions"), ("userId", "userPermissions")):
        for each in row.get(permissions) or ():
            allowed = each.get("permissionType") == "allow"
            found.setdefault(str(each.get(name)), []).append((str(each.get("permission")), allowed))
    return found


def criteria_text(row: Json) -> str:
    """When a constraint matches. Values are in backticks."""
    every = [_criterion(each) for each in row.get("criteriaAnd") or ()]
    one_of = [_criterion(each) for each in row.get("criteriaOr") or ()]
    parts = [
        *every,
        f"({' or '.join(one_of)})" if len(one_of) > 1 and every else " or ".join(one_of),
    ]
    return " and ".join(filter(None, parts))


def parts_of(value: Any) -> list[Any]:
    """The values of a criterion, which may be one or a list."""
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _criterion(each: Json) -> str:
    shown = ", ".join(map(str, parts_of(each.get("value"))))
    if each.get("operator") == "contains" and shown == ".*":
        return f"{each.get('field')} is anything"
    operator = OPERATORS.get(str(each.get("operator")), str(each.get("operator")))
    return f"{each.get('field')} {operator} `{shown}`"
