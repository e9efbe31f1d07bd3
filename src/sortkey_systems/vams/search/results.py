"""Answers of a search in the shape of OpenSearch's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from sortkey import (
    Bool,
    Date,
    Document,
    FieldKind,
    Flat,
    GeoPoint,
    GeoShape,
    Integer,
    Keyword,
    Number,
    Text,
)
from sortkey_systems.vams.model.field_names import METADATA_KEYS, METADATA_VALUES
from sortkey_systems.vams.search.fields import DOCUMENTS
from sortkey_systems.vams.search.ordered_hits import Found, Part

Json = dict[str, Any]
INDEXES: Final = {"asset": "vams-asset", "file": "vams-file"}
"""The names of the indexes in answers."""
FACETS: Final[Mapping[str, Mapping[str, str]]] = {
    "asset": {
        "str_assettype": "filtered_assettype",
        "str_databaseid": "filtered_databaseid",
        "list_tags": "filtered_tags",
    },
    "file": {
        "str_fileext": "filtered_fileext",
        "str_databaseid": "filtered_databaseid",
        "list_tags": "filtered_tags",
    },
}
"""By index: the fields that are counted, and where clients look for the counts."""
HELPERS: Final = (METADATA_KEYS, METADATA_VALUES)
"""Fields for searching only, which repeat what `MD_` has."""
_TYPES: Final[Mapping[type[FieldKind], str]] = {
    Text: "text",
    Keyword: "keyword",
    Number: "double",
    Integer: "long",
    Bool: "boolean",
    Date: "date",
    GeoPoint: "geo_point",
    GeoShape: "text",
    Flat: "flat_object",
}


class SearchAnswer(BaseModel):
    """The answer to a search."""

    model_config = ConfigDict(extra="allow")
    took: int
    timed_out: bool
    hits: dict[str, Any]
    aggregations: dict[str, Any] | None = None
    aggregationTotal: int | None = None


class MappingsAnswer(BaseModel):
    """The fields of the indexes."""

    mappings: dict[str, Any]


def answer(
    parts: Sequence[Part],
    found: Sequence[Found],
    *,
    took_ms: int,
    with_facets: bool,
    explained_as: str | None = None,
) -> Json:
    """The answer with these hits. `explained_as` is the kind of query, if hits are explained."""
    total = sum(part.total for part in parts)
    scores = [each.hit.score for each in found if each.hit.score is not None]
    shape: Json = {
        "took": took_ms,
        "timed_out": False,
        "_shards": {"total": len(parts), "successful": len(parts), "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": total, "relation": "eq"},
            "max_score": max(scores, default=None),
            "hits": [_hit(each, explained_as) for each in found],
        },
    }
    if with_facets:
        shape["aggregations"] = _aggregations(parts)
        shape["aggregationTotal"] = total
    return shape


def mappings() -> Json:
    """The fields of both indexes and their types."""
    return {
        "mappings": {
            INDEXES[name]: {"mappings": {"properties": _properties(document)}}
            for name, document in DOCUMENTS.items()
        }
    }


def _properties(document: Document[Any]) -> Json:
    properties: Json = {}
    for name, kind in document.fields.items():
        properties[name] = {"type": _TYPES[type(kind)]}
        if isinstance(kind, Text):
            properties[name]["fields"] = {"keyword": {"type": "keyword"}}
    return properties


def _hit(found: Found, explained_as: str | None) -> Json:
    hit = found.hit
    shape: Json = {
        "_index": INDEXES[found.kind],
        "_id": hit.id,
        "_score": hit.score,
        "_source": {name: value for name, value in hit.fields.items() if name not in HELPERS},
    }
    highlights = {
        "MD_" if n == METADATA_VALUES else n: texts for n, texts in hit.highlights.items()
    }
    if highlights:
        shape["highlight"] = highlights
    if explained_as is not None:
        shape["explanation"] = _explanation(found, explained_as, highlights)
    return shape


def _explanation(found: Found, query_type: str, highlights: Mapping[str, Iterable[str]]) -> Json:
    return {
        "query_type": query_type,
        "index_type": found.kind,
        "matched_fields": list(highlights),
        "match_reasons": {name: f"Found in {name}" for name in highlights},
        "score_breakdown": {"score": found.hit.score},
    }


def _aggregations(parts: Sequence[Part]) -> Json:
    """Counts of both indexes, added up."""
    counts: dict[str, Counter[Any]] = {}
    inner: dict[str, str] = {}
    for part in parts:
        for name, values in part.facets.items():
            inner[name] = FACETS[part.kind][name]
            counts.setdefault(name, Counter()).update(dict(values))
    totals = {name: sum(p.total for p in parts if name in FACETS[p.kind]) for name in counts}
    return {
        name: {"doc_count": totals[name], inner[name]: {"buckets": _buckets(counted)}}
        for name, counted in counts.items()
    }


def _buckets(counted: Counter[Any]) -> list[Json]:
    ordered = sorted(counted.items(), key=lambda each: (-each[1], each[0]))
    return [{"key": key, "doc_count": count} for key, count in ordered]
