"""Search: versioned documents of entities, and queries that mean the same in every index."""

from sortkey.runtime.search.index_handlers import follow, follow_composed
from sortkey.runtime.search.index_rebuild import Reindexed, finish_reindex, reindex
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.port import SearchIndex, Written
from sortkey.runtime.search.queries import Facet, FacetValue, Hit, SearchPage, SearchQuery, Sort
from sortkey.runtime.search.reconciliation import Drift, reconcile, renew
from sortkey.runtime.search.search import Search
from sortkey.runtime.search.sources import ComposedSource, EntitySource, Source, SourcePage

__all__ = [
    "ComposedSource",
    "Drift",
    "EntitySource",
    "Facet",
    "FacetValue",
    "Hit",
    "Match",
    "Reindexed",
    "Search",
    "SearchIndex",
    "SearchPage",
    "SearchQuery",
    "Sort",
    "Source",
    "SourcePage",
    "Written",
    "finish_reindex",
    "follow",
    "follow_composed",
    "reconcile",
    "reindex",
    "renew",
]
