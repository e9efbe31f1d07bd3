"""Words of a search as clauses: the general text, and the query of metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from sortkey import Document, Match
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.model.field_names import METADATA_KEYS, METADATA_VALUES
from sortkey_systems.vams.search.fields import FLAT, path_of, value_clause

FIELDS: Final = {
    "asset": (
        "str_assetname",
        "str_assetid",
        "str_description",
        "str_assettype",
        "list_tags",
        "str_asset_version_comment",
    ),
    "file": ("str_key", "str_assetname", "str_fileext", "list_tags"),
}
"""Where the general text is looked for. Buckets are left out: they would match everything."""
PIECES_MAX = 30
_PIECE = re.compile(r'"([^"]*)"|(\S+)')
_PAIRS = re.compile(r"\s+(AND|OR)\s+")


def general_clause(document: Document[Any], text: str, *, with_metadata: bool) -> Match:
    """Every word, each in any of the fields. The last word may be the beginning of one, and so
    may those with a `*`; words in quotes stand in sequence.
    """
    fields = [*FIELDS[document.name], *([METADATA_VALUES] if with_metadata else [])]
    return _words(text, fields)


def metadata_clause(
    document: Document[Any], text: str, mode: Literal["key", "value", "both"]
) -> Match:
    """`colour:red AND size:1*`, or words of keys, of values or of both."""
    operators = set(_PAIRS.findall(text))
    if len(operators) > 1:
        raise Invalid("metadataQuery: use either AND or OR, not both")
    pieces = _PAIRS.split(text)[::2]
    if len(pieces) > PIECES_MAX:
        raise Invalid(f"metadataQuery: use at most {PIECES_MAX} conditions")
    clauses = [_metadata_piece(document, piece.strip(), mode) for piece in pieces]
    return Match.any(*clauses) if operators == {"OR"} else Match.all(*clauses)


def key_clause(text: str) -> Match:
    """Documents with a metadata key: a whole one, a part in words, or a beginning with a `*`."""
    key = path_of(text)
    for flat in FLAT:
        key = key.removeprefix(f"{flat}.")
    if key.endswith("*"):
        return Match.prefix(METADATA_KEYS, key[:-1])
    return Match.keyword(METADATA_KEYS, key) | Match.phrase(key, [METADATA_KEYS])


def value_words_clause(text: str) -> Match:
    """Documents with these words in their metadata values."""
    return _words(text, [METADATA_VALUES])


def _metadata_piece(
    document: Document[Any], text: str, mode: Literal["key", "value", "both"]
) -> Match:
    key, colon, value = text.partition(":")
    if colon and key.strip() and value.strip():
        name = key.strip() if key.strip().startswith(FLAT) else f"MD_{key.strip()}"
        quoted = re.fullmatch(r'"(.*)"', value.strip(), re.DOTALL)
        wanted = quoted[1] if quoted else value.strip()
        return value_clause(document, name, wanted, is_quoted=quoted is not None)
    if mode == "key":
        return key_clause(text)
    if mode == "value":
        return value_words_clause(text)
    return key_clause(text) | value_words_clause(text)


def _words(text: str, fields: Sequence[str]) -> Match:
    """Pieces without a letter or digit say nothing, and are left out."""
    found = _PIECE.findall(text)
    if len(found) > PIECES_MAX:
        raise Invalid(f"use at most {PIECES_MAX} words")
    pieces = [
        (phrase, word)
        for phrase, word in found
        if any(letter.isalnum() for letter in phrase or word)
    ]
    clauses = [
        Match.phrase(phrase, fields)
        if phrase
        else Match.text(word, fields, begins=word.endswith("*") or n == len(pieces) - 1)
        for n, (phrase, word) in enumerate(pieces)
    ]
    if not clauses:
        return Match.any() if found else Match.all()
    return clauses[0] if len(clauses) == 1 else Match.all(*clauses)
