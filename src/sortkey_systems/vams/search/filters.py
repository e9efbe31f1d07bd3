"""Filters of a search, in the words of OpenSearch, as clauses: query_string, term, terms, range,
exists, prefix, match, match_phrase, bool and the places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from sortkey import Document, Match
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.search.fields import (
    NOTHING,
    exists_clause,
    kind_of,
    path_of,
    range_clause,
    value_clause,
)
from sortkey_systems.vams.search.places import box_filter, distance_filter, polygon_filter
from sortkey_systems.vams.search.query_strings import query_string_clause
from sortkey_systems.vams.search.words import general_clause

FILTERS_MAX = 200
DEPTH_MAX = 5
TERMS_MAX = 1000
_BOUNDS = {"gte": "at_least", "lte": "at_most", "gt": "above", "lt": "below"}
_IGNORED = {"boost", "format", "relation", "time_zone"}
Body = Mapping[str, Any]


def filter_clause(document: Document[Any], body: Body) -> Match:
    """One filter as a clause. Raises Invalid for one that is not known."""
    return _Filters(document).clause(body, 0)


class _Filters:
    """The filters of one index, counted."""

    def __init__(self, document: Document[Any]) -> None:
        self._document = document
        self._count = 0
        self._kinds: dict[str, Callable[[Body], Match]] = {
            "query_string": self._query_string,
            "term": self._term,
            "terms": self._terms,
            "range": self._range,
            "exists": self._exists,
            "prefix": self._prefix,
            "match": self._words,
            "match_phrase": self._words,
            "match_all": lambda body: Match.all(),
            "geo_distance": lambda body: distance_filter(document, body),
            "geo_bounding_box": lambda body: box_filter(document, body),
            "geo_polygon": lambda body: polygon_filter(document, body),
        }

    def clause(self, body: Any, depth: int) -> Match:
        self._count += 1
        if self._count > FILTERS_MAX or depth > DEPTH_MAX:
            raise Invalid(f"filters: use at most {FILTERS_MAX}, nested {DEPTH_MAX} deep")
        if not isinstance(body, Mapping) or len(cast("Body", body)) != 1:
            raise Invalid('a filter has exactly one kind, as {"term": {"field": "value"}}')
        ((kind, inner),) = cast("Body", body).items()
        if not isinstance(inner, Mapping):
            raise Invalid(f"the filter {str(kind)[:50]} needs an object")
        if kind == "bool":
            return self._bool(cast("Body", inner), depth)
        if kind not in self._kinds:
            known = ", ".join([*self._kinds, "bool"])
            raise Invalid(f"the filter {str(kind)[:50]!r} is not supported: use one of {known}")
        return self._kinds[kind](cast("Body", inner))

    def _bool(self, body: Body, depth: int) -> Match:
        clauses = [
            self.clause(each, depth + 1)
            for name in ("must", "filter")
            for each in _listed(body, name)
        ]
        clauses += [~self.clause(each, depth + 1) for each in _listed(body, "must_not")]
        choices = [self.clause(each, depth + 1) for each in _listed(body, "should")]
        if choices:
            clauses.append(Match.any(*choices))
        return Match.all(*clauses)

    def _query_string(self, body: Body) -> Match:
        text = body.get("query")
        if not isinstance(text, str) or len(text) > 5000:
            raise Invalid("query_string needs a query of at most 5000 characters")
        operator = str(body.get("default_operator", "OR")).upper()
        if operator not in ("AND", "OR"):
            raise Invalid("default_operator is AND or OR")
        default = body.get("default_field")

        def general(words: str) -> Match:
            if isinstance(default, str) and default != "*":
                bare = words.strip('"')
                return value_clause(self._document, default, bare, is_quoted=bare != words)
            return general_clause(self._document, words, with_metadata=True)

        return query_string_clause(
            self._document, text, general=general, operator="AND" if operator == "AND" else "OR"
        )

    def _term(self, body: Body) -> Match:
        name, value = _only(body, "term", "value")
        return self._whole(name, [value])

    def _terms(self, body: Body) -> Match:
        name, values = _only(body, "terms", "value")
        if not isinstance(values, list) or len(cast("list[Any]", values)) > TERMS_MAX:
            raise Invalid(f"terms of {name} needs a list of at most {TERMS_MAX} values")
        return self._whole(name, cast("list[Any]", values))

    def _whole(self, name: str, values: list[Any]) -> Match:
        """A term is the whole value: only its type is adapted to the field."""
        path = path_of(name)
        kind = kind_of(self._document, path)
        if kind is None:
            return NOTHING
        if kind.has_whole_texts:
            return Match.keyword(path, *(_text(name, value) for value in values))
        return Match.any(*(value_clause(self._document, name, _text(name, v)) for v in values))

    def _range(self, body: Body) -> Match:
        name, bounds = _only(body, "range", "")
        if not isinstance(bounds, Mapping):
            raise Invalid(f"the range of {name} needs gte, gt, lte or lt")
        given = cast("Body", bounds)
        unknown = given.keys() - _BOUNDS - _IGNORED
        if unknown:
            raise Invalid(f"the range of {name} has {min(unknown)!r}: use gte, gt, lte and lt")
        known = {_BOUNDS[side]: value for side, value in given.items() if side in _BOUNDS}
        for value in known.values():
            if value is not None:
                _text(name, value)  # raises for what cannot be a bound
        if not known:
            return exists_clause(self._document, name)
        return range_clause(self._document, name, **known)

    def _exists(self, body: Body) -> Match:
        name = body.get("field")
        if not isinstance(name, str):
            raise Invalid("exists needs a field")
        return exists_clause(self._document, name)

    def _prefix(self, body: Body) -> Match:
        name, value = _only(body, "prefix", "value")
        path = path_of(name)
        if kind_of(self._document, path) is None:
            return NOTHING
        return Match.prefix(path, _text(name, value))

    def _words(self, body: Body) -> Match:
        name, value = _only(body, "match", "query")
        return value_clause(self._document, name, _text(name, value), is_quoted=True)


def _only(body: Body, kind: str, inner: str) -> tuple[str, Any]:
    """The field of a filter and its value, which may be within an object: `{"value": …}`."""
    if len(body) != 1:
        raise Invalid(f"{kind} names exactly one field")
    ((name, value),) = body.items()
    if inner and isinstance(value, Mapping):
        value = cast("Body", value).get(inner)
    return str(name), value


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value) if isinstance(value, (str, int, float)) else ""
    is_half = any("\ud800" <= character <= "\udfff" for character in text)  # of a pair: not text
    if not isinstance(value, (str, int, float)) or len(text) > TERMS_MAX or is_half:
        raise Invalid(f"{name} needs a text, a number or a boolean")
    return text


def _listed(body: Body, name: str) -> list[Any]:
    value = body.get(name, [])
    return cast("list[Any]", value) if isinstance(value, list) else [value]
