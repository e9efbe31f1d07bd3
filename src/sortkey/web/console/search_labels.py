"""Names of fields as people read them: without what says their type, and with the words of a glued name apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import lru_cache
from typing import Any, get_args, get_type_hints

from sortkey.model.document_fields import FieldKind
from sortkey.model.documents import Document
from sortkey.model.entity import Entity

_COMMON = "count create created date ext file id key last modified name number path size type version"
COMMON = frozenset(_COMMON.split(" "))
"""Words that names in indexes are glued of, whatever the model calls its fields."""
_PREFIXES = {kind.value.removesuffix("_") for kind in FieldKind}


def label_of(document: Document[Any], field: str) -> str:
    """`str_databaseid` is "database id" where the items that the document is made of have a `database_id`."""
    kind, _, rest = field.partition("_")
    parts = (rest if kind in _PREFIXES or not kind else field).split("_")
    known = _words_of(document)
    return " ".join(" ".join(_apart(part, known) or [part]) for part in parts if part)


def _apart(text: str, known: frozenset[str]) -> list[str] | None:
    """The fewest known words that a text is glued of; None where they do not make up all of it."""
    best: list[list[str] | None] = [[], *([None] * len(text))]
    for end in range(1, len(text) + 1):
        ways = [
            [*before, text[at:end]] for at in range(end) if (before := best[at]) is not None and text[at:end] in known
        ]
        best[end] = min(ways, key=len, default=None)
    return best[-1]


@lru_cache(maxsize=64)
def _words_of(document: Document[Any]) -> frozenset[str]:
    """Of the names of the fields of all that a document is made of."""
    names = {name for each in _made_of(document.of, set()) for name in _names(each)}
    return COMMON | {word.lower() for name in names for word in re.split("_+", name) if len(word) > 1}


def _made_of(kind: Any, seen: set[Any]) -> Iterator[type]:
    """A class, and those that its fields hold, in lists and options too."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and each not in seen and (is_dataclass(each) or issubclass(each, Entity)):
            seen.add(each)
            yield each
            if is_dataclass(each):
                for held in get_type_hints(each).values():
                    yield from _made_of(held, seen)


def _names(kind: Any) -> list[str]:
    return list(kind.model_fields if issubclass(kind, Entity) else get_type_hints(kind))
