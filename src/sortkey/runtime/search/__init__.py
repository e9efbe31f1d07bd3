"""Search: documents of entities, written with versions, found by queries that mean the same in every index."""

from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.port import SearchIndex, Written
from sortkey.runtime.search.queries import Facet, FacetValue, Hit, SearchPage, SearchQuery, Sort
from sortkey.runtime.search.searching import Search

__all__ = [
    "Facet",
    "FacetValue",
    "Hit",
    "Match",
    "Search",
    "SearchIndex",
    "SearchPage",
    "SearchQuery",
    "Sort",
    "Written",
]
