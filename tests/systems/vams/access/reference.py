"""The rules of authorization written a second time, as plainly as they stand in the interface: no
index, no compilation, no memory. The product is compared with it.
"""

from __future__ import annotations

import re
from typing import Any

Constraint = dict[str, Any]


def is_allowed(
    constraints: list[Constraint],
    user_id: str,
    roles: list[str],
    verb: str,
    object_type: str,
    fields: dict[str, Any],
) -> bool:
    if not roles:
        return False
    kinds = {
        permission["permissionType"]
        for constraint in constraints
        if constraint["objectType"] == object_type and _matches(constraint, fields)
        for permission in _permissions(constraint, user_id, roles)
        if permission["permission"] == verb
    }
    return kinds == {"allow"}


def _permissions(constraint: Constraint, user_id: str, roles: list[str]) -> list[dict[str, str]]:
    return [each for each in constraint["groupPermissions"] if each["groupId"] in roles] + [
        each for each in constraint["userPermissions"] if each["userId"] == user_id
    ]


def _matches(constraint: Constraint, fields: dict[str, Any]) -> bool:
    for criterion in constraint["criteriaAnd"]:
        if not _holds(criterion, fields):
            return False
    if constraint["criteriaOr"]:
        return any(_holds(criterion, fields) for criterion in constraint["criteriaOr"])
    return bool(constraint["criteriaAnd"])


def _holds(criterion: dict[str, Any], fields: dict[str, Any]) -> bool:
    value = fields[criterion["field"]]
    elements = list(value) if isinstance(value, tuple) else [value]
    results = [_element_holds(criterion, element) for element in elements]
    if criterion["operator"] in ("does_not_contain", "is_not_one_of"):
        return all(results)
    return any(results)


def _element_holds(criterion: dict[str, Any], element: str) -> bool:
    wanted = criterion["value"]
    match criterion["operator"]:
        case "equals":
            return re.fullmatch(wanted, element) is not None
        case "contains":
            return re.search(wanted, element) is not None
        case "does_not_contain":
            return re.search(wanted, element) is None
        case "starts_with":
            return re.match(wanted, element) is not None
        case "ends_with":
            return re.search(f"({wanted})$", element) is not None
        case "is_one_of":
            return element in wanted
        case _:
            return element not in wanted
