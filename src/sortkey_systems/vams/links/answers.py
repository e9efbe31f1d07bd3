"""Links as clients read them."""

from __future__ import annotations

from collections.abc import Iterable

from sortkey_systems.vams.answers import Json
from sortkey_systems.vams.links.families import Edge, Node
from sortkey_systems.vams.links.service import LinkView
from sortkey_systems.vams.model import AssetLink


def link_answer(link: AssetLink) -> Json:
    """One link."""
    return {
        "assetLinkId": link.asset_link_id,
        "fromAssetId": link.from_asset_id,
        "fromAssetDatabaseId": link.from_asset_database_id,
        "toAssetId": link.to_asset_id,
        "toAssetDatabaseId": link.to_asset_database_id,
        "relationshipType": link.relationship_type,
        "assetLinkAliasId": link.asset_link_alias_id,
        "tags": list(link.tags or ()),
    }


def view_answer(view: LinkView) -> Json:
    """The links of an asset."""
    around = view.neighbours
    children = (
        [_node(edge) for edge in around.children.visible]
        if view.tree is None
        else [_tree(node) for node in view.tree]
    )
    answer: Json = {
        "related": _nodes(around.related.visible),
        "parents": _nodes(around.parents.visible),
        "children": children,
        "unauthorizedCounts": {
            "related": len(around.related.hidden),
            "parents": len(around.parents.hidden),
            "children": view.hidden_children,
        },
        "message": "Success",
    }
    if view.is_truncated:
        answer["isTruncated"] = True
    return answer


def _nodes(edges: Iterable[Edge]) -> list[Json]:
    return [_node(edge) for edge in edges]


def _node(edge: Edge) -> Json:
    return {
        "assetId": edge.asset.asset_id,
        "assetName": edge.asset.asset_name,
        "databaseId": edge.asset.database_id,
        "assetLinkId": edge.link.asset_link_id,
        "assetLinkAliasId": edge.link.asset_link_alias_id,
    }


def _tree(node: Node) -> Json:
    return {**_node(node.edge), "children": [_tree(child) for child in node.children]}
