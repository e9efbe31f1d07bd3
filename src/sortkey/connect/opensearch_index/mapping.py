"""What an OpenSearch index is created with: the types of fields, the rules for names, and how texts become words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sortkey.model.document_fields import EXACT_MAX, FieldKind, kind_of
from sortkey.runtime.search.checking import WORD_MAX
from sortkey.runtime.search.port import DELETES_KEPT_SECONDS

FORMAT = 1
"""Rises when documents have to be indexed anew to be found as they should be."""

ID = "sortkey_id"
"""The document's id again, as a field that can be sorted by: the end of every order."""
ANY_WORDS = "sortkey_text"
"""The words of all fields that are not declared."""
ORIGINAL = "sortkey_original"
"""The fields as they were given, where letters with accents were spelled in another way than they are indexed."""
ANALYZER = "sortkey"

_EXACT = {"type": "keyword", "ignore_above": EXACT_MAX}
_WORDS = {"type": "text", "analyzer": ANALYZER}
_TYPES: dict[FieldKind, dict[str, Any]] = {
    FieldKind.TEXT: {**_WORDS, "fields": {"keyword": _EXACT}},
    FieldKind.NUMBER: {"type": "long"},
    FieldKind.BOOLEAN: {"type": "boolean"},
    FieldKind.DATE: {"type": "date"},
    FieldKind.LIST: {**_WORDS, "fields": {"keyword": _EXACT}},
    FieldKind.POINT: {"type": "geo_point"},
    FieldKind.SHAPE: _WORDS,
    FieldKind.FLAT: {"type": "flat_object"},
    FieldKind.KEYWORD: _EXACT,
}
_TEMPLATES = {
    "core_strings": FieldKind.TEXT,
    "core_numeric": FieldKind.NUMBER,
    "core_boolean": FieldKind.BOOLEAN,
    "core_dates": FieldKind.DATE,
    "core_lists": FieldKind.LIST,
    "core_geo_points": FieldKind.POINT,
    "core_geo_shapes": FieldKind.SHAPE,
}

ANALYSIS = {
    # Letters and digits, as tantivy's simple tokenizer has it. Accents go first: see its adapter.
    "tokenizer": {ANALYZER: {"type": "pattern", "pattern": r"[^\p{IsAlphabetic}\p{N}]+"}},
    "filter": {ANALYZER: {"type": "length", "max": WORD_MAX}},
    "analyzer": {
        ANALYZER: {"type": "custom", "tokenizer": ANALYZER, "filter": [ANALYZER, "asciifolding", "lowercase"]}
    },
}


def settings(shards: int) -> dict[str, Any]:
    return {
        "number_of_shards": shards,
        "auto_expand_replicas": "0-1",
        "gc_deletes": f"{DELETES_KEPT_SECONDS}s",
        "analysis": ANALYSIS,
    }


def mappings(fields: Sequence[str], progress: Any = None) -> dict[str, Any]:
    """The declared fields, rules for the others, and what is to be known of the index itself."""
    technical = {ID: {"type": "keyword"}, ANY_WORDS: _WORDS, ORIGINAL: {"type": "object", "enabled": False}}
    return {
        "dynamic": True,
        "date_detection": False,
        "dynamic_templates": [{name: _template(kind)} for name, kind in _TEMPLATES.items()],
        "properties": {name: _TYPES[kind_of(name)] for name in fields} | technical,
        "_meta": {"sortkey": {"format": FORMAT, "fields": list(fields), "progress": progress}},
    }


def exact(field: str) -> str:
    """Where whole values are: beside the words of a text."""
    kind = kind_of(field)
    return f"{field}.keyword" if kind in (FieldKind.TEXT, FieldKind.LIST) else field


def _template(kind: FieldKind) -> dict[str, Any]:
    words = {"copy_to": ANY_WORDS} if kind.has_words else {}
    return {"match": f"{kind.value}*", "mapping": _TYPES[kind] | words}
