"""Search on OpenSearch 2.x: an alias for each index, so that another index can take its place."""

from sortkey.connect.opensearch_index.index import OpenSearchIndex

__all__ = ["OpenSearchIndex"]
