"""`Versions`: creating, reading, comparing and reverting the versions of assets.

Methods that take a caller ask for permission. The others are for parts that have asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sortkey import Put, Update, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetVersion,
)
from sortkey_systems.vams.pages import Page, Paging, page_of_list
from sortkey_systems.vams.versions.comparison import compare_files, compare_metadata
from sortkey_systems.vams.versions.creation import (
    NewVersion,
    VersionWriter,
    first_version,
    touch_of,
)
from sortkey_systems.vams.versions.leftovers import Leftovers
from sortkey_systems.vams.versions.records import (
    FIRST,
    VersionRecords,
    ids_of,
    label_of,
    number_of,
)
from sortkey_systems.vams.versions.reverts import Reverts
from sortkey_systems.vams.versions.stored_files import (
    FileState,
    StoredFile,
    live_states,
    state_of,
    stored_files,
)
from sortkey_systems.vams.versions.values import (
    CreatedVersion,
    FileChoice,
    ListedVersion,
    RevertValues,
    VersionChange,
    VersionComparison,
    VersionDetails,
    VersionFile,
    VersionValues,
)

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

NUMBERS_END = 10**12
"""Above every number of a version, to sort the newest first."""


class Versions:
    """The versions of the assets of an installation."""

    def __init__(self, service: Vams) -> None:
        self._service, self._store, self._assets = service, service.store, service.assets
        self._records = VersionRecords(service.store)
        leftovers = Leftovers(service.jobs, self._records)
        self._writer = VersionWriter(service.store, self._records, leftovers.expect, service.clock)
        self._reverts = Reverts(service, self._records, self._writer)

    # -- reading

    def page(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        paging: Paging,
        *,
        show_archived: bool = False,
    ) -> Page[ListedVersion]:
        """A page of versions, newest first. The current one is among them even if it is archived
        with its asset.
        """
        asset = self._assets.get(caller, database_id, asset_id, archived=True)
        current = self.current_id(asset)
        shown = [
            each
            for each in self._records.all(asset)
            if show_archived or not each.is_archived or each.asset_version_id == current
        ]
        about = f"versions:{database_id}:{asset_id}"
        page = page_of_list(about, shown, paging, position=_newest_first)
        listed = [
            ListedVersion(
                each, each.asset_version_id == current, self._records.count_files(asset, each)
            )
            for each in page.items
        ]
        return Page(listed, page.token)

    def get(self, caller: Caller, database_id: str, asset_id: str, version: str) -> VersionDetails:
        """A version by its id or alias, with its files and metadata."""
        asset = self._assets.get(caller, database_id, asset_id, archived=True)
        found = self.resolve(asset, version)
        stored, place = self._stored(asset), self._assets.place_of(asset)
        rows = self._records.files(asset, found.asset_version_id)
        files = (_version_file(row, place.relative(row.file_key), stored) for row in rows)
        metadata = self._records.metadata(asset, found.asset_version_id)
        return VersionDetails(found, tuple(files), tuple(metadata))

    def compare(
        self, caller: Caller, database_id: str, asset_id: str, before: str, after: str
    ) -> VersionComparison:
        """What differs between two versions, each by its id or alias."""
        asset = self._assets.get(caller, database_id, asset_id, archived=True)
        old, new = self.resolve(asset, before), self.resolve(asset, after)
        ids = old.asset_version_id, new.asset_version_id
        return VersionComparison(
            old,
            new,
            self._assets.place_of(asset).prefix,
            compare_files(*(self._records.files(asset, each) for each in ids)),
            compare_metadata(*(self._records.metadata(asset, each) for each in ids)),
        )

    # -- writing

    def create(
        self, caller: Caller, database_id: str, asset_id: str, wanted: VersionValues
    ) -> CreatedVersion:
        """Create a version of the latest files, or of the object versions that are named."""
        asset = self._assets.get(caller, database_id, asset_id, "POST")
        stored, skipped = self._stored(asset), list[str]()
        if wanted.files:
            files, skipped = self._chosen(asset, stored, wanted.files)
            if not files:
                raise Invalid("none of the files exists with that version: nothing to record")
        else:
            files = live_states(stored.values())
        alias = (wanted.versionAlias or "").strip() or None
        new = NewVersion(wanted.comment, alias, caller.user_id, files)
        version = self._writer.create(asset, new)
        self._record(caller, "create", asset, version)
        self._service.changes.asset_changed(caller, asset, "version")
        return CreatedVersion(version, tuple(skipped))

    def revert(
        self, caller: Caller, database_id: str, asset_id: str, version: str, wanted: RevertValues
    ) -> CreatedVersion:
        """Make the files of a version the latest ones, as a new version. Files that it does not
        have stay as they are.
        """
        asset = self._assets.get(caller, database_id, asset_id, "POST")
        target = self.resolve(asset, version)
        if target.is_archived:
            raise Invalid(f"version {target.asset_version_id} is archived: unarchive it first")
        return self._reverts.revert(caller, asset, target, wanted)

    def change(
        self, caller: Caller, database_id: str, asset_id: str, version: str, wanted: VersionChange
    ) -> AssetVersion:
        """Change comment and alias of a version."""
        asset = self._assets.get(caller, database_id, asset_id, "PUT")
        found = self._records.get(asset, version)
        alias = None if wanted.versionAlias is None else wanted.versionAlias.strip()
        changed = self._writer.change(asset, found, comment=wanted.comment, alias=alias)
        self._record(caller, "update", asset, changed)
        return changed

    def archive(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        version: str,
        *,
        with_asset: bool = False,
    ) -> AssetVersion:
        """Mark a version as archived, and archive its asset too if that is wanted. The current
        version can only be archived with the asset.
        """
        asset = self._assets.get(caller, database_id, asset_id, "POST")
        found = self._records.get(asset, version)
        is_current = found.asset_version_id == self.current_id(asset)
        if is_current and not with_asset:
            raise Invalid("the current version cannot be archived: archive the asset instead")
        if with_asset:  # before the mark: all of it, or nothing
            self._assets.get(caller, database_id, asset_id, "DELETE")
        if not is_current:
            self._mark(caller, asset, found, is_archived=True)
        if with_asset:
            self._service.archive.archive(caller, database_id, asset_id)
        return self._records.get(asset, version)

    def unarchive(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        version: str,
        *,
        with_asset: bool = False,
    ) -> AssetVersion:
        """Take the mark from a version, and bring its asset back first if that is wanted."""
        if with_asset:
            self._service.archive.unarchive(caller, database_id, asset_id)
        asset = self._assets.get(caller, database_id, asset_id, "POST")
        self._mark(caller, asset, self._records.get(asset, version), is_archived=False)
        return self._records.get(asset, version)

    # -- for other parts

    def create_first(self, asset: Asset, caller: Caller) -> Sequence[Put[Any]]:
        """The writes of version 0, for the transaction that creates an asset."""
        return [first_version(asset, caller.user_id)]

    def current_id(self, asset: Asset) -> str:
        """The id of the current version."""
        current = self._records.current(asset)
        return FIRST if current is None else current.asset_version_id

    def resolve(self, asset: Asset, version: str) -> AssetVersion:
        """A version by its id, or else by its alias. Raises NotThere."""
        return self._records.find(asset, version) or self.resolve_alias(asset, version)

    def resolve_alias(self, asset: Asset, alias: str) -> AssetVersion:
        """A version by its alias alone. Raises NotThere."""
        return self._records.by_alias(asset, alias)

    def states(self, asset: Asset) -> Sequence[FileState]:
        """The files that a version of this moment would have."""
        return live_states(self._stored(asset).values())

    def rows(self, asset: Asset, version_id: str) -> Sequence[AssetFileVersion]:
        """The files of a version, by key."""
        return self._records.files(asset, version_id)

    def metadata_rows(self, asset: Asset, version_id: str) -> Sequence[AssetFileMetadataVersion]:
        """The metadata and attributes of the asset and its files in a version."""
        return self._records.metadata(asset, version_id)

    def of_file(self, asset: Asset, relative_path: str) -> dict[str, list[dict[str, str]]]:
        """The versions that have a file, by its object version, as `{id, label}`."""
        found: dict[str, list[dict[str, str]]] = {}
        for version, stored in self._records.of_file(
            asset, self._assets.place_of(asset).key(relative_path)
        ):
            shown = {"id": version.asset_version_id, "label": label_of(version)}
            found.setdefault(stored, []).append(shown)
        return found

    def mismatch_test(self, asset: Asset) -> Callable[[str, str | None], bool]:
        """Whether the live object version of a path is not the one in the current version, as a
        function for many files. The version None stands for an archived file.
        """
        place = self._assets.place_of(asset)
        rows = self._records.files(asset, self.current_id(asset))
        recorded = {place.relative(row.file_key): row.s3_version_id for row in rows}
        return lambda path, version_id: version_id is None or recorded.get(path) != version_id

    def is_mismatch(self, asset: Asset, relative_path: str, version_id: str | None) -> bool:
        """The same for one file."""
        key = AssetFileVersion.key(
            **ids_of(asset),
            asset_version_id=self.current_id(asset),
            file_key=self._assets.place_of(asset).key(relative_path),
        )
        row = self._store.find(key, consistent=True)
        return version_id is None or row is None or row.s3_version_id != version_id

    def remove_all(self, asset: Asset) -> None:
        """Remove every row of every version: a step of the permanent delete of an asset."""
        self._records.remove_all(asset)

    # --

    def _stored(self, asset: Asset) -> dict[str, StoredFile]:
        return stored_files(self._assets.place_of(asset), asset)

    def _chosen(
        self, asset: Asset, stored: dict[str, StoredFile], choices: Sequence[FileChoice]
    ) -> tuple[list[FileState], list[str]]:
        """The files that are named, and the paths of those that are archived or missing."""
        files, skipped, place = list[FileState](), list[str](), self._assets.place_of(asset)
        for choice in choices:
            file = stored.get(place.key(choice.relativeKey))
            version = None if file is None else file.find(choice.versionId)
            if file is None or version is None or file.is_archived:
                skipped.append(choice.relativeKey)
            else:
                files.append(state_of(file.relative_path, version))
        return files, skipped

    def _mark(
        self, caller: Caller, asset: Asset, version: AssetVersion, *, is_archived: bool
    ) -> None:
        key = AssetVersion.key(**ids_of(asset), asset_version_id=version.asset_version_id)
        mark = Update(key, (attr(AssetVersion.is_archived).set(is_archived),))
        try:
            self._store.transact(mark, touch_of(asset))
        except TransactionFailed:
            raise NotThere("the asset was archived or deleted meanwhile") from None
        self._record(caller, "archive" if is_archived else "unarchive", asset, version)

    def _record(
        self, caller: Caller, action: str, asset: Asset, version: AssetVersion, **details: Any
    ) -> None:
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        details["assetVersionId"] = version.asset_version_id
        self._service.audit.record("ACTIONS", caller, f"version.{action}", subject, **details)


def _newest_first(version: AssetVersion) -> str:
    number = number_of(version.asset_version_id)
    return f"{NUMBERS_END - number:013d}{version.asset_version_id if number < 0 else ''}"


def _version_file(
    row: AssetFileVersion, relative_path: str, stored: dict[str, StoredFile]
) -> VersionFile:
    file = stored.get(row.file_key)
    return VersionFile(
        row,
        relative_path,
        is_permanently_deleted=file is None or file.find(row.s3_version_id) is None,
        is_latest_archived=file is not None and file.is_archived,
    )
