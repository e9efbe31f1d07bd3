"""Labels of the fields of a document: the declared ones, or the names split into words."""

from __future__ import annotations

import re

from sortkey.model.document_fields import DocumentFields

_BETWEEN_WORDS = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")


def label_of(fields: DocumentFields, name: str) -> str:
    """The declared label. Otherwise `publishedAt` and `published_at` become "published at"."""
    if name in fields and fields[name].label:
        return fields[name].label
    words = [word for word in _BETWEEN_WORDS.split(name) if word]
    return " ".join(word if word.isupper() else word.lower() for word in words) or name


def normalized(text: str) -> str:
    """A typed name for comparison: "file size", `fileSize` and `file_size` are equal."""
    return re.sub(r"[\W_]+", "", text).lower()
