"""Search on OpenSearch 2.x: an alias per index, so that a rebuilt index can replace it."""

from sortkey.connect.opensearch_index.index import OpenSearchIndex

__all__ = ["OpenSearchIndex"]
