"""What a search page shows: results with their marks, and how they can be narrowed and ordered. No
drawing here.
"""

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
from sortkey.web.console.search_labels import label_of, squashed
from sortkey.web.console.search_words import has_words, match_of

PAGE = 20
CHOICES = 8
"""Values of a field that can be chosen."""
FILTERS = 9
SNIPPETS = 3
FACETS = ("text[]", "keyword[]", "keyword", "text", "bool")
"""Kinds of fields to narrow by, in the order in which they are shown."""
Chosen = Mapping[str, frozenset[Any]]


@dataclass(frozen=True)
class Asked:
    """What somebody wants to see: words, values of fields, an order, and which page."""

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
    """A field by which the results can be narrowed."""

    field: str
    choices: Sequence[Choice]


@dataclass(frozen=True)
class Results:
    """A page of results. `are_similar` where nothing has the words themselves, and these have
    similar ones.
    """

    page: SearchPage
    filters: Sequence[Filter]
    are_similar: bool
    milliseconds: float


def telling_fields(search: Search[Any]) -> list[str]:
    """The fields that tell documents apart in groups: one value for all, or another for each, is no
    help.

    Learnt from all documents and then kept: to count what is different in each of many is slow.
    """
    fields = _countable(search.document)
    query = SearchQuery().limit(0)
    for name in fields:
        query = query.facet(name, 2)
    facets = search.query(query).facets
    return [name for name in fields if _tells(facets[name])]


def ask(search: Search[Any], asked: Asked, fields: Sequence[str]) -> Results:
    """What is found, with filters for some fields. Raises ModelError for what cannot be asked."""
    began = time.perf_counter()
    document = search.document
    words, are_similar = match_of(document.fields, asked.words), False
    page = search.query(_query(document, asked, words, fields))
    if not page.total and has_words(asked.words):
        similar = match_of(document.fields, asked.words, fuzzy=True)
        other = search.query(_query(document, asked, similar, fields))
        if other.total:
            page, words, are_similar = other, similar, True
    filters = _filters(search, asked, words, page, fields)
    return Results(page, filters, are_similar, (time.perf_counter() - began) * 1000)


def sorts_of(document: Document[Any]) -> dict[str, str]:
    """The orders to choose from, with their labels: the best match, the title, dates and
    numbers.
    """
    orders = {"": "best match"}
    title = title_field(document)
    for name, kind in document.fields.items():
        if name == title or isinstance(kind, _FACTS):
            label, (up, down) = label_of(document.fields, name), _directions(kind)
            orders |= {name: f"{label}, {up}", f"-{name}": f"{label}, {down}"}
    return orders


_FACTS = (Integer, Number, Date)
"""What stands beside a result, and what results can be sorted by besides the title."""


def _directions(kind: FieldKind) -> tuple[str, str]:
    match kind:
        case Integer() | Number():
            return "smallest first", "largest first"
        case Date():
            return "oldest first", "newest first"
        case _:
            return "A to Z", "Z to A"


def title_field(document: Document[Any]) -> str:
    """What a result is called by: its first text that the id does not say already."""
    texts = [name for name, kind in document.fields.items() if _is_text(kind)]
    return next((name for name in texts if not _says(document, name)), next(iter(texts), ""))


def title_of(document: Document[Any], hit: Hit) -> str:
    """As HTML, with the words that were searched for marked."""
    name = title_field(document)
    return _marked(hit, name) or escape(hit.id)


def snippets_of(document: Document[Any], hit: Hit) -> list[tuple[str, str]]:
    """Where the words stand, apart from the title and the id; sentences before keys. Labels, and
    HTML.
    """
    seen = {title_field(document), *(name for name in hit.fields if _says(document, name))}
    marked = {name: " … ".join(texts) for name, texts in hit.highlights.items() if name not in seen}
    places = [
        (label_of(document.fields, name), text) for name, text in marked.items() if "<em>" in text
    ]
    sentences = [each for each in places if " " in each[1]]
    return sentences[:SNIPPETS] or [*_longest(document, hit, seen), *places[:1]]


def _longest(document: Document[Any], hit: Hit, seen: Container[str]) -> list[tuple[str, str]]:
    """The beginning of the longest text, where there is one of several words."""
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
    """What is true of a result, and the values of its lists."""
    true = [label_of(document.fields, name) for name, value in hit.fields.items() if value is True]
    kinds = {name: _kind(document, name) for name in hit.fields}
    lists = [
        each
        for name, kind in kinds.items()
        if kind is not None and kind.is_list
        for each in hit.fields[name]
    ]
    return [*true, *lists]


def _query(
    document: Document[Any],
    asked: Asked,
    words: Match | None,
    fields: Sequence[str],
    without: str = "",
) -> SearchQuery:
    """One without the values chosen of a field only counts that field's."""
    query = SearchQuery(words).limit(PAGE)
    for name, values in asked.chosen.items():
        if values and name != without:
            query = query.matching(Match.keyword(name, *sorted(values, key=str)))
    if asked.sort:
        query = query.sorted_by(asked.sort)
    if without:
        return query.limit(0).facet(without, CHOICES)
    for name in fields:
        query = query.facet(name, CHOICES)
    return query.highlighting(*_worded(document)).after(asked.cursor)


def _filters(
    search: Search[Any], asked: Asked, words: Match | None, page: SearchPage, fields: Sequence[str]
) -> list[Filter]:
    """Fields that tell the results apart. One that has a choice is counted without it: others may
    be chosen too.
    """
    made: list[Filter] = []
    for name in dict.fromkeys(
        [*fields, *(name for name, values in asked.chosen.items() if values)]
    ):
        chosen = asked.chosen.get(name, frozenset())
        if chosen:
            query = _query(search.document, asked, words, (), without=name)
            made.append(Filter(name, _choices(search.query(query).facets[name], chosen)))
        elif _tells(page.facets[name]):
            made.append(Filter(name, _choices(page.facets[name], chosen)))
    return made[:FILTERS]


def _tells(counted: Sequence[FacetValue]) -> bool:
    return len(counted) > 1 and counted[0].count > 1


def _choices(counted: Sequence[FacetValue], chosen: frozenset[Any]) -> list[Choice]:
    listed = [Choice(each.value, each.count, each.value in chosen) for each in counted]
    known = {each.value for each in counted}
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


def _says(document: Document[Any], name: str) -> bool:
    """Whether a field is part of the id, by its name."""
    in_id = {squashed(each) for each in document.id.names}
    return not in_id.isdisjoint((squashed(name), squashed(label_of(document.fields, name))))


def _kind(document: Document[Any], name: str) -> FieldKind | None:
    return document.fields.get(name)


def _is_text(kind: FieldKind | None) -> bool:
    return isinstance(kind, Text) and not kind.many


def _marked(hit: Hit, name: str) -> str:
    if texts := hit.highlights.get(name):
        return texts[0]
    return escape(str(hit.fields.get(name, "")))
