"""Previews: the picture of an asset, and what is generated from files in the auxiliary bucket."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.shapes import asset_object
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.files.content_types import (
    HEAD_BYTES,
    check_content,
    check_preview_name,
    check_preview_size,
    content_type_of,
)
from sortkey_systems.vams.files.files import TEMPORARY, remove_file, remove_versions
from sortkey_systems.vams.files.origins import marks
from sortkey_systems.vams.files.paths import extension_of, file_path
from sortkey_systems.vams.model import Asset, Location

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

NAME = "/preview"
"""The preview of an asset is `{assetId}/preview.{ext}`."""


class Previews:
    """The previews of assets."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def put(
        self, caller: Caller, asset: Asset, name: str, source: Any, origin: str = "output"
    ) -> Asset:
        """Store a picture as the preview of an asset. `source` is bytes, an open file or
        chunks.
        """
        self._service.access.require(caller, "PUT", asset_object(asset))
        check_preview_name(name)
        objects = self._service.files.place(asset).objects
        temporary = f"{TEMPORARY}output/{secrets.token_hex(16)}"
        objects.put(temporary, source, content_type=content_type_of(name))
        try:
            return self.admit(caller, asset, name, temporary, origin)
        finally:
            remove_versions(objects, temporary)

    def admit(self, caller: Caller, asset: Asset, name: str, temporary: str, origin: str) -> Asset:
        """Make a temporary object the preview of an asset, if its content can be one."""
        place = self._service.files.place(asset)
        check_preview_name(name)
        with place.objects.open(temporary, end=HEAD_BYTES) as reader:
            size, head = reader.info.size, reader.read()
        check_preview_size(size)
        check_content(name, head)
        key = place.key(preview_path(name))
        place.objects.copy(temporary, key, metadata=marks(caller, origin))
        former = asset.preview_location.key if asset.preview_location else None
        changed = self._service.files.refresh(asset, preview_location=Location(key=key))
        if former is not None and former != key:
            remove_file(place, place.relative(former))
        return changed

    def delete(self, caller: Caller, database_id: str, asset_id: str) -> None:
        """Remove the preview of an asset."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        if asset.preview_location is None:
            raise NotThere("the asset has no preview")
        key = asset.preview_location.key
        place = self._service.files.place(asset)
        remove_file(place, place.relative(key))
        self._service.files.refresh(asset, preview_location=None)
        subject = f"asset/{database_id}/{asset_id}"
        self._service.audit.record("ACTIONS", caller, "preview.delete", subject, key=key)

    def delete_auxiliary(
        self, caller: Caller, database_id: str, asset_id: str, text: str
    ) -> tuple[str, int]:
        """Remove what was generated from a file. Returns its path and how many objects went."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        path = file_path(text)
        count = self.remove_auxiliary(asset, path)
        subject = f"asset/{database_id}/{asset_id}"
        self._service.audit.record(
            "ACTIONS", caller, "auxiliary.delete", subject, path=path, count=count
        )
        return path, count

    def remove_auxiliary(self, asset: Asset, path: str) -> int:
        """The same for parts that have asked for the permission."""
        key = self._service.files.place(asset).key(path)
        return remove_versions(self._service.buckets.auxiliary, f"{key}/")


def preview_path(name: str) -> str:
    """The path of an asset's preview, from the name of the picture."""
    return f"{NAME}{extension_of(name)}"
