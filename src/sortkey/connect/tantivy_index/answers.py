"""An answer: the rows of a page in their order, the counted values, and the words shown in their
texts.
"""

from __future__ import annotations

from typing import Any

from tantivy import Query

from sortkey.connect.tantivy_index.columns import Column
from sortkey.connect.tantivy_index.keywords import decode
from sortkey.connect.tantivy_index.opened import Opened
from sortkey.connect.tantivy_index.pages import Key, Pages, Row
from sortkey.connect.tantivy_index.sortable import double_of
from sortkey.connect.tantivy_index.words import Words
from sortkey.model.field_kinds import Bool, Number
from sortkey.runtime.search.port import Answer, Found, Marked, Position
from sortkey.runtime.search.queries import Facet, FacetValue, SearchQuery
from sortkey.runtime.search.query_checks import highlighted, is_scored


def answer(opened: Opened, query: SearchQuery, position: Position | None) -> Answer:
    """A page, all of it as the index is at one moment."""
    translator, pages = opened.pages()
    asked = translator.live(query.where)
    rows = _rows(opened, pages, asked, query, position) if query.size else []
    facets = {facet.field: _facet(opened, pages, asked, facet) for facet in query.facets}
    found = [_found(row, query, opened.words) for row, _ in rows[: query.size]]
    end = rows[query.size - 1][1] if len(rows) > query.size else None
    return Answer(found, translator.count(asked), facets, end)


def _rows(
    opened: Opened, pages: Pages, asked: Query, query: SearchQuery, position: Position | None
) -> list[tuple[Row, Position]]:
    """One more than asked for, if there is: then the page has a next one."""
    if not query.sorts and is_scored(query.where):
        return pages.scored(asked, position, query.size + 1)
    keys = [
        Key(opened.columns.of(sort.field), sort.is_descending, sort.origin) for sort in query.sorts
    ]
    return pages.sorted(asked, [*keys, Key()], position, query.size + 1)


def _facet(opened: Opened, pages: Pages, asked: Query, facet: Facet) -> list[FacetValue]:
    column = opened.columns.of(facet.field)
    counted = [
        FacetValue(_value(column, key), count) for key, count in pages.counted(asked, column.exact)
    ]
    counted.sort(key=lambda each: (-each.count, each.value))
    return counted[: facet.size]


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


def _found(row: Row, query: SearchQuery, words: Words) -> Found:
    marked: dict[str, list[Marked]] = {}
    for name in query.highlights:
        clauses = highlighted(query.where, name)
        value: Any = row.fields.get(name, ())
        texts: list[str] = [value] if isinstance(value, str) else list(value)
        shown = [each for text in texts if clauses and (each := words.marked(text, clauses))]
        if shown:
            marked[name] = shown
    return Found(row.id, row.version, row.fields, row.score, marked)
