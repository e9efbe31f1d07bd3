"""`AssetSearch`: searches of assets and files, as a caller may see them.

A request becomes one clause per index; `visibility` narrows it to what the caller may see, and the
hits of both indexes come in one order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from sortkey import Document, Match, Search, Searches, SearchQuery, Sort
from sortkey.errors import ModelError
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.failures import Invalid, NotReady
from sortkey_systems.vams.model.field_names import METADATA_VALUES
from sortkey_systems.vams.search.fields import DOCUMENTS, path_of, value_clause
from sortkey_systems.vams.search.filters import filter_clause
from sortkey_systems.vams.search.ordered_hits import Part, ordered
from sortkey_systems.vams.search.places import geo_clause
from sortkey_systems.vams.search.requests import (
    EntityType,
    SearchRequest,
    SearchToken,
    SimpleSearchRequest,
    SortField,
)
from sortkey_systems.vams.search.results import FACETS, Json, answer, mappings
from sortkey_systems.vams.search.visibility import Visibility
from sortkey_systems.vams.search.words import (
    FIELDS,
    general_clause,
    key_clause,
    metadata_clause,
    value_words_clause,
)

FACET_VALUES = 1000
ALL_FIELDS = (None, "all", "*")
SCORE = "_score"


class AssetSearch:
    """Search over both indexes."""

    def __init__(self, searches: Searches, access: Access) -> None:
        self._searches, self._access = searches, access

    def query(self, caller: Caller, wanted: SearchRequest) -> Json:
        """POST /search."""
        clauses = _of_kinds(wanted.kinds, lambda document: _clause(document, wanted))
        has_words = bool(wanted.query or wanted.metadataQuery)
        return self._answer(
            caller,
            clauses,
            wanted.start,
            wanted.page_size,
            sorts=_sorts(wanted.sort or []),
            with_facets=wanted.aggregations is not False,
            with_highlights=has_words and wanted.includeHighlights is not False,
            explained_as=_query_type(wanted) if wanted.explainResults else None,
        )

    def simple(self, caller: Caller, wanted: SimpleSearchRequest) -> Json:
        """POST /search/simple."""
        clauses = _of_kinds(wanted.kinds, lambda document: _simple_clause(document, wanted))
        return self._answer(
            caller,
            clauses,
            wanted.start,
            wanted.page_size,
            with_highlights=bool(wanted.query or wanted.metadataValue),
        )

    def fields(self) -> Json:
        """GET /search."""
        return mappings()

    def counts_by_database(self, caller: Caller) -> dict[str, int]:
        """The active assets that a caller may see, by their databases: of those with the most
        assets, FACET_VALUES of them. Raises NotReady.
        """
        try:
            part = self._part(caller, "asset", _archive_clause(False), ())
            found = part.search.query(part.query.facet("str_databaseid", FACET_VALUES).limit(0))
        except ModelError as error:
            raise Invalid(str(error)) from None
        return {str(each.value): each.count for each in found.facets["str_databaseid"]}

    def _answer(
        self,
        caller: Caller,
        clauses: dict[EntityType, Match],
        start: int,
        size: int,
        *,
        sorts: Sequence[Sort] = (),
        with_facets: bool = False,
        with_highlights: bool = False,
        explained_as: str | None = None,
    ) -> Json:
        began = time.perf_counter()
        try:
            parts = [self._part(caller, kind, each, sorts) for kind, each in clauses.items()]
            for part in parts:
                if with_facets:
                    for name in FACETS[part.kind]:
                        part.query = part.query.facet(name, FACET_VALUES)
                if with_highlights:
                    part.query = part.query.highlighting(*FIELDS[part.kind], METADATA_VALUES)
            found = ordered(parts, sorts, start, size)
        except ModelError as error:
            raise Invalid(str(error)) from None
        took = int((time.perf_counter() - began) * 1000)
        return answer(
            parts, found, took_ms=took, with_facets=with_facets, explained_as=explained_as
        )

    def _part(self, caller: Caller, kind: EntityType, clause: Match, sorts: Sequence[Sort]) -> Part:
        """An index with the query on it, as the caller may see it."""
        search = self._search(kind)
        allows, denies = self._access.rules(caller, "GET", AssetObject.object_type)
        visibility = Visibility(allows, denies, self._access.filter(caller), search, clause)
        visible = visibility.clause()
        known = search.document.fields
        orders = [sort for sort in sorts if sort.field in known]
        query = SearchQuery(visible).sorted_by(*orders)
        if sorts and not orders:  # all of its documents lack the fields, so the id decides
            query = query.sorted_by("_rectype")
        return Part(kind, search, query, visibility.shows)

    def _search(self, kind: EntityType) -> Search[Any]:
        managed = self._searches.get(f"vams/{kind}")
        if managed is None or managed.state in ("waiting", "building"):
            raise NotReady("The search index is being built. Try again in a moment.")
        if managed.state == "failed":
            raise NotReady("The search index cannot be opened: the server's log says why.")
        return managed.search


def _of_kinds(
    kinds: Sequence[EntityType], clause: Callable[[Document[Any]], Match]
) -> dict[EntityType, Match]:
    """The clause of each index. Raises Invalid for what cannot be asked."""
    try:
        return {kind: clause(DOCUMENTS[kind]) for kind in kinds}
    except ModelError as error:
        raise Invalid(str(error)) from None


def _clause(document: Document[Any], wanted: SearchRequest) -> Match:
    clauses = [_archive_clause(wanted.includeArchived)]
    if wanted.query:
        with_metadata = wanted.includeMetadataInSearch is not False
        clauses.append(general_clause(document, wanted.query, with_metadata=with_metadata))
    if wanted.metadataQuery:
        mode = wanted.metadataSearchMode or "both"
        clauses.append(metadata_clause(document, wanted.metadataQuery, mode))
    if wanted.tokens:
        clauses.append(_tokens_clause(document, wanted.tokens, wanted.operation or "AND"))
    clauses += [filter_clause(document, each) for each in wanted.filters or ()]
    if wanted.geoSearch is not None:
        clauses.append(geo_clause(wanted.geoSearch))
    return Match.all(*clauses)


def _simple_clause(document: Document[Any], wanted: SimpleSearchRequest) -> Match:
    clauses = [_archive_clause(wanted.includeArchived)]
    if wanted.query:
        clauses.append(general_clause(document, wanted.query, with_metadata=True))
    for name, text in (("str_assetname", wanted.assetName), ("str_key", wanted.fileKey)):
        if text and text.strip():
            clauses.append(_part_of_name(document, name, text.strip()))
    for name, text in (
        ("str_assetid", wanted.assetId),
        ("str_assettype", wanted.assetType),
        ("str_fileext", wanted.fileExtension),
        ("str_databaseid", wanted.databaseId),
    ):
        if text and text.strip():
            clauses.append(value_clause(document, name, text.strip()))
    if wanted.tags:
        clauses.append(Match.any(*(Match.phrase(tag, ["list_tags"]) for tag in wanted.tags)))
    if wanted.metadataKey:
        clauses.append(key_clause(wanted.metadataKey))
    if wanted.metadataValue:
        clauses.append(value_words_clause(wanted.metadataValue))
    if wanted.geoSearch is not None:
        clauses.append(geo_clause(wanted.geoSearch))
    return Match.all(*clauses)


def _part_of_name(document: Document[Any], name: str, text: str) -> Match:
    """The beginning of a name, or words of it, the last of which may be a beginning."""
    if name not in document.fields:
        return Match.any()
    return Match.prefix(name, text) | Match.text(text, [name], begins=True)


def _archive_clause(is_included: bool | None) -> Match:
    return Match.all() if is_included else ~Match.keyword("bool_archived", True)


def _tokens_clause(
    document: Document[Any], tokens: Sequence[SearchToken], operation: Literal["AND", "OR"]
) -> Match:
    clauses = [_token_clause(document, token) for token in tokens]
    return Match.any(*clauses) if operation == "OR" else Match.all(*clauses)


def _token_clause(document: Document[Any], token: SearchToken) -> Match:
    if token.propertyKey in ALL_FIELDS:
        clause = general_clause(document, token.value, with_metadata=True)
    else:
        assert token.propertyKey is not None
        is_exact = token.operator.endswith("=")
        clause = value_clause(document, token.propertyKey, token.value, is_quoted=is_exact)
    return ~clause if token.operator.startswith("!") else clause


def _sorts(wanted: Sequence[SortField | dict[str, Any] | str]) -> list[Sort]:
    """Fields to sort by. The score alone is the default order; among fields it is left out."""
    sorts: list[Sort] = []
    for each in wanted:
        name, is_descending = _order(each)
        if name == SCORE:
            continue
        path = path_of(name)
        kinds = [document.fields.get(path) for document in DOCUMENTS.values()]
        if not any(kind is not None and kind.is_sorted for kind in kinds):
            raise Invalid(f"results cannot be sorted by {name[:100]}")
        sorts.append(Sort(path, is_descending))
    return sorts


def _order(wanted: SortField | dict[str, Any] | str) -> tuple[str, bool]:
    if isinstance(wanted, SortField):
        return wanted.field, wanted.order == "desc"
    if isinstance(wanted, str):
        return wanted, False
    if len(wanted) != 1:
        raise Invalid('sort: write {"field": "str_assetname", "order": "asc"}')
    ((name, order),) = wanted.items()
    if isinstance(order, dict):
        order = cast("dict[str, Any]", order).get("order", "asc")
    return name, order == "desc"


def _query_type(wanted: SearchRequest) -> str:
    if wanted.query and wanted.metadataQuery:
        return "combined"
    if wanted.metadataQuery:
        return "metadata"
    return "general" if wanted.query else "filter"
