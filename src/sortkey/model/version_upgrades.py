"""Upgrades items of an older version while they are read, one step per version."""

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
    """The version of the entity when it wrote an item."""
    return int(item.get(SCHEMA_VERSION, {}).get("N", 1))


def upgraded(
    layout: Layout,
    version: int,
    values: Mapping[str, Any],
    unknown: Unknown,
    unknown_inside: Unknown,
) -> tuple[dict[str, Any], Unknown, Unknown]:
    """Upgrade an item. Returns its values, and what is still unknown.

    Upgrades see every attribute by its name, including those that no field has any more, for
    example to rename them.
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
    """The unknown attributes that the upgrades have left, unchanged unless an upgrade changed
    them.
    """
    return {
        name: value if members[name] is before[name] else encode(members[name])
        for name, value in unknown.items()
        if name in members
    }
