"""The content of the search page: results, filters and sort orders. Nothing is drawn here."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from sortkey.model.documents import Document
from sortkey.model.field_kinds import Date, FieldKind, Integer, Number, Text
from sortkey.runtime.search import FacetValue, Hit, Match, Search, SearchPage, SearchQuery
from sortkey.runtime.search.highlights import snippet
from sortkey.web.console.search_labels import label_of, normalized
from sortkey.web.console.search_words import has_words, match_of

PAGE = 20
CHOICES = 8
"""The most values of a filter."""
FILTERS = 9
SNIPPETS = 3
FACETS = ("text[]", "keyword[]", "keyword", "text", "bool")
"""Kinds of fields to filter by, in the order of display."""
Chosen = Mapping[str, frozenset[Any]]


@dataclass(frozen=True)
class SearchRequest:
    """A request of the search page: words, chosen values, sort order and page."""

    words: str = ""
    chosen: Chosen = field(default_factory=dict[str, frozenset[Any]])
    sort: str = ""
    cursor: str | None = None


@dataclass(frozen=True)
class Choice:
    """A value of a field, and how many results have it."""

    value: Any
    count: int
    is_chosen: bool


@dataclass(frozen=True)
class Filter:
    """A field to filter by."""

    field: str
    choices: Sequence[Choice]


@dataclass(frozen=True)
class Results:
    """A page of results. `are_similar` means that only similar words were found."""

    page: SearchPage
    filters: Sequence[Filter]
    are_similar: bool
    milliseconds: float


def useful_facets(search: Search[Any]) -> list[str]:
    """The fields that divide documents into groups. One value for all, or a different one for each,
    is useless.

    The caller keeps the result: counting the values of many documents is slow.
    """
    fields = _countable(search.document)
    query = SearchQuery().limit(0)
    for name in fields:
        query = query.facet(name, 2)
    facets = search.query(query).facets
    return [name for name in fields if _is_useful(facets[name])]


def run_search(search: Search[Any], request: SearchRequest, fields: Sequence[str]) -> Results:
    """Search, with filters for some fields. Raises ModelError for an invalid request."""
    began = time.perf_counter()
    document = search.document
    words, are_similar = match_of(document.fields, request.words), False
    page = search.query(_query(document, request, words, fields))
    if not page.total and has_words(request.words):
        similar = match_of(document.fields, request.words, fuzzy=True)
        other = search.query(_query(document, request, similar, fields))
        if other.total:
            page, words, are_similar = other, similar, True
    filters = _filters(search, request, words, page, fields)
    return Results(page, filters, are_similar, (time.perf_counter() - began) * 1000)


def sorts_of(document: Document[Any]) -> dict[str, str]:
    """The sort orders with their labels: best match, title, dates and numbers."""
    orders = {"": "best match"}
    title = title_field(document)
    for name, kind in document.fields.items():
        if name == title or isinstance(kind, _FACTS):
            label, (up, down) = label_of(document.fields, name), _directions(kind)
            orders |= {name: f"{label}, {up}", f"-{name}": f"{label}, {down}"}
    return orders


_FACTS = (Integer, Number, Date)
"""Kinds of fields that are shown with a result and that results can be sorted by."""


def _directions(kind: FieldKind) -> tuple[str, str]:
    match kind:
        case Integer() | Number():
            return "smallest first", "largest first"
        case Date():
            return "oldest first", "newest first"
        case _:
            return "A to Z", "Z to A"


def title_field(document: Document[Any]) -> str:
    """The field that is the title of a result: its first text that is not in the id."""
    texts = [name for name, kind in document.fields.items() if _is_text(kind)]
    return next((name for name in texts if not _is_in_id(document, name)), next(iter(texts), ""))


def title_of(document: Document[Any], hit: Hit) -> str:
    """The title as HTML, with the search words highlighted."""
    name = title_field(document)
    return _marked(hit, name) or escape(hit.id)


def snippets_of(document: Document[Any], hit: Hit) -> list[tuple[str, str]]:
    """Where the words were found, except title and id, as labels and HTML. Sentences come first."""
    seen = {title_field(document), *(name for name in hit.fields if _is_in_id(document, name))}
    marked = {name: " … ".join(texts) for name, texts in hit.highlights.items() if name not in seen}
    places = [
        (label_of(document.fields, name), text) for name, text in marked.items() if "<em>" in text
    ]
    sentences = [place for place in places if " " in place[1]]
    return sentences[:SNIPPETS] or [*_longest(document, hit, seen), *places[:1]]


def _longest(document: Document[Any], hit: Hit, seen: Container[str]) -> list[tuple[str, str]]:
    """The beginning of the longest text of several words."""
    texts = {
        name: str(value) for name, value in hit.fields.items() if _is_text(_kind(document, name))
    }
    several = [name for name in texts if name not in seen and " " in texts[name]]
    name = max(several, key=lambda name: len(texts[name]), default=None)
    return [] if name is None else [(label_of(document.fields, name), snippet(texts[name], []))]


def facts_of(document: Document[Any], hit: Hit) -> list[tuple[str, Any]]:
    """Dates and numbers of a result, by their labels."""
    facts = {
        name: value
        for name, value in hit.fields.items()
        if isinstance(_kind(document, name), _FACTS)
    }
    return [(label_of(document.fields, name), value) for name, value in facts.items()]


def marks_of(document: Document[Any], hit: Hit) -> list[str]:
    """The true flags of a result, and the values of its lists."""
    true = [label_of(document.fields, name) for name, value in hit.fields.items() if value is True]
    kinds = {name: _kind(document, name) for name in hit.fields}
    lists = [
        value
        for name, kind in kinds.items()
        if kind is not None and kind.is_list
        for value in hit.fields[name]
    ]
    return [*true, *lists]


def _query(
    document: Document[Any],
    request: SearchRequest,
    words: Match | None,
    fields: Sequence[str],
    without: str = "",
) -> SearchQuery:
    """The query. With `without`, it only counts the values of that field, ignoring its filter."""
    query = SearchQuery(words).limit(PAGE)
    for name, values in request.chosen.items():
        if values and name != without:
            query = query.matching(Match.keyword(name, *sorted(values, key=str)))
    if request.sort:
        query = query.sorted_by(request.sort)
    if without:
        return query.limit(0).facet(without, CHOICES)
    for name in fields:
        query = query.facet(name, CHOICES)
    return query.highlighting(*_worded(document)).after(request.cursor)


def _filters(
    search: Search[Any],
    request: SearchRequest,
    words: Match | None,
    page: SearchPage,
    fields: Sequence[str],
) -> list[Filter]:
    """Fields to filter the results by. A field with a chosen value is counted without that filter,
    so that others can be chosen too.
    """
    filters: list[Filter] = []
    for name in dict.fromkeys(
        [*fields, *(name for name, values in request.chosen.items() if values)]
    ):
        chosen = request.chosen.get(name, frozenset())
        if chosen:
            query = _query(search.document, request, words, (), without=name)
            filters.append(Filter(name, _choices(search.query(query).facets[name], chosen)))
        elif _is_useful(page.facets[name]):
            filters.append(Filter(name, _choices(page.facets[name], chosen)))
    return filters[:FILTERS]


def _is_useful(values: Sequence[FacetValue]) -> bool:
    return len(values) > 1 and values[0].count > 1


def _choices(values: Sequence[FacetValue], chosen: frozenset[Any]) -> list[Choice]:
    listed = [Choice(facet.value, facet.count, facet.value in chosen) for facet in values]
    known = {facet.value for facet in values}
    return [*listed, *(Choice(value, 0, True) for value in sorted(chosen - known, key=str))]


def _countable(document: Document[Any]) -> list[str]:
    return [
        name
        for wanted in FACETS
        for name, kind in document.fields.items()
        if kind.signature == wanted
    ]


def _worded(document: Document[Any]) -> list[str]:
    return [name for name, kind in document.fields.items() if kind.has_words]


def _is_in_id(document: Document[Any], name: str) -> bool:
    """Whether a field is part of the id, by its name."""
    in_id = {normalized(part) for part in document.id.names}
    return not in_id.isdisjoint((normalized(name), normalized(label_of(document.fields, name))))


def _kind(document: Document[Any], name: str) -> FieldKind | None:
    return document.fields.get(name)


def _is_text(kind: FieldKind | None) -> bool:
    return isinstance(kind, Text) and not kind.many


def _marked(hit: Hit, name: str) -> str:
    if texts := hit.highlights.get(name):
        return texts[0]
    return escape(str(hit.fields.get(name, "")))
