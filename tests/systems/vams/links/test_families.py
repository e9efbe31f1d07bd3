"""Limits of trees: depth, number of nodes, and cycles that another program has written."""

from __future__ import annotations

import pytest

from sortkey_systems.vams.links import families
from sortkey_systems.vams.model import Asset, AssetLink
from tests.systems.vams.host import ADMIN, Requests


def chain(requests: Requests, name: str, count: int, *more: tuple[int, int]) -> list[Asset]:
    """Assets in a row, each the parent of the next, and more links, written past the service."""
    assets = [
        Asset(database_id="plant", asset_id=f"{name}-{number}", asset_name=f"{name} {number}")
        for number in range(count)
    ]
    pairs = [*((number, number + 1) for number in range(count - 1)), *more]
    links = [
        AssetLink(
            asset_link_id=f"{name}-link-{number}",
            from_asset_database_id="plant",
            from_asset_id=assets[start].asset_id,
            to_asset_database_id="plant",
            to_asset_id=assets[end].asset_id,
            relationship_type="parentChild",
        )
        for number, (start, end) in enumerate(pairs)
    ]
    requests.service.store.batch_write([*assets, *links])
    return assets


def depth_of(nodes: list[families.Node]) -> int:
    return 1 + max((depth_of(node.children) for node in nodes), default=0) if nodes else 0


def test_a_cycle_that_another_program_has_written_ends(requests: Requests) -> None:
    # The tree must not go around for ever.
    ring = chain(requests, "ring", 3, (2, 0))
    caller = requests.service.access.caller(ADMIN)
    view = requests.service.links.of_asset(caller, "plant", ring[0].asset_id, as_tree=True)
    assert view.tree is not None
    assert depth_of(view.tree) == 2
    assert not view.is_truncated


def test_a_tree_is_cut_at_its_depth_and_says_so(requests: Requests) -> None:
    # An answer has a limit, and a client must be able to know.
    deep = chain(requests, "deep", families.DEPTH_MAX + 5)
    path = f"/database/plant/assets/{deep[0].asset_id}/asset-links?childTreeView=true"
    answer = requests("GET", path).json()
    assert answer["isTruncated"] is True
    nodes, depth = answer["children"], 0
    while nodes:
        depth, nodes = depth + 1, nodes[0]["children"]
    assert depth == families.DEPTH_MAX


def test_diamonds_do_not_make_a_tree_that_never_ends(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Twelve assets in which each is twice above the next give 4,096 nodes in the last row.
    monkeypatch.setattr(families, "NODES_MAX", 500)
    doubled = chain(requests, "double", 12, *((number, number + 1) for number in range(11)))
    caller = requests.service.access.caller(ADMIN)
    view = requests.service.links.of_asset(caller, "plant", doubled[0].asset_id, as_tree=True)
    assert view.tree is not None

    def count(nodes: list[families.Node]) -> int:
        return sum(1 + count(node.children) for node in nodes)

    assert (view.is_truncated, count(view.tree)) == (True, 500)
