"""What people call the fields of a document: their labels, or their names with the words apart."""

from __future__ import annotations

import re

from sortkey.model.document_fields import DocumentFields

_BETWEEN_WORDS = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")


def label_of(fields: DocumentFields, name: str) -> str:
    """The declared label; else `publishedAt` and `published_at` are "published at"."""
    if name in fields and fields[name].label:
        return fields[name].label
    words = [each for each in _BETWEEN_WORDS.split(name) if each]
    return " ".join(each if each.isupper() else each.lower() for each in words) or name


def squashed(text: str) -> str:
    """What is compared where somebody types a name: "file size", `fileSize` and `file_size` are
    one.
    """
    return re.sub(r"[\W_]+", "", text).lower()
