"""Folders that were created, with or without files in them. A bucket has no folders, so their asset
remembers them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sortkey import attr
from sortkey.errors import ConditionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.files.paths import check_key_size, folder_path
from sortkey_systems.vams.model import Asset

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

FOLDERS_MAX = 1000
FOLDER_BYTES_MAX = 250
"""Of a path. All folders of an asset are in its item, which has at most 400 KB."""


class Folders:
    """The folders of assets."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def create(self, caller: Caller, database_id: str, asset_id: str, text: str) -> str:
        """Create a folder. One that exists is fine. Returns its path."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        path = folder_path(text)
        check_key_size(self._service.files.place(asset).key(path))
        if len(path.encode()) > FOLDER_BYTES_MAX:
            raise Invalid(f"the path of a folder has at most {FOLDER_BYTES_MAX} bytes")
        if len(asset.folders or ()) >= FOLDERS_MAX:
            raise Invalid(f"an asset has at most {FOLDERS_MAX} folders of its own")
        self._change(asset, add=[path])
        subject = f"asset/{database_id}/{asset_id}"
        self._service.audit.record("ACTIONS", caller, "folder.create", subject, path=path)
        return path

    def moved(self, asset: Asset, old_path: str, new_path: str) -> None:
        """A folder has moved, with those in it."""
        old = [each for each in asset.folders or () if each.startswith(old_path)]
        if old and old_path.endswith("/"):
            self._change(asset, add=[new_path + each[len(old_path) :] for each in old])
            self._change(asset, remove=old)

    def removed(self, asset: Asset, paths: Sequence[str]) -> None:
        """Folders are gone."""
        if paths:
            self._change(asset, remove=paths)

    def _change(self, asset: Asset, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        field = attr(Asset.folders)
        action = field.add(frozenset(add)) if add else field.discard(*remove)
        try:
            self._service.store.update(key, action, when=attr(Asset.asset_name).exists())
        except ConditionFailed:
            raise NotThere("Asset not found: it was archived or deleted meanwhile") from None
