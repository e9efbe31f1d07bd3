"""Which links may exist beside those that do."""

from __future__ import annotations

from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.links.graph import LinkGraph, end_of, start_of
from sortkey_systems.vams.model import AssetLink

ANCESTORS_MAX = 100_000


def check_alone(link: AssetLink) -> None:
    """Refuse a link for what it is itself. Raises Invalid."""
    if start_of(link) == end_of(link):
        raise Invalid("an asset cannot be linked with itself")
    if link.asset_link_alias_id and link.relationship_type != "parentChild":
        raise Invalid("assetLinkAliasId is for parentChild links only")


def check_among(link: AssetLink, graph: LinkGraph) -> None:
    """Refuse a link for the others. `graph` may have the link itself. Raises Invalid."""
    start, end = start_of(link), end_of(link)
    forward = [each for each in graph.between(start, end) if _is_rival(each, link)]
    backward = [each for each in graph.between(end, start) if _is_rival(each, link)]
    if link.relationship_type == "related":
        if forward or backward:
            raise Invalid("these assets are related already")
        return
    if any(each.asset_link_alias_id == link.asset_link_alias_id for each in forward):
        raise Invalid("this link exists already: use another assetLinkAliasId for a second one")
    if backward:
        raise Invalid("the child is the parent of this asset already")
    _check_cycle(link, graph)


def _check_cycle(link: AssetLink, graph: LinkGraph) -> None:
    child = end_of(link)
    for number, ancestor in enumerate(graph.ancestors(start_of(link))):
        if ancestor == child:
            raise Invalid("this link would make a cycle: the child is above its parent already")
        if number >= ANCESTORS_MAX:
            raise Invalid(f"an asset has at most {ANCESTORS_MAX} assets above it")


def _is_rival(other: AssetLink, link: AssetLink) -> bool:
    """Whether another link of the same type joins the same assets."""
    is_itself = other.asset_link_id == link.asset_link_id
    return other.relationship_type == link.relationship_type and not is_itself
