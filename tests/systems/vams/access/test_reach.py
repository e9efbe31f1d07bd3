"""How far permissions reach in a database."""

from __future__ import annotations

import pytest

from sortkey_systems.vams.access.criteria import Criterion
from sortkey_systems.vams.access.decisions import Rule
from sortkey_systems.vams.access.reach import Reach, reach_in

ALL = Criterion("databaseId", "contains", ".*")
PLANT = Criterion("databaseId", "equals", "plant")
OTHER = Criterion("databaseId", "equals", "other")
PUMPS = Criterion("assetName", "starts_with", "pump")
TAGGED = Criterion("tags", "contains", ".*")
ANY_NAME = Criterion("assetName", "contains", ".*")


def rule(*required: Criterion, choices: tuple[Criterion, ...] = (), broken: bool = False) -> Rule:
    return Rule("r", "asset", required, choices, is_unreadable=broken)


@pytest.mark.parametrize(
    ("allows", "denies", "expected"),
    [
        ([], [], "none"),
        ([rule(ALL)], [], "all"),
        ([rule(PLANT)], [], "all"),
        ([rule(OTHER)], [], "none"),
        ([rule(PLANT, PUMPS)], [], "some"),
        ([rule(OTHER, PUMPS)], [], "none"),
        ([rule(PLANT, ANY_NAME)], [], "all"),
        ([rule(TAGGED)], [], "some"),  # an asset may have no tag
        ([rule(choices=(OTHER, PLANT))], [], "all"),
        ([rule(choices=(OTHER, PUMPS))], [], "some"),
        ([rule(PLANT, choices=(OTHER,))], [], "none"),
        ([rule(ALL)], [rule(PLANT)], "none"),
        ([rule(ALL)], [rule(OTHER)], "all"),
        ([rule(ALL)], [rule(PUMPS)], "some"),
        ([rule(ALL)], [rule(OTHER, PUMPS)], "all"),
        ([rule(broken=True)], [], "none"),
        ([rule(ALL)], [rule(broken=True)], "none"),
        ([rule()], [], "none"),
    ],
)
def test_a_reach_is_all_or_none_only_where_no_asset_can_differ(
    allows: list[Rule], denies: list[Rule], expected: Reach
) -> None:
    # A count is given without a look at the assets only in these two cases.
    assert reach_in("plant", allows, denies) == expected
