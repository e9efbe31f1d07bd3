"""What the wall of assets asks the search for, and how it reads the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey_systems.vams.console.json_values import Json, object_of

PAGE_SIZE = 60
FACETS = {
    "str_databaseid": "Database",
    "str_assettype": "Type",
    "list_tags": "Tag",
}
"""The fields that can be narrowed, and their headings."""


@dataclass(slots=True)
class AssetQuery:
    """What somebody looks for."""

    text: str = ""
    chosen: dict[str, str] = field(default_factory=dict[str, str])
    """The chosen value of each facet."""
    database_id: str = ""
    is_archived_shown: bool = False
    start: int = 0

    def body(self) -> Json:
        """The body of POST /search."""
        wanted = dict(self.chosen)
        if self.database_id:
            wanted["str_databaseid"] = self.database_id
        return {
            "query": self.text.strip(),
            "filters": [{"term": {name: value}} for name, value in wanted.items()],
            "entityTypes": ["asset"],
            "includeArchived": self.is_archived_shown,
            "includeMetadataInSearch": True,
            "includeHighlights": bool(self.text.strip()),
            "aggregations": True,
            "sort": ["_score"]
            if self.text.strip()
            else [{"field": "str_assetname", "order": "asc"}],
            "from": self.start,
            "size": PAGE_SIZE,
        }


@dataclass(frozen=True, slots=True)
class FoundAsset:
    """An asset in the answer of the search."""

    database_id: str
    asset_id: str
    name: str
    kind: str
    description: str
    tags: tuple[str, ...]
    version: str
    changed: str
    preview: str
    """The path of the preview picture in the asset; empty if there is none."""
    is_archived: bool
    highlights: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A page of assets, how many there are, and the facets with their counts."""

    assets: list[FoundAsset]
    total: int
    facets: dict[str, list[tuple[str, int]]]


def read(answer: Json) -> Found:
    """The answer of POST /search."""
    hits: Json = answer.get("hits") or {}
    count = object_of(hits.get("total")).get("value") or 0
    facets = {
        name: buckets
        for name in FACETS
        if (buckets := list(_buckets_of(answer.get("aggregations") or {}, name)))
    }
    return Found([_asset(hit) for hit in hits.get("hits") or ()], int(count), facets)


def read_list(rows: list[Json]) -> Found:
    """Assets of a list, for the time in which the search is being built."""
    return Found([_listed(row) for row in rows[:PAGE_SIZE]], min(len(rows), PAGE_SIZE), {})


def _listed(row: Json) -> FoundAsset:
    version: Json = row.get("currentVersion") or {}
    source: Json = {
        "str_databaseid": row["databaseId"],
        "str_assetid": row["assetId"],
        "str_assetname": row.get("assetName"),
        "str_assettype": row.get("assetType"),
        "str_description": row.get("description"),
        "list_tags": row.get("tags"),
        "str_asset_version_id": version.get("Version"),
        "date_asset_version_createdate": version.get("DateModified"),
        "str_assetlocationkey": object_of(row.get("assetLocation")).get("Key"),
        "str_previewfilekey": object_of(row.get("previewLocation")).get("Key"),
        "bool_isdistributable": row.get("isDistributable"),
        "bool_archived": row.get("status") == "archived",
    }
    return _asset({"_source": source})


def relative_path(key: str, location: str) -> str:
    """The path of an object in its asset, whose files begin with `location`."""
    place = location.rstrip("/") + "/"
    return "/" + key.removeprefix(place) if location and key.startswith(place) else ""


def _asset(hit: Json) -> FoundAsset:
    source: Json = hit.get("_source") or {}
    asset_id = str(source.get("str_assetid", ""))
    location = str(
        source.get("str_assetlocationkey") or f"{source.get('str_bucketprefix') or ''}{asset_id}/"
    )
    tags: Any = source.get("list_tags") or ()
    shown = [tags] if isinstance(tags, str) else tags
    return FoundAsset(
        str(source.get("str_databaseid", "")).removesuffix("#deleted"),
        asset_id,
        str(source.get("str_assetname") or asset_id),
        str(source.get("str_assettype") or ""),
        str(source.get("str_description") or ""),
        tuple(str(tag) for tag in shown),
        str(source.get("str_asset_version_id") or ""),
        str(source.get("date_asset_version_createdate") or ""),
        _preview(source, location),
        bool(source.get("bool_archived")),
        tuple(_highlights(hit)),
    )


def _preview(source: Json, location: str) -> str:
    """What may not be distributed has no picture: the interface gives none of its bytes."""
    if source.get("bool_isdistributable") is False:
        return ""
    return relative_path(str(source.get("str_previewfilekey") or ""), location.lstrip("/"))


def _highlights(hit: Json) -> Iterator[str]:
    found: Json = hit.get("highlight") or {}
    for name, texts in found.items():
        if not name.startswith("str_assetname"):
            yield from (str(text) for text in texts[:1])


def _buckets_of(aggregations: Json, field_name: str) -> Iterator[tuple[str, int]]:
    """The buckets of a field, under whatever name and depth they come."""
    for name, value in aggregations.items():
        if isinstance(value, dict) and field_name in name:
            yield from _buckets(cast(Json, value))
            return


def _buckets(value: Json) -> Iterator[tuple[str, int]]:
    for each in value.get("buckets") or ():
        yield str(each["key"]), int(each["doc_count"])
    for inner in value.values():
        if isinstance(inner, dict):
            yield from _buckets(cast(Json, inner))
