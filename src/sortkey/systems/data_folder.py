"""What a host calls the folders in its data folder, and the path of their links."""

from __future__ import annotations

BUCKETS = "buckets"
FILES = "files"
"""Files that callers may name."""
SEARCHES = "searches"
"""Copies of a data folder leave these out: the next start builds them."""
OBJECTS_PATH = "/objects"
"""Where a host serves the presigned links of its buckets."""
