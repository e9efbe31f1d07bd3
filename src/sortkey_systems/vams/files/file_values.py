"""What belongs to a file and follows it: its metadata, its attributes, and its type in the asset.

Metadata and attributes are another part's: it registers here and is called for every file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sortkey import Store, attr
from sortkey.errors import ConditionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import Conflict, Invalid, NotThere
from sortkey_systems.vams.files.paths import file_path, is_preview
from sortkey_systems.vams.model import Asset

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

TYPES = ("primary", "lod1", "lod2", "lod3", "lod4", "lod5")
OTHER, OTHER_CHARACTERS_MAX = "other", 30
PRIMARY_FILES_MAX = 500
"""Files of an asset with a type: they are stored in the item of the asset."""
TRIES = 8


class Follower(Protocol):
    """What keeps values of files by their paths."""

    def moved(self, asset: Asset, old_path: str, new_path: str, /) -> object: ...
    def copied(self, asset: Asset, path: str, other: Asset, other_path: str, /) -> object: ...
    def remove_file(self, asset: Asset, path: str, /) -> object: ...


class FileValues:
    """Carries the values of files along, and sets their types."""

    def __init__(self, service: Vams) -> None:
        self._service = service
        self._followers: list[Follower] = []

    def add(self, follower: Follower) -> None:
        """Call a follower for every file that is moved, copied or removed."""
        self._followers.append(follower)

    def moved(self, asset: Asset, old_path: str, new_path: str) -> None:
        """A file is about to leave its path."""
        for follower in self._followers:
            follower.moved(asset, old_path, new_path)
        _change_types(self._service.store, asset, {old_path: None}, {new_path: old_path})

    def copied(self, asset: Asset, path: str, other: Asset, other_path: str) -> None:
        """A file has a copy, perhaps in another asset. Its type stays with the original."""
        for follower in self._followers:
            follower.copied(asset, path, other, other_path)

    def removed(self, asset: Asset, path: str) -> None:
        """A file is gone for good."""
        for follower in self._followers:
            follower.remove_file(asset, path)
        _change_types(self._service.store, asset, {path: None})

    def set_type(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        path_text: str,
        primary_type: str,
        other: str | None = None,
    ) -> str:
        """Set or clear the type of a file: primary, a level of detail, or another word."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        path, value = file_path(path_text), _type_of(primary_type, other)
        if is_preview(path):
            raise Invalid("a preview cannot have a type: name its file")
        self._service.files.require(asset, path)
        _change_types(self._service.store, asset, {path: value or None})
        self._service.audit.record(
            "ACTIONS",
            caller,
            "file.setPrimaryType",
            f"asset/{database_id}/{asset_id}",
            path=path,
            primaryType=value,
        )
        return value


def _type_of(primary_type: str, other: str | None) -> str:
    if primary_type in ("", *TYPES):
        return primary_type
    if primary_type != OTHER:
        raise Invalid(f"primaryType is one of {', '.join(TYPES)}, other, or empty")
    text = (other or "").strip()
    if not 1 <= len(text) <= OTHER_CHARACTERS_MAX:
        raise Invalid(f"primaryTypeOther has 1 to {OTHER_CHARACTERS_MAX} characters")
    return text


def _change_types(
    store: Store,
    asset: Asset,
    values: dict[str, str | None],
    taken_from: dict[str, str] | None = None,
) -> None:
    """Change the types of files in the item of their asset, whoever else changes others. With
    `taken_from`, a path takes the type that another path has.
    """
    key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
    for _ in range(TRIES):
        current = store.find(key, consistent=True)
        if current is None:
            raise NotThere("Asset not found: it was archived or deleted meanwhile")
        known = current.primary_files or {}
        wanted = {**known, **{new: known.get(old) for new, old in (taken_from or {}).items()}}
        wanted |= values
        types = {path: value for path, value in wanted.items() if value is not None}
        if types == known:
            return
        if len(types) > PRIMARY_FILES_MAX:
            raise Invalid(f"at most {PRIMARY_FILES_MAX} files of an asset can have a type")
        field = attr(Asset.primary_files)
        unchanged = field.missing() if current.primary_files is None else field == known
        try:
            store.update(key, set={"primary_files": types or None}, when=unchanged)
        except ConditionFailed:
            continue
        return
    raise Conflict("the asset is being changed by others: try again")
