"""Sample assets of a plant, a hangar and a museum, with all that hangs on them. What they are is in
`sample.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib.resources import files
from typing import Any

from sortkey import Entity, Store
from sortkey.systems import Resources
from sortkey_systems.vams import model as vams
from sortkey_systems.vams.access.control import change_mark
from sortkey_systems.vams.access.definitions import ConstraintDefinition
from sortkey_systems.vams.model import WHOLE_ASSET, Asset, Database, S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of

PACKAGE = "sortkey_systems.vams"
ENTITIES = {entity.__name__: entity for entity in vams.model.entities}

Row = dict[str, Any]


def load_into(resources: Resources) -> None:
    """Load the sample data into the tables of a host."""
    load(resources.store)


def load(store: Store, now: datetime | None = None) -> None:
    """Store the sample, unless it exists."""
    document = tomllib.loads((files(PACKAGE) / "sample.toml").read_text("utf-8"))
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    databases = [Database(**row) for row in document["rows"].pop("Database")]
    if store.find(Database.key(database_id=databases[-1].database_id)) is not None:
        return
    buckets = {row["bucket_id"]: S3AssetBucket(**row) for row in document["rows"]["S3AssetBucket"]}
    assets = [_SampleAsset(entry, now, buckets[entry["bucket_id"]]) for entry in document["assets"]]
    store.batch_write([*_rows(document["rows"], now), *_api_keys(document["api_keys"])])
    store.batch_write([*_constraints(document["constraints"]), change_mark().entity])
    store.batch_write([entity for asset in assets for entity in asset.belongings()])
    for asset in assets:
        _store_asset(store, asset)
    store.batch_write(databases)  # last: what was interrupted is done again


def _rows(rows_by_entity: dict[str, list[Row]], now: datetime) -> Iterator[Entity]:
    for name, rows in rows_by_entity.items():
        for row in rows:
            days = row.pop("days_ago", None)
            created = {} if days is None else {"created_at": now - timedelta(days=days, minutes=20)}
            yield ENTITIES[name](**row, **created)


def _api_keys(keys: dict[str, Row]) -> Iterator[Entity]:
    for raw, row in keys.items():
        yield vams.ApiKey(**row, api_key_hash=sha256(raw.encode()).hexdigest())


def _constraints(rows: list[Row]) -> Iterator[Entity]:
    for row in rows:
        definition = ConstraintDefinition(
            constraintId=row["id"],
            name=row["id"],
            description=row["description"],
            objectType=row["object_type"],
            criteriaAnd=row.get("all", []),
            criteriaOr=row.get("any", []),
            groupPermissions=_permissions("groupId", row.get("groups", {}), row),
            userPermissions=_permissions("userId", row.get("users", {}), row),
        )
        yield definition.head()
        yield from definition.rows()


def _permissions(name: str, verbs: dict[str, list[str]], row: Row) -> list[Any]:
    kind = row.get("type", "allow")
    return [
        {name: principal, "permission": verb, "permissionType": kind}
        for principal, several in verbs.items()
        for verb in several
    ]


def _store_asset(store: Store, row: _SampleAsset) -> None:
    asset = row.asset()
    key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
    if not row.is_archived:
        store.put(asset)
    elif store.find(key.archived()) is None:
        store.archive(store.put(asset))


@dataclass(frozen=True, slots=True)
class _SampleAsset:
    """An asset as in the file, and the items made from it."""

    row: Row
    now: datetime
    bucket: S3AssetBucket

    @property
    def is_archived(self) -> bool:
        return self.row.get("is_archived", False)

    @property
    def _ids(self) -> dict[str, Any]:
        return {"database_id": self.row["database_id"], "asset_id": self.row["asset_id"]}

    @property
    def _folder(self) -> str:
        return f"{prefix_of(self.bucket)}{self.row['asset_id']}/"

    def asset(self) -> Asset:
        """The primary record, as after its last version."""
        names = ("asset_name", "asset_type", "description", "is_distributable", "tags", "bucket_id")
        return Asset(
            **self._ids,
            **{name: self.row[name] for name in names if name in self.row},
            asset_location=vams.Location(key=self._folder),
            preview_location=vams.Location(key=f"{self._folder}preview.jpg"),
            created_at=self._ago(self.row),
            updated_at=self._ago(self.row["versions"][-1]),
        )

    def belongings(self) -> Iterator[Entity]:
        """Its versions with their files, its metadata and attributes, and the snapshot of them in
        its last version.
        """
        for version in self.row["versions"]:
            yield self._version(version)
            for file in self.row["files"]:
                if file["since"] <= int(version["id"]):
                    yield self._file_version(version, file)
        for value in self._values("metadata"):
            yield from self._metadata(*value)
        for value in self._values("attributes"):
            yield from self._attribute(*value)

    def _version(self, version: Row) -> Entity:
        return vams.AssetVersion(
            **self._ids,
            asset_version_id=version["id"],
            version_alias=version.get("alias"),
            comment=version["comment"],
            is_archived=self.is_archived,
            created_at=self._ago(version),
            created_by=version["by"],
        )

    def _file_version(self, version: Row, file: Row) -> Entity:
        """Objects are not copied for a version: an object version stays until the content is
        another.
        """
        latest = max(
            since
            for since in (file["since"], *file.get("again", ()))
            if since <= int(version["id"])
        )
        key = self._folder + file["path"].removeprefix("/")
        object_version = sha256(f"{key} {latest}".encode()).hexdigest()[:32]
        return vams.AssetFileVersion(
            **self._ids, asset_version_id=version["id"], file_key=key, s3_version_id=object_version
        )

    def _values(self, kind: str) -> Iterator[tuple[str, str, Any]]:
        """Path, name and value: those of the asset itself, then those of its files."""
        for path, values in (
            (WHOLE_ASSET, self.row),
            *((file["path"], file) for file in self.row["files"]),
        ):
            for name, value in values.get(kind, {}).items():
                yield path, name, value

    def _metadata(self, path: str, name: str, value: str | dict[str, str]) -> Iterator[Entity]:
        ((kind, text),) = value.items() if isinstance(value, dict) else (("string", value),)
        about = {**self._ids, "file_path": path, "metadata_key": name}
        yield vams.AssetFileMetadata(**about, metadata_value=text, metadata_value_type=kind)
        yield vams.AssetFileMetadataVersion(
            **about,
            asset_version_id=self._last,
            type="metadata",
            metadata_value=text,
            metadata_value_type=kind,
        )

    def _attribute(self, path: str, name: str, value: str) -> Iterator[Entity]:
        yield vams.FileAttribute(
            **self._ids, file_path=path, attribute_key=name, attribute_value=value
        )
        yield vams.AssetFileMetadataVersion(
            **self._ids,
            asset_version_id=self._last,
            type="attribute",
            file_path=path,
            metadata_key=name,
            metadata_value=value,
        )

    @property
    def _last(self) -> str:
        return self.row["versions"][-1]["id"]

    def _ago(self, row: Row) -> datetime:
        return self.now - timedelta(days=row["days_ago"])
