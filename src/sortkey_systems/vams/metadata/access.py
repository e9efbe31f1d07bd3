"""Owners of values by the ids of a request, with permission to use them: tier 2 of metadata.

It is the database, the asset, or both assets of the link, with the verbs of the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sortkey.errors import KeyValueError, ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.objects import Verb
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.metadata.owners import DatabaseOwner, FileKind, FileOwner, LinkOwner
from sortkey_systems.vams.model import AssetLink

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

PATH_CHARACTERS_MAX = 1024
READ: Sequence[Verb] = ("GET",)


class OwnerAccess:
    """Finds owners for callers. Raises NotThere and Denied."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def database(
        self, caller: Caller, database_id: str, verbs: Sequence[Verb] = READ
    ) -> DatabaseOwner:
        """A database."""
        databases = self._service.databases
        found = [databases.get(caller, database_id, verb) for verb in verbs]
        return DatabaseOwner(found[0])

    def asset(
        self, caller: Caller, database_id: str, asset_id: str, verbs: Sequence[Verb] = READ
    ) -> FileOwner:
        """An asset. An archived one can be read, not written."""
        assets, is_read = self._service.assets, verbs == READ
        found = assets.get(caller, database_id, asset_id, verbs[0], archived=is_read)
        for verb in verbs[1:]:
            assets.get(caller, database_id, asset_id, verb)
        return FileOwner(found)

    def file(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        path: str,
        kind: FileKind,
        verbs: Sequence[Verb] = READ,
    ) -> FileOwner:
        """A file of an asset. Unless values are only read or deleted, it must exist."""
        asset = self.asset(caller, database_id, asset_id, verbs).asset
        owner = FileOwner(asset, file_path_of(path), kind)
        if "POST" in verbs or "PUT" in verbs:
            self._check_file(owner)
        return owner

    def _check_file(self, owner: FileOwner) -> None:
        place = self._service.assets.place_of(owner.asset)
        try:
            place.objects.head(place.key(owner.path))
        except (ObjectNotFound, KeyValueError):
            raise NotThere("File not found") from None

    def link(self, caller: Caller, asset_link_id: str, verbs: Sequence[Verb] = READ) -> LinkOwner:
        """A link, by its two assets."""
        store = self._service.store
        try:
            found = store.find(AssetLink.key(asset_link_id=asset_link_id), consistent=True)
        except KeyValueError:  # an id that no link can have
            found = None
        if found is None:
            raise NotThere("Asset link not found")
        for database_id, asset_id in (
            (found.from_asset_database_id, found.from_asset_id),
            (found.to_asset_database_id, found.to_asset_id),
        ):
            self.asset(caller, database_id, asset_id, verbs)
        return LinkOwner(found)


def file_path_of(text: str) -> str:
    """The path of a file within its asset, with a slash at its beginning. Raises Invalid."""
    path = text if text.startswith("/") else f"/{text}"
    if len(path) < 2 or path.endswith("/") or len(path.encode()) > PATH_CHARACTERS_MAX:
        raise Invalid("filePath must name a file within the asset, as /model/pump.glb")
    if ".." in path.split("/") or "\0" in path:
        raise Invalid("filePath must not have .. in it")
    return path
