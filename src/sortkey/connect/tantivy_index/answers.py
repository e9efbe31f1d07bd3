"""Answers: the sorted rows of a page, the facet counts, and the highlighted words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tantivy import Query

from sortkey.connect.tantivy_index.columns import Column
from sortkey.connect.tantivy_index.keywords import decode
from sortkey.connect.tantivy_index.opened import Opened
from sortkey.connect.tantivy_index.pages import Key, Pages, Row
from sortkey.connect.tantivy_index.sortable import double_of
from sortkey.connect.tantivy_index.words import Words
from sortkey.model.field_kinds import Bool, Number
from sortkey.runtime.search.port import Answer, IndexedDocument, Marked, Position
from sortkey.runtime.search.queries import Facet, FacetValue, SearchQuery
from sortkey.runtime.search.query_checks import highlighted, is_scored


def answer(opened: Opened, query: SearchQuery, position: Position | None) -> Answer:
    """A page, read from one snapshot of the index."""
    translator, pages = opened.pages()
    matching = translator.live(query.where)
    rows = _rows(opened, pages, matching, query, position) if query.size else []
    columns = [opened.columns.of(facet.field) for facet in query.facets]
    counts = pages.counted(matching, *(column.exact for column in columns))
    facets = {
        facet.field: _facet(facet, column, counted)
        for facet, column, counted in zip(query.facets, columns, counts, strict=True)
    }
    hits = [_hit(row, query, opened.words) for row, _ in rows[: query.size]]
    end = rows[query.size - 1][1] if len(rows) > query.size else None
    return Answer(hits, translator.count(matching), facets, end)


def _rows(
    opened: Opened, pages: Pages, matching: Query, query: SearchQuery, position: Position | None
) -> list[tuple[Row, Position]]:
    """One row more than requested, if there is one, which means that there is a next page."""
    if not query.sorts and is_scored(query.where):
        return pages.scored(matching, position, query.size + 1)
    keys = [
        Key(opened.columns.of(sort.field), sort.is_descending, sort.origin) for sort in query.sorts
    ]
    return pages.sorted(matching, [*keys, Key()], position, query.size + 1)


def _facet(facet: Facet, column: Column, counted: Sequence[tuple[Any, int]]) -> list[FacetValue]:
    values = [FacetValue(_value(column, key), count) for key, count in counted]
    values.sort(key=lambda value: (-value.count, value.value))
    return values[: facet.size]


def _value(column: Column, key: Any) -> Any:
    if column.has_texts:
        return decode(key)
    match column.kind:
        case Bool():
            return bool(key)
        case Number():
            return double_of(int(key))
        case _:
            return int(key)


def _hit(row: Row, query: SearchQuery, words: Words) -> IndexedDocument:
    highlights: dict[str, list[Marked]] = {}
    for name in query.highlights:
        clauses = highlighted(query.where, name)
        value: Any = row.fields.get(name, ())
        texts: list[str] = [value] if isinstance(value, str) else list(value)
        marked_texts = [
            marked for text in texts if clauses and (marked := words.marked(text, clauses))
        ]
        if marked_texts:
            highlights[name] = marked_texts
    return IndexedDocument(row.id, row.version, row.fields, row.score, highlights)
