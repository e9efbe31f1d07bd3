"""Items of an older version: read as what they would be today, one step a version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sortkey.errors import ModelError
from sortkey.model.codec import decode, encode
from sortkey.values.attributes import AttributeValue

if TYPE_CHECKING:
    from sortkey.model.layout import Layout

SCHEMA_VERSION = "schemaVersion"
Unknown = dict[str, AttributeValue]


def version_of(item: Mapping[str, AttributeValue]) -> int:
    """The version of the entity that wrote an item."""
    return int(item.get(SCHEMA_VERSION, {}).get("N", 1))


def upgraded(
    layout: Layout,
    version: int,
    values: Mapping[str, Any],
    unknown: Unknown,
    unknown_inside: Unknown,
) -> tuple[dict[str, Any], Unknown, Unknown]:
    """What the upgrades make of an item: its values, and what of it is still unknown.

    They see every attribute by its name, also those that no field has any more: renaming is what
    they are for.
    """
    before = {name: decode(value) for name, value in (*unknown.items(), *unknown_inside.items())}
    members = {**before, **values}
    for step in range(version, layout.schema_version):
        members = layout.upgrades[step](members)
    known = {name: value for name, value in members.items() if name in layout.by_attribute}
    strange = members.keys() - known.keys() - before.keys()
    if strange:
        raise ModelError(
            f"the upgrade to version {layout.schema_version} gave {', '.join(sorted(strange))}: no "
            "fields"
        )
    return known, _left(unknown, before, members), _left(unknown_inside, before, members)


def _left(unknown: Unknown, before: Mapping[str, Any], members: Mapping[str, Any]) -> Unknown:
    """What the upgrades have left of attributes that no field has, as it was unless they changed
    it.
    """
    return {
        name: value if members[name] is before[name] else encode(members[name])
        for name, value in unknown.items()
        if name in members
    }
