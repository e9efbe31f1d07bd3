"""The rules by which files enter an asset, by upload or otherwise: names, content, previews."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sortkey import ObjectInfo
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.files.content_types import (
    HEAD_BYTES,
    check_content,
    check_name,
    check_preview_size,
)
from sortkey_systems.vams.files.entries import entry_at
from sortkey_systems.vams.files.origins import marks
from sortkey_systems.vams.files.paths import base_of, check_key_size, is_preview
from sortkey_systems.vams.model import Asset

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams


class Admission:
    """The rules of one asset, read once for many files."""

    def __init__(self, service: Vams, asset: Asset) -> None:
        self._service, self.asset = service, asset
        self.place = service.assets.place_of(asset)
        database = service.databases.find(asset.database_id)
        self._extensions = database.restrict_file_uploads_to_extensions if database else None

    def check_name(self, path: str) -> None:
        """Refuse a file by its path, whatever is in it. Raises Invalid."""
        check_key_size(self.place.key(path))
        check_name(path, self._extensions)

    def check_base(self, path: str, others: Collection[str] = ()) -> None:
        """Refuse the preview of a file that is neither there nor among others. Raises Invalid."""
        if not is_preview(path) or base_of(path) in others:
            return
        base = entry_at(self.place, base_of(path))
        if base is None or base.is_archived:
            raise Invalid(f"{base_of(path)} does not exist: upload it before its preview")

    def admit(self, caller: Caller, path: str, temporary: str, origin: str) -> ObjectInfo:
        """Copy a temporary object to its place, if its content can be there. Raises Invalid, and
        ObjectNotFound.
        """
        with self.place.objects.open(temporary, end=HEAD_BYTES) as reader:
            size, head = reader.info.size, reader.read()
        check_content(path, head)
        if is_preview(path):
            check_preview_size(size)
        has_earlier = entry_at(self.place, path) is not None
        stored = self.place.objects.copy(
            temporary, self.place.key(path), metadata=marks(caller, origin)
        )
        if has_earlier:  # what viewers show was made from the earlier content
            self._service.previews.remove_auxiliary(self.asset, path)
        return stored
