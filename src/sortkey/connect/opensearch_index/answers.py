"""Requests for pages of results, and their answers."""

from __future__ import annotations

from sortkey.connect.opensearch_index.mapping import ID, ORIGINAL
from sortkey.connect.opensearch_index.queries import Json, Translator
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.port import Answer, IndexedDocument, Marked, Position
from sortkey.runtime.search.queries import Facet, FacetValue, SearchQuery, Sort
from sortkey.runtime.search.query_checks import highlighted, is_scored

FACET_SHARD_SIZE = 10_000
VALUES_PAGE = 10_000
BEGIN, END = "\ue0f0", "\ue0f1"
"""Mark highlighted words: private-use characters, which no text should have."""
ANALYZED_MAX = 999_999
"""Only the beginning of a longer text is highlighted. OpenSearch would refuse all of it."""


def request(translator: Translator, query: SearchQuery, position: Position | None) -> Json:
    """The body of a search for one hit more than a page has."""
    scored = not query.sorts and is_scored(query.where)
    sorts: list[Json] = (
        [{"_score": {"order": "desc"}}]
        if scored
        else [_sort(translator, sort) for sort in query.sorts]
    )
    body: Json = {
        "query": translator.query(query.where),
        "size": query.size + 1 if query.size else 0,
        "sort": [*sorts, {ID: {"order": "asc"}}],
        "track_total_hits": True,
        "version": True,
    }
    if position is not None:
        body["search_after"] = position
    if query.facets:
        body["aggs"] = {
            f"facet{n}": _aggregation(translator, facet) for n, facet in enumerate(query.facets)
        }
    if highlights := {
        name: _highlight(translator, query, name)
        for name in query.highlights
        if highlighted(query.where, name)
    }:
        tags = {"pre_tags": [BEGIN], "post_tags": [END]}
        body["highlight"] = {
            "number_of_fragments": 0,
            "max_analyzer_offset": ANALYZED_MAX,
            **tags,
            "fields": highlights,
        }
    return body


def read(answered: Json, query: SearchQuery) -> Answer:
    hits: list[Json] = answered["hits"]["hits"]
    facets = {
        facet.field: [_value(bucket) for bucket in answered["aggregations"][f"facet{n}"]["buckets"]]
        for n, facet in enumerate(query.facets)
    }
    end = hits[query.size - 1]["sort"] if len(hits) > query.size > 0 else None
    return Answer(
        [hit_of(hit) for hit in hits[: query.size]], answered["hits"]["total"]["value"], facets, end
    )


def hit_of(hit: Json) -> IndexedDocument:
    """A hit, or a document that was fetched by its id."""
    source: Json = hit["_source"]
    id = source.pop(ID)
    fields = source.get(ORIGINAL) or source
    highlights = {
        name: [_read_marks(text) for text in texts]
        for name, texts in hit.get("highlight", {}).items()
    }
    return IndexedDocument(
        id,
        hit["_version"],
        fields,
        hit.get("_score"),
        {n: [m for m in marks if m[1]] for n, marks in highlights.items()},
    )


def _sort(translator: Translator, sort: Sort) -> Json:
    if sort.origin is not None:
        point = {"lat": sort.origin.lat, "lon": sort.origin.lon}
        # Documents without a place are infinitely far away: they come last.
        return {
            "_geo_distance": {
                sort.field: point,
                "order": "asc",
                "unit": "m",
                "ignore_unmapped": True,
            }
        }
    return {
        translator.exact(sort.field): {
            "order": "desc" if sort.is_descending else "asc",
            "missing": "_last",
        }
    }


def _aggregation(translator: Translator, facet: Facet) -> Json:
    order = [{"_count": "desc"}, {"_key": "asc"}]
    size = {"size": facet.size, "shard_size": max(facet.size, FACET_SHARD_SIZE)}
    return {"terms": {"field": translator.exact(facet.field), "order": order, **size}}


def _value(bucket: Json) -> FacetValue:
    # OpenSearch returns booleans as 1 and 0, and as texts.
    is_boolean = bucket.get("key_as_string") in ("true", "false")
    return FacetValue(bool(bucket["key"]) if is_boolean else bucket["key"], bucket["doc_count"])


def _highlight(translator: Translator, query: SearchQuery, name: str) -> Json:
    return {"highlight_query": translator.highlight(highlighted(query.where, name), name)}


def _read_marks(text: str) -> Marked:
    """Split a text with marks into the plain text and the positions of the marked words."""
    plain, marks, start = "", list[tuple[int, int]](), 0
    for n, piece in enumerate(text.replace(END, BEGIN).split(BEGIN)):
        start = len(plain)
        plain += piece
        if n % 2:
            marks.append((start, len(plain)))
    return plain, marks


def values_request(translator: Translator, field: str, where: Match | None) -> Json:
    """The body of a search for the different values of a field, so many at a time."""
    source = {"value": {"terms": {"field": translator.exact(field)}}}
    return {
        "query": translator.query(where),
        "size": 0,
        "track_total_hits": False,
        "aggs": {"values": {"composite": {"size": VALUES_PAGE, "sources": [source]}}},
    }


def read_values(answered: Json) -> tuple[list[str], Json | None]:
    """The values of a page, and where the next one begins; None at the end."""
    listed: Json = answered["aggregations"]["values"]
    values = [bucket["key"]["value"] for bucket in listed["buckets"]]
    return values, listed.get("after_key") if values else None
