"""Embedded search on tantivy: one folder per index, one process that writes it, and any number that
read it.
"""

from sortkey.connect.tantivy_index.index import TantivyIndex

__all__ = ["TantivyIndex"]
