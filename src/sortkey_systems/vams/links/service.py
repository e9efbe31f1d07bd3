"""`Links`: creating, reading, changing and removing the links between assets.

Methods that take a caller ask for permission, on both assets. The others are for parts that have
asked.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from sortkey import Action, Check, Put, Store, Update, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import AssetObject, Verb
from sortkey_systems.vams.assets import Assets, asset_object
from sortkey_systems.vams.failures import Conflict, NotThere
from sortkey_systems.vams.link_changes import remove_link
from sortkey_systems.vams.links.families import Families, Neighbours, Node, ids_of
from sortkey_systems.vams.links.graph import AssetIds, LinkGraph, end_of, start_of
from sortkey_systems.vams.links.rules import check_alone, check_among
from sortkey_systems.vams.links.turns import read_turn
from sortkey_systems.vams.links.values import LinkChange, LinkValues
from sortkey_systems.vams.model import Asset, AssetLink

TRIES_MAX = 100
"""Each try that fails has lost against another request that succeeded."""


@dataclass(frozen=True, slots=True)
class LinkView:
    """The links of an asset, as a caller sees them."""

    neighbours: Neighbours
    tree: list[Node] | None = None
    """The children with theirs, if that was asked for."""
    hidden_children: int = 0
    is_truncated: bool = False


class Links:
    """The links of an installation."""

    def __init__(self, store: Store, access: Access, assets: Assets) -> None:
        self._store, self._access, self._assets = store, access, assets
        self.families = Families(store, access)

    # -- reading

    def get(self, caller: Caller, asset_link_id: str, verb: Verb = "GET") -> AssetLink:
        """A link whose assets the caller may use in this way. An asset that is gone counts as one
        of its database without a name. Raises NotThere and Denied.
        """
        link = self._find(asset_link_id)
        if link is None:
            raise NotThere("Asset link not found")
        ends = (self._object(end) for end in (start_of(link), end_of(link)))
        self._access.require(caller, verb, *ends)
        return link

    def of_asset(
        self, caller: Caller, database_id: str, asset_id: str, *, as_tree: bool = False
    ) -> LinkView:
        """The links of an asset; with `as_tree` its children with theirs."""
        asset = self._assets.get(caller, database_id, asset_id, archived=True)
        neighbours = self.families.neighbours(caller, asset)
        if not as_tree:
            return LinkView(neighbours, hidden_children=len(neighbours.children.hidden))
        below = self.families.descendants(caller, asset)
        tree = self.families.tree(asset, below)
        return LinkView(neighbours, tree, len(below.hidden), below.is_truncated)

    # -- writing

    def create(self, caller: Caller, wanted: LinkValues) -> AssetLink:
        """Link two assets. Raises NotThere, Denied and Invalid."""
        link = AssetLink(
            asset_link_id=str(uuid.uuid4()),
            from_asset_database_id=wanted.fromAssetDatabaseId,
            from_asset_id=wanted.fromAssetId,
            to_asset_database_id=wanted.toAssetDatabaseId,
            to_asset_id=wanted.toAssetId,
            relationship_type=wanted.relationshipType,
            asset_link_alias_id=wanted.assetLinkAliasId or None,
            tags=tuple(wanted.tags or ()),
            created_by=caller.user_id,
        )
        ends = start_of(link), end_of(link)
        self._write(caller, "POST", link, [Put(link, "create"), *map(_exists, ends)])
        self._record(caller, "create", link)
        return link

    def change(self, caller: Caller, asset_link_id: str, wanted: LinkChange) -> AssetLink:
        """Change alias and tags. What is not given stays."""
        link = self.get(caller, asset_link_id, "PUT")
        actions = list[Action]()
        if wanted.assetLinkAliasId is not None:
            alias = wanted.assetLinkAliasId or None
            actions.append(attr(AssetLink.asset_link_alias_id).set(alias))
            link = link.changed(asset_link_alias_id=alias)
        if wanted.tags is not None:
            actions.append(attr(AssetLink.tags).set(tuple(wanted.tags)))
            link = link.changed(tags=tuple(wanted.tags))
        if not actions:
            return link
        key = AssetLink.key(asset_link_id=asset_link_id)
        self._write(caller, "PUT", link, [Update(key, tuple(actions))])
        self._record(caller, "update", link)
        return link

    def delete(self, caller: Caller, asset_link_id: str) -> None:
        """Delete a link with its metadata, also when an asset of it is gone."""
        link = self.get(caller, asset_link_id, "DELETE")
        remove_link(self._store, asset_link_id)
        self._record(caller, "delete", link)

    # -- for other parts

    def remove_all(self, asset: Asset) -> None:
        """Remove every link from and to an asset: a step of its permanent delete."""
        graph, here = LinkGraph(self._store), ids_of(asset)
        for link in (*graph.out_of(here), *graph.into(here)):
            remove_link(self._store, link.asset_link_id)

    # --

    def _write(self, caller: Caller, verb: Verb, link: AssetLink, writes: list[Any]) -> None:
        """Write a link in a turn of its own, after all checks."""
        check_alone(link)
        for _ in range(TRIES_MAX):
            self._require_ends(caller, verb, link)
            turn = read_turn(self._store)
            check_among(link, turn.graph)
            try:
                self._store.transact(*writes, turn.end(link.asset_link_id))
            except TransactionFailed:
                continue
            return
        raise Conflict("too many changes of links at once: try again")

    def _require_ends(self, caller: Caller, verb: Verb, link: AssetLink) -> None:
        """Raise NotThere or Denied unless the caller may use both assets, or the link of them."""
        if verb == "PUT":
            self.get(caller, link.asset_link_id, verb)
            return
        for database_id, asset_id in (start_of(link), end_of(link)):
            self._assets.get(caller, database_id, asset_id, verb)

    def _find(self, asset_link_id: str) -> AssetLink | None:
        if not asset_link_id or ":" in asset_link_id or "#" in asset_link_id:
            return None
        return self._store.find(AssetLink.key(asset_link_id=asset_link_id), consistent=True)

    def _object(self, end: AssetIds) -> AssetObject:
        asset = self._assets.find(*end, archived=True)
        return AssetObject(end[0]) if asset is None else asset_object(asset)

    def _record(self, caller: Caller, action: str, link: AssetLink) -> None:
        self._access.audit.record(
            "ACTIONS",
            caller,
            f"link.{action}",
            f"link/{link.asset_link_id}",
            start="/".join(start_of(link)),
            end="/".join(end_of(link)),
            relationshipType=link.relationship_type,
        )


def _exists(end: AssetIds) -> Check[Asset]:
    key = Asset.key(database_id=end[0], asset_id=end[1])
    return Check(key, attr(Asset.asset_name).exists())
