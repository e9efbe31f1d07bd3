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
from sortkey_systems.vams.model import WHOLE_ASSET, Asset, Database, S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of

PACKAGE = "sortkey_systems.vams"
ENTITIES = {entity.__name__: entity for entity in vams.model.entities}

Told = dict[str, Any]


def load_into(resources: Resources) -> None:
    """Load the sample data into the tables of a host."""
    load(resources.store)


def load(store: Store, now: datetime | None = None) -> None:
    """Put the sample into the tables, unless it is there."""
    told = tomllib.loads((files(PACKAGE) / "sample.toml").read_text("utf-8"))
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    databases = [Database(**each) for each in told["rows"].pop("Database")]
    if store.find(Database.key(database_id=databases[-1].database_id)) is not None:
        return
    buckets = {each["bucket_id"]: S3AssetBucket(**each) for each in told["rows"]["S3AssetBucket"]}
    assets = [_Told(each, now, buckets[each["bucket_id"]]) for each in told["assets"]]
    store.batch_write([*_rows(told["rows"], now), *_api_keys(told["api_keys"])])
    store.batch_write([entity for each in assets for entity in each.belongings()])
    for each in assets:
        _store_asset(store, each)
    store.batch_write(databases)  # last: what was interrupted is done again


def _rows(told: dict[str, list[Told]], now: datetime) -> Iterator[Entity]:
    for name, rows in told.items():
        for row in rows:
            days = row.pop("days_ago", None)
            created = {} if days is None else {"created_at": now - timedelta(days=days, minutes=20)}
            yield ENTITIES[name](**row, **created)


def _api_keys(told: dict[str, Told]) -> Iterator[Entity]:
    for raw, row in told.items():
        yield vams.ApiKey(**row, api_key_hash=sha256(raw.encode()).hexdigest())


def _store_asset(store: Store, told: _Told) -> None:
    asset = told.asset()
    key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
    if not told.is_archived:
        store.put(asset)
    elif store.find(key.archived()) is None:
        store.archive(store.put(asset))


@dataclass(frozen=True, slots=True)
class _Told:
    """An asset as the file has it, and what it makes of the tables."""

    told: Told
    now: datetime
    bucket: S3AssetBucket

    @property
    def is_archived(self) -> bool:
        return self.told.get("is_archived", False)

    @property
    def _ids(self) -> dict[str, Any]:
        return {"database_id": self.told["database_id"], "asset_id": self.told["asset_id"]}

    @property
    def _folder(self) -> str:
        return f"{prefix_of(self.bucket)}{self.told['asset_id']}/"

    def asset(self) -> Asset:
        """The primary record, as after its last version."""
        names = ("asset_name", "asset_type", "description", "is_distributable", "tags", "bucket_id")
        return Asset(
            **self._ids,
            **{name: self.told[name] for name in names if name in self.told},
            asset_location=vams.Location(key=self._folder),
            preview_location=vams.Location(key=f"{self._folder}preview.jpg"),
            created_at=self._ago(self.told),
            updated_at=self._ago(self.told["versions"][-1]),
        )

    def belongings(self) -> Iterator[Entity]:
        """Its versions with their files, its metadata and attributes, and the snapshot of them in
        its last version.
        """
        for version in self.told["versions"]:
            yield self._version(version)
            for file in self.told["files"]:
                if file["since"] <= int(version["id"]):
                    yield self._file_version(version, file)
        for each in self._values("metadata"):
            yield from self._metadata(*each)
        for each in self._values("attributes"):
            yield from self._attribute(*each)

    def _version(self, told: Told) -> Entity:
        return vams.AssetVersion(
            **self._ids,
            asset_version_id=told["id"],
            version_alias=told.get("alias"),
            comment=told["comment"],
            is_archived=self.is_archived,
            created_at=self._ago(told),
            created_by=told["by"],
        )

    def _file_version(self, version: Told, file: Told) -> Entity:
        """Objects are not copied for a version: an object version stays until the content is
        another.
        """
        written = max(
            each for each in (file["since"], *file.get("again", ())) if each <= int(version["id"])
        )
        key = self._folder + file["path"].removeprefix("/")
        object_version = sha256(f"{key} {written}".encode()).hexdigest()[:32]
        return vams.AssetFileVersion(
            **self._ids, asset_version_id=version["id"], file_key=key, s3_version_id=object_version
        )

    def _values(self, kind: str) -> Iterator[tuple[str, str, Any]]:
        """Path, name and value: those of the asset itself, then those of its files."""
        for path, told in (
            (WHOLE_ASSET, self.told),
            *((file["path"], file) for file in self.told["files"]),
        ):
            for name, value in told.get(kind, {}).items():
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
        return self.told["versions"][-1]["id"]

    def _ago(self, told: Told) -> datetime:
        return self.now - timedelta(days=told["days_ago"])
