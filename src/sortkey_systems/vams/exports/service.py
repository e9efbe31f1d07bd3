"""`Exports`: an asset with the assets below it, page by page.

A page ends at its number of assets, or when it has many files. Its token names the last asset, so
that changes meanwhile neither repeat nor skip others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.answers import Json, now_text
from sortkey_systems.vams.exports.files import ExportedFiles
from sortkey_systems.vams.exports.values import ExportValues
from sortkey_systems.vams.failures import BadToken
from sortkey_systems.vams.links.families import DEPTH_MAX, Descendants, Edge, ids_of
from sortkey_systems.vams.links.graph import AssetIds, end_of
from sortkey_systems.vams.model import Asset, AssetLink, AssetLinkMetadata
from sortkey_systems.vams.pages import read_token, write_token

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

FILES_MAX = 10_000
"""A page with so many files ends, whatever number of assets was asked for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An asset of the export. None: the caller may not see it."""

    ids: AssetIds
    asset: Asset | None
    is_root: bool = False

    @property
    def position(self) -> str:
        return f"{0 if self.is_root else 1}{':'.join(self.ids)}"


class Exports:
    """Exports assets for callers."""

    def __init__(self, service: Vams) -> None:
        self._service = service
        self._files = ExportedFiles(service)

    def page(self, caller: Caller, database_id: str, asset_id: str, wanted: ExportValues) -> Json:
        """A page of an export, in the names of the interface."""
        root = self._service.assets.get(caller, database_id, asset_id)
        about = f"export:{database_id}:{asset_id}"
        after = _position(about, wanted.startingToken)
        below = self._below(caller, root, wanted)
        entries = _entries(root, below)
        waiting = [each for each in entries if each.position > after]
        assets, count = list[Json](), 0
        for entry in waiting[: wanted.maxAssets]:
            exported = self._exported(caller, entry, wanted)
            assets.append(exported)
            count += len(exported.get("files", ()))
            if count >= FILES_MAX:
                break
        has_more = len(waiting) > len(assets)
        self._record(caller, root, wanted, count)
        more = {"isTruncated": True} if below.is_truncated else {}
        return {
            **more,
            "assets": assets,
            "relationships": None if after else self._relationships(caller, root, below, wanted),
            "totalAssetsInTree": len(entries),
            "assetsInThisPage": len(assets),
            "NextToken": (
                write_token(about, waiting[len(assets) - 1].position) if has_more else None
            ),
        }

    def _below(self, caller: Caller, root: Asset, wanted: ExportValues) -> Descendants:
        if not wanted.fetchAssetRelationships:
            return Descendants()
        depth = DEPTH_MAX if wanted.fetchEntireChildrenSubtrees else 1
        return self._service.links.families.descendants(caller, root, depth)

    def _exported(self, caller: Caller, entry: _Entry, wanted: ExportValues) -> Json:
        asset = entry.asset
        if asset is None:
            database_id, asset_id = entry.ids
            return {"assetId": asset_id, "databaseId": database_id, "unauthorizedAsset": True}
        bucket = self._service.buckets.lookup(asset.bucket_id)
        (version,) = self._service.assets.current_versions([asset])
        created = version.created_at if version else None
        metadata, files = self._files.of_asset(caller, asset, wanted)
        return {
            "is_root_lookup_asset": entry.is_root,
            "id": asset.asset_id,
            "databaseid": asset.database_id,
            "assetid": asset.asset_id,
            "assetname": asset.asset_name,
            "bucketid": asset.bucket_id,
            "bucketname": bucket.bucket_name if bucket else "",
            "bucketprefix": bucket.base_assets_prefix if bucket else "",
            "assettype": asset.asset_type or "none",
            "description": asset.description,
            "isdistributable": asset.is_distributable,
            "tags": list(asset.tags),
            "asset_version_id": version.asset_version_id if version else "",
            "asset_version_createdate": now_text(created) if created else "",
            "asset_version_comment": version.comment if version else "",
            "archived": asset.in_archive,
            "metadata": metadata,
            "files": files,
        }

    # -- relationships

    def _relationships(
        self, caller: Caller, root: Asset, below: Descendants, wanted: ExportValues
    ) -> list[Json]:
        if not wanted.fetchAssetRelationships:
            return []
        edges: list[Edge] = below.edges()
        if wanted.includeParentRelationships:
            around = self._service.links.families.neighbours(caller, root)
            edges = [*around.parents.visible, *edges]
        return [self._relationship(edge.link, wanted) for edge in edges]

    def _relationship(self, link: AssetLink, wanted: ExportValues) -> Json:
        return {
            "parentAssetId": link.from_asset_id,
            "parentAssetDatabaseId": link.from_asset_database_id,
            "childAssetId": link.to_asset_id,
            "childAssetDatabaseId": link.to_asset_database_id,
            "assetLinkType": link.relationship_type,
            "assetLinkId": link.asset_link_id,
            "assetLinkAliasId": link.asset_link_alias_id,
            "metadata": self._link_metadata(link) if wanted.includeAssetLinkMetadata else {},
        }

    def _link_metadata(self, link: AssetLink) -> Json:
        rows = self._service.store.query(
            AssetLinkMetadata.of_link(asset_link_id=link.asset_link_id)
        )
        return {
            row.metadata_key: {"valueType": row.metadata_value_type, "value": row.metadata_value}
            for row in rows
        }

    def _record(self, caller: Caller, root: Asset, wanted: ExportValues, files: int) -> None:
        self._service.audit.record(
            "FILEDOWNLOAD" if wanted.generatePresignedUrls else "ACTIONS",
            caller,
            "asset.export",
            f"asset/{root.database_id}/{root.asset_id}",
            files=files,
        )


def _entries(root: Asset, below: Descendants) -> list[_Entry]:
    """The root and the assets below it, each once, in the order of pages."""
    found = {ids_of(root): _Entry(ids_of(root), root, is_root=True)}
    for edge in below.edges():
        found.setdefault(ids_of(edge.asset), _Entry(ids_of(edge.asset), edge.asset))
    for link in below.hidden:
        found.setdefault(end_of(link), _Entry(end_of(link), None))
    return sorted(found.values(), key=lambda entry: entry.position)


def _position(about: str, token: str | None) -> str:
    if not token:
        return ""
    position = read_token(about, token)
    if not isinstance(position, str) or not position:
        raise BadToken
    return position
