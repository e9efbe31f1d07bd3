"""Reading the graph of links. No permission is asked here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sortkey import Store
from sortkey_systems.vams.model import AssetLink

AssetIds = tuple[str, str]
"""The database and the id of an asset."""


class LinkGraph:
    """The links of an installation, with links that the indexes may not show yet."""

    def __init__(self, store: Store, recent: Iterable[AssetLink] = ()) -> None:
        self._store, self._recent = store, tuple(recent)

    def out_of(self, asset: AssetIds) -> list[AssetLink]:
        """Links from an asset: to its children, and to related ones."""
        query = AssetLink.from_asset(from_asset_database_id=asset[0], from_asset_id=asset[1])
        found = self._store.query(query.hydrated())
        return _once([*found, *(link for link in self._recent if start_of(link) == asset)])

    def into(self, asset: AssetIds) -> list[AssetLink]:
        """Links to an asset: from its parents, and from related ones."""
        query = AssetLink.to_asset(to_asset_database_id=asset[0], to_asset_id=asset[1])
        found = self._store.query(query.hydrated())
        return _once([*found, *(link for link in self._recent if end_of(link) == asset)])

    def between(self, one: AssetIds, other: AssetIds) -> list[AssetLink]:
        """Links from the one asset to the other."""
        query = AssetLink.from_asset(
            from_asset_database_id=one[0],
            from_asset_id=one[1],
            to_asset_database_id=other[0],
            to_asset_id=other[1],
        )
        recent = (link for link in self._recent if (start_of(link), end_of(link)) == (one, other))
        return _once([*self._store.query(query.hydrated()), *recent])

    def ancestors(self, asset: AssetIds) -> Iterator[AssetIds]:
        """The parents of an asset, their parents, and so on, each once."""
        seen, waiting = {asset}, [asset]
        while waiting:
            for link in self.into(waiting.pop()):
                parent = start_of(link)
                if link.relationship_type == "parentChild" and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
                    yield parent


def start_of(link: AssetLink) -> AssetIds:
    """The asset that a link comes from."""
    return link.from_asset_database_id, link.from_asset_id


def end_of(link: AssetLink) -> AssetIds:
    """The asset that a link goes to."""
    return link.to_asset_database_id, link.to_asset_id


def _once(links: Iterable[AssetLink]) -> list[AssetLink]:
    return list({link.asset_link_id: link for link in links}.values())
