"""What a caller sees of the links of an asset: its parents, children, trees and related assets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sortkey import Store
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.assets import asset_object
from sortkey_systems.vams.links.graph import AssetIds, LinkGraph, end_of, start_of
from sortkey_systems.vams.model import Asset, AssetLink

DEPTH_MAX = 100
NODES_MAX = 10_000
"""Of a tree. An asset with two parents is in it twice."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A link, and the asset at its other end that the caller may see."""

    link: AssetLink
    asset: Asset


@dataclass(slots=True)
class Edges:
    """Links of one kind. Assets that the caller may not see are counted, archived ones left out."""

    visible: list[Edge] = field(default_factory=list[Edge])
    hidden: list[AssetLink] = field(default_factory=list[AssetLink])


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The assets that are linked with an asset directly."""

    parents: Edges
    children: Edges
    related: Edges


@dataclass(slots=True)
class Descendants:
    """The assets below an asset."""

    children: dict[AssetIds, list[Edge]] = field(default_factory=dict[AssetIds, list[Edge]])
    """By the ids of their parent."""
    hidden: list[AssetLink] = field(default_factory=list[AssetLink])
    is_truncated: bool = False

    def edges(self) -> list[Edge]:
        """All links, from the top down."""
        return [edge for edges in self.children.values() for edge in edges]


@dataclass(slots=True)
class Node:
    """An asset in a tree."""

    edge: Edge
    children: list[Node] = field(default_factory=list["Node"])


class Families:
    """Reads families for callers."""

    def __init__(self, store: Store, access: Access) -> None:
        self._store, self._access = store, access
        self._graph = LinkGraph(store)

    def neighbours(self, caller: Caller, asset: Asset) -> Neighbours:
        """The assets that are linked with an asset directly."""
        here = ids_of(asset)
        out, into = self._graph.out_of(here), self._graph.into(here)
        return Neighbours(
            parents=self._edges(caller, [(each, start_of(each)) for each in _parental(into)]),
            children=self._edges(caller, [(each, end_of(each)) for each in _parental(out)]),
            related=self._edges(
                caller,
                [
                    *((each, end_of(each)) for each in _related(out)),
                    *((each, start_of(each)) for each in _related(into)),
                ],
            ),
        )

    def descendants(self, caller: Caller, asset: Asset, depth: int = DEPTH_MAX) -> Descendants:
        """The assets below an asset, level by level. Below one that the caller may not see, nothing
        is read.
        """
        found, level = Descendants(), [ids_of(asset)]
        count = 0
        for _ in range(depth):
            links = [each for parent in level for each in _parental(self._graph.out_of(parent))]
            edges = self._edges(caller, [(each, end_of(each)) for each in links])
            found.hidden += edges.hidden
            level = _add_level(found, level, edges.visible)
            count += len(edges.visible)
            if not level:
                return found
            if count >= NODES_MAX:
                found.is_truncated = True
                return found
        found.is_truncated = depth == DEPTH_MAX
        return found

    def tree(self, asset: Asset, below: Descendants) -> list[Node]:
        """The assets below an asset as a tree. An asset with two parents is in it twice."""
        roots, left = list[Node](), NODES_MAX
        waiting: list[tuple[AssetIds, list[Node], tuple[AssetIds, ...]]] = [
            (ids_of(asset), roots, (ids_of(asset),))
        ]
        while waiting:
            parent, nodes, path = waiting.pop()
            for edge in below.children.get(parent, ()):
                child = ids_of(edge.asset)
                if child in path:  # a cycle that another program has written
                    continue
                if left == 0 or len(path) > DEPTH_MAX:
                    below.is_truncated = True
                    return roots
                left -= 1
                node = Node(edge)
                nodes.append(node)
                waiting.append((child, node.children, (*path, child)))
        return roots

    def _edges(self, caller: Caller, ends: Sequence[tuple[AssetLink, AssetIds]]) -> Edges:
        """The links with the assets at their other ends, sorted by name."""
        is_visible, edges = self._access.filter(caller), Edges()
        unique = list(dict.fromkeys(ids for _, ids in ends))
        keys = [Asset.key(database_id=database, asset_id=asset) for database, asset in unique]
        read = self._store.batch_get(keys, consistent=True) if keys else []
        assets = dict(zip(unique, read, strict=True))
        for link, ids in ends:
            asset = assets[ids]
            if asset is None:
                continue
            if is_visible(asset_object(asset)):
                edges.visible.append(Edge(link, asset))
            else:
                edges.hidden.append(link)
        edges.visible.sort(key=_order)
        return edges


def ids_of(asset: Asset) -> AssetIds:
    """The ids of an asset."""
    return asset.database_id, asset.asset_id


def _add_level(
    found: Descendants, parents: Sequence[AssetIds], edges: Sequence[Edge]
) -> list[AssetIds]:
    """Add the children of several assets. Returns the children that were not seen before."""
    for parent in parents:
        found.children[parent] = []
    for edge in edges:
        found.children[start_of(edge.link)].append(edge)
    below = dict.fromkeys(ids_of(edge.asset) for edge in edges)
    return [each for each in below if each not in found.children]


def _parental(links: Iterable[AssetLink]) -> list[AssetLink]:
    return [link for link in links if link.relationship_type == "parentChild"]


def _related(links: Iterable[AssetLink]) -> list[AssetLink]:
    return [link for link in links if link.relationship_type == "related"]


def _order(edge: Edge) -> tuple[str, str, str, str]:
    asset, link = edge.asset, edge.link
    alias = link.asset_link_alias_id or ""
    return asset.asset_name.lower(), asset.database_id, asset.asset_id, alias
