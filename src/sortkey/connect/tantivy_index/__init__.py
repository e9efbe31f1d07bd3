"""Search on tantivy, embedded: a folder for each index, one process that writes it, any number that
read it.
"""

from sortkey.connect.tantivy_index.index import TantivyIndex

__all__ = ["TantivyIndex"]
