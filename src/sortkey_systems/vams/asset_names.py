"""Assets by their id alone, as comments and subscriptions name them.

Two databases can have an asset of one id. Then a request says which by `databaseId`, unless the
caller may use only one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import Verb
from sortkey_systems.vams.assets import Assets, asset_object
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import Asset


class AssetNames:
    """Finds assets for callers. Raises NotThere and Denied."""

    def __init__(self, assets: Assets, access: Access) -> None:
        self._assets, self._access = assets, access

    def visible(
        self, caller: Caller, asset_id: str, database_id: str | None = None
    ) -> Sequence[Asset]:
        """The assets of an id that the caller may see, archived ones too; at least one."""
        return self._allowed(caller, "GET", self._several(asset_id, database_id))

    def one(
        self, caller: Caller, verb: Verb, asset_id: str, database_id: str | None = None
    ) -> Asset:
        """The active asset of an id that the caller may use in this way."""
        several = [each for each in self._several(asset_id, database_id) if not each.in_archive]
        if not several:
            raise NotThere("Asset not found")
        allowed = self._allowed(caller, verb, several)
        if len(allowed) > 1:
            raise Invalid("several databases have an asset of this id: give databaseId")
        return allowed[0]

    def is_shared(self, asset: Asset) -> bool:
        """Whether another database has an asset of the same id."""
        several = self._assets.by_id(asset.asset_id)
        return any(each.database_id != asset.database_id for each in several)

    def _several(self, asset_id: str, database_id: str | None) -> Sequence[Asset]:
        if database_id:
            found = self._assets.find(database_id, asset_id, archived=True)
            several = [found] if found is not None else []
        else:
            several = self._assets.by_id(asset_id)
        if not several:
            raise NotThere("Asset not found")
        return several

    def _allowed(self, caller: Caller, verb: Verb, several: Sequence[Asset]) -> Sequence[Asset]:
        is_allowed = self._access.filter(caller, verb)
        allowed = [asset for asset in several if is_allowed(asset_object(asset))]
        if not allowed:
            self._access.require(caller, verb, asset_object(several[0]))
        return allowed
