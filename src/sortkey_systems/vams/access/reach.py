"""How far permissions reach in a database, without a look at its assets: to all of them, to none,
or to some. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from sortkey_systems.vams.access.criteria import (
    Criterion,
    compile_criterion,
    is_always_true,
    known_criteria,
)
from sortkey_systems.vams.access.decisions import Rule
from sortkey_systems.vams.access.objects import AssetObject

Reach = Literal["all", "some", "none"]
_DATABASE = "databaseId"


def reach_in(database_id: str, allows: Sequence[Rule], denies: Sequence[Rule]) -> Reach:
    """Which assets of a database constraints let through: one must allow, and none may deny."""
    allowed = _widest(_matched(rule, database_id, is_deny=False) for rule in allows)
    if allowed == "none":
        return "none"
    denied = _widest(_matched(rule, database_id, is_deny=True) for rule in denies)
    if denied == "all":
        return "none"
    return "all" if allowed == "all" and denied == "none" else "some"


def _matched(rule: Rule, database_id: str, *, is_deny: bool) -> Reach:
    """Which assets of a database a constraint is about."""
    required = known_criteria(rule.object_type, rule.criteria_and)
    choices = known_criteria(rule.object_type, rule.criteria_or)
    if rule.is_unreadable or not (required or choices):
        return "all" if is_deny else "none"
    found = [_passed(each, database_id, is_deny=is_deny) for each in required]
    if choices:
        found.append(_widest(_passed(each, database_id, is_deny=is_deny) for each in choices))
    if "none" in found:
        return "none"
    return "some" if "some" in found else "all"


def _passed(criterion: Criterion, database_id: str, *, is_deny: bool) -> Reach:
    if is_always_true(criterion):
        return "all"
    if criterion.field != _DATABASE:
        return "some"
    test = compile_criterion(criterion, is_deny=is_deny)
    return "all" if test(AssetObject(database_id)) else "none"


def _widest(found: Iterable[Reach]) -> Reach:
    several = set(found)
    if "all" in several:
        return "all"
    return "some" if "some" in several else "none"
