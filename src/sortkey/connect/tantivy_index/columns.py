"""Where each field of a document is in a tantivy index, and how a document becomes a row of it.

A declared field has its own columns, so that it can be sorted by. Other fields, and the members of
flat objects, share columns that hold maps, under encoded names.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from tantivy import Schema, SchemaBuilder

from sortkey.connect.tantivy_index.keywords import encode, encode_repeated, name_code
from sortkey.connect.tantivy_index.places import pack
from sortkey.connect.tantivy_index.sortable import sortable_double
from sortkey.model.document_fields import DocumentFields
from sortkey.model.documents import PutDocument
from sortkey.model.field_kinds import Date, FieldKind, Flat, GeoPoint, GeoShape, Number
from sortkey.model.field_values import EXACT_MAX, flat_leaves, has_exact, millis, normal_text

FORMAT = 2
"""Increased when the stored format changes: an index of another format is rebuilt."""

WORDS = "words"
"""The tokenizer of texts."""
ID, VERSION, SOURCE, GONE, GONE_AT, HAS = "_id", "_version", "_source", "_gone", "_gone_at", "_has"
SURELY_EXACT = EXACT_MAX // 2
WRITERS_MAX = 1000
"""Fields whose functions are remembered: documents may have any number of undeclared ones."""
MORE, MORE_WORDS, ANY_WORDS = "more", "more_words", "any_words"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One field. `words` is the column of its words, `exact` that of its exact values. `lon` is the
    second half of a place.
    """

    name: str
    kind: FieldKind
    words: str = ""
    exact: str = ""
    lon: str = ""
    is_declared: bool = True

    @property
    def has_texts(self) -> bool:
        """Whether the exact values are encoded texts. Otherwise they are numbers."""
        return bool(self.exact) and self.kind.has_whole_texts

    def order(self, value: Any) -> int:
        """The indexed integer for a number, date or boolean. Integers sort like the values.

        True and False are 1 and 0: tantivy has no ranges of booleans, and sorting needs them.
        """
        match self.kind:
            case Date():
                return millis(value)
            case Number():
                return sortable_double(value)
            case _:
                return int(value)


class Columns:
    """The columns of an index that was built for a document."""

    def __init__(self, fields: DocumentFields) -> None:
        self._fields = fields
        self.declared = {name: _declared(name, kind) for name, kind in fields.items()}
        self.any_words = [column.words for column in self.declared.values() if column.words] + [
            ANY_WORDS
        ]
        self._writers: dict[str, Callable[[Row, Any], None]] = {
            name: _writer(column) for name, column in self.declared.items()
        }

    def of(self, name: str) -> Column:
        """The column of a declared field, or of a field that a rule covers."""
        return self.declared.get(name) or _undeclared(name, self._fields.at(name)[0])

    def row(self, put: PutDocument) -> str:
        """A document as tantivy takes it."""
        source = orjson.dumps([put.id, put.version, put.fields])
        row: Row = {ID: encode(put.id), VERSION: put.version, SOURCE: b64encode(source).decode()}
        writers = self._writers
        for name, value in put.fields.items():
            write = writers.get(name) or self._undeclared_writer(name)
            write(row, value)
        return orjson.dumps(row).decode()

    def _undeclared_writer(self, name: str) -> Callable[[Row, Any], None]:
        writer = _writer(self.of(name))
        if len(self._writers) < WRITERS_MAX:
            self._writers[name] = writer
        return writer


def tombstone(id: str, version: int, at: int) -> str:
    """What remains of a deleted document for a while, so that a late put is recognized."""
    source = b64encode(orjson.dumps([id, version, None])).decode()
    return orjson.dumps(
        {ID: encode(id), VERSION: version, GONE: True, GONE_AT: at, SOURCE: source}
    ).decode()


def flat_path(name: str, path: str) -> str:
    """The column of a member of a flat object. Without a path, that of all its members."""
    return f"{MORE}.{_flat_code(name, path)}"


def schema_of(columns: Columns) -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field(ID, fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(VERSION, fast=True)
    builder.add_bytes_field(SOURCE, stored=True)
    builder.add_boolean_field(GONE, indexed=True)
    builder.add_integer_field(GONE_AT, fast=True)
    builder.add_text_field(HAS, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(ANY_WORDS, tokenizer_name=WORDS)
    builder.add_json_field(MORE, fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_json_field(MORE_WORDS, tokenizer_name=WORDS)
    for column in columns.declared.values():
        if column.words:
            builder.add_text_field(column.words, tokenizer_name=WORDS)
        if column.has_texts:
            builder.add_text_field(
                column.exact, fast=True, tokenizer_name="raw", index_option="basic"
            )
        elif column.exact:
            builder.add_integer_field(column.exact, indexed=True, fast=True)
        if column.lon:
            builder.add_integer_field(column.lon, fast=True)
    return builder.build()


def _declared(name: str, kind: FieldKind) -> Column:
    code = name_code(name)
    return Column(
        name,
        kind,
        words=f"words_{code}" if kind.has_words else "",
        exact=f"exact_{code}" if _has_exact_column(kind) else "",
        lon=f"lon_{code}" if isinstance(kind, GeoPoint) else "",
    )


def _undeclared(name: str, kind: FieldKind) -> Column:
    code = name_code(name)
    return Column(
        name,
        kind,
        words=f"{MORE_WORDS}.{code}" if kind.has_words else "",
        exact=f"{MORE}.{code}" if _has_exact_column(kind) else "",
        lon=f"{MORE}.{name_code(name + chr(0))}" if isinstance(kind, GeoPoint) else "",
        is_declared=False,
    )


def _has_exact_column(kind: FieldKind) -> bool:
    return not isinstance(kind, (GeoShape, Flat))


def _writer(column: Column) -> Callable[[Row, Any], None]:
    """The function that adds a field's value to a row."""
    kind, exact = column.kind, column.exact
    if isinstance(kind, Flat):
        return lambda row, value: _put_flat(column.name, row, value)
    if isinstance(kind, GeoPoint):
        return lambda row, value: _put_point(column, row, value)
    if kind.is_list:
        return lambda row, value: _put_texts(column, row, value)
    if column.has_texts and column.words and column.is_declared:
        return _text_writer(column)
    if column.has_texts or column.words:
        return lambda row, value: _put_texts(column, row, (value,))
    if column.is_declared:
        return lambda row, value: row.__setitem__(exact, column.order(value))
    return lambda row, value: _put(row, exact, column.order(value))


def _text_writer(column: Column) -> Callable[[Row, Any], None]:
    """For a declared text. It is fast because most written values are such texts."""
    words, exact = column.words, column.exact

    def write(row: Row, value: str) -> None:
        text = value if value.isascii() else normal_text(value)
        row[words] = text
        if len(text) <= SURELY_EXACT or has_exact(text):
            row[exact] = encode_repeated(text)
        else:
            row.setdefault(HAS, []).append(encode(column.name))

    return write


def _put(row: Row, path: str, value: Any) -> None:
    name, dot, code = path.partition(".")
    if dot:
        row.setdefault(name, {})[code] = value
    else:
        row[name] = value


def _put_texts(column: Column, row: Row, values: Iterable[str]) -> None:
    texts = list(dict.fromkeys(normal_text(text) for text in values))
    if column.words:
        _put(row, column.words, texts)
        if not column.is_declared:
            row.setdefault(ANY_WORDS, []).extend(texts)
    exact = [encode_repeated(text) for text in texts if has_exact(text)] if column.exact else []
    if exact:
        _put(row, column.exact, exact)
    else:
        row.setdefault(HAS, []).append(encode(column.name))


def _put_point(column: Column, row: Row, value: dict[str, float]) -> None:
    packed, lon = pack(value["lat"], value["lon"])
    _put(row, column.exact, packed)
    _put(row, column.lon, lon)


def _put_flat(name: str, row: Row, value: dict[str, Any]) -> None:
    more, every = row.setdefault(MORE, {}), dict[str, None]()
    for path, values in flat_leaves(value).items():
        coded = dict.fromkeys(
            encode_repeated(normal_text(text)) for text in values if has_exact(text)
        )
        more[_flat_code(name, normal_text(path))] = list(coded)
        every |= coded
    more[_flat_code(name, "")] = list(every)


@lru_cache(4096)
def _flat_code(name: str, path: str) -> str:
    return name_code(f"{name}.{path}")
