"""What an OpenSearch index is created with: the types of fields, the rules for names, and how texts
become words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sortkey.model.document_fields import OURS, DocumentFields, FieldRule
from sortkey.model.field_kinds import (
    Bool,
    Date,
    FieldKind,
    Flat,
    GeoPoint,
    GeoShape,
    Integer,
    Keyword,
    Number,
    Text,
)
from sortkey.model.field_values import EXACT_MAX
from sortkey.runtime.search.port import DELETES_KEPT_SECONDS
from sortkey.runtime.search.query_checks import WORD_MAX

FORMAT = 2
"""Increased when documents have to be indexed again."""

ID = f"{OURS}id"
"""The document's id as a sortable field: the last key of every sort."""
ANY_WORDS = f"{OURS}text"
"""The words of all fields that are not declared."""
ORIGINAL = f"{OURS}original"
"""The original fields, where letters with accents are encoded differently than in the index."""
ANALYZER = "sortkey"

_EXACT = {"type": "keyword", "ignore_above": EXACT_MAX}
_WORDS = {"type": "text", "analyzer": ANALYZER}
_TYPES: dict[type[FieldKind], dict[str, Any]] = {
    Text: {**_WORDS, "fields": {"keyword": _EXACT}},
    Keyword: _EXACT,
    Number: {"type": "double"},
    Integer: {"type": "long"},
    Bool: {"type": "boolean"},
    Date: {"type": "date"},
    GeoPoint: {"type": "geo_point"},
    GeoShape: _WORDS,
    Flat: {"type": "flat_object"},
}

ANALYSIS = {
    # Letters and digits, as tantivy's simple tokenizer has it. Accents go first: see its adapter.
    "tokenizer": {ANALYZER: {"type": "pattern", "pattern": r"[^\p{IsAlphabetic}\p{N}]+"}},
    "filter": {ANALYZER: {"type": "length", "max": WORD_MAX}},
    "analyzer": {
        ANALYZER: {
            "type": "custom",
            "tokenizer": ANALYZER,
            "filter": [ANALYZER, "asciifolding", "lowercase"],
        }
    },
}


def settings(shards: int) -> dict[str, Any]:
    return {
        "number_of_shards": shards,
        "auto_expand_replicas": "0-1",
        "gc_deletes": f"{DELETES_KEPT_SECONDS}s",
        "analysis": ANALYSIS,
    }


def mappings(fields: DocumentFields) -> dict[str, Any]:
    """The declared fields, the rules for others, and the index's own metadata.

    Without rules, OpenSearch rejects other fields rather than guess their types.
    """
    technical = {
        ID: {"type": "keyword"},
        ANY_WORDS: _WORDS,
        ORIGINAL: {"type": "object", "enabled": False},
    }
    return {
        "dynamic": True if fields.rules else "strict",
        "date_detection": False,
        "dynamic_templates": [
            _template(rule, rule.kind) for rule in fields.rules if rule.kind is not None
        ],
        "properties": properties(fields, fields) | technical,
        **memory(fields.signature),
    }


def properties(fields: DocumentFields, names: Iterable[str]) -> dict[str, Any]:
    return {name: _TYPES[type(fields[name])] for name in names}


def memory(declaration: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """The index's own metadata: the declaration that it was built for, and the build's progress."""
    return {
        "_meta": {"sortkey": {"format": FORMAT, "declaration": declaration, "progress": progress}}
    }


def exact(kind: FieldKind, field: str) -> str:
    """The path of exact values. A text has them in a subfield beside its words."""
    return f"{field}.keyword" if isinstance(kind, Text) else field


def _template(rule: FieldRule, kind: FieldKind) -> dict[str, Any]:
    words = {"copy_to": ANY_WORDS} if kind.has_words else {}
    return {
        rule.name or rule.pattern: {"match": rule.pattern, "mapping": _TYPES[type(kind)] | words}
    }
