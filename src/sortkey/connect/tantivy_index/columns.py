"""Where each field of a document is in a tantivy index, and how a document becomes a row of it.

A declared field has columns of its own, so that it can be sorted by. The others, and what is in flat objects, share
columns that hold maps, under coded names.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from tantivy import Schema, SchemaBuilder

from sortkey.connect.tantivy_index.keywords import encode, name_code
from sortkey.connect.tantivy_index.places import pack
from sortkey.model.document_fields import EXACT_MAX, FieldKind, flat_leaves, has_exact, kind_of, millis, normal_text
from sortkey.model.documents import PutDocument

FORMAT = 1
"""Rises when what is stored changes: an index of another format is made anew from its own documents."""

WORDS = "words"
"""The tokenizer of texts."""
ID, VERSION, SOURCE, GONE, GONE_AT, HAS = "_id", "_version", "_source", "_gone", "_gone_at", "_has"
SURELY_EXACT = EXACT_MAX // 2
MORE, MORE_WORDS, ANY_WORDS = "more", "more_words", "any_words"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One field. `words` is where its words are, `exact` its whole values; `lon` is the second half of a place."""

    name: str
    kind: FieldKind
    words: str = ""
    exact: str = ""
    lon: str = ""
    is_declared: bool = True


class Columns:
    """The columns of an index that was made for some declared fields."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.declared = {name: _declared(name, kind_of(name)) for name in fields}
        self.any_words = [each.words for each in self.declared.values() if each.words] + [ANY_WORDS]
        self._writers: dict[str, Callable[[Row, Any], None]] = {
            name: _writer(column) for name, column in self.declared.items()
        }

    def of(self, name: str) -> Column:
        """A declared field's column, or what stands for another's."""
        return self.declared.get(name) or _undeclared(name)

    def row(self, put: PutDocument) -> str:
        """A document as tantivy takes it."""
        source = orjson.dumps([put.id, put.version, put.fields])
        row: Row = {ID: encode(put.id), VERSION: put.version, SOURCE: b64encode(source).decode()}
        writers = self._writers
        for name, value in put.fields.items():
            write = writers.get(name) or _writer(_undeclared(name))
            write(row, value)
        return orjson.dumps(row).decode()


def tombstone(id: str, version: int, at: int) -> str:
    """What stays of a deleted document for a while, so that a late put of it is known to be late."""
    source = b64encode(orjson.dumps([id, version, None])).decode()
    return orjson.dumps({ID: encode(id), VERSION: version, GONE: True, GONE_AT: at, SOURCE: source}).decode()


def flat_path(name: str, path: str) -> str:
    """Where the values of a member of a flat object are; of all of them for no path."""
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
        if column.kind in TEXTS:
            builder.add_text_field(column.exact, fast=True, tokenizer_name="raw", index_option="basic")
        elif column.kind not in (FieldKind.FLAT, FieldKind.SHAPE):
            builder.add_integer_field(column.exact, indexed=True, fast=True)
        if column.lon:
            builder.add_integer_field(column.lon, fast=True)
    return builder.build()


TEXTS = (FieldKind.TEXT, FieldKind.LIST, FieldKind.KEYWORD)


def _declared(name: str, kind: FieldKind) -> Column:
    safe = name if name.isascii() and name.isidentifier() else name_code(name)
    return Column(
        name,
        kind,
        words=f"words_{safe}" if kind.has_words else "",
        exact="" if kind in (FieldKind.SHAPE, FieldKind.FLAT) else f"exact_{safe}",
        lon=f"lon_{safe}" if kind is FieldKind.POINT else "",
    )


def _undeclared(name: str) -> Column:
    kind, code = kind_of(name), name_code(name)
    return Column(
        name,
        kind,
        words=f"{MORE_WORDS}.{code}" if kind.has_words else "",
        exact="" if kind in (FieldKind.SHAPE, FieldKind.FLAT) else f"{MORE}.{code}",
        lon=f"{MORE}.{name_code(name + chr(0))}" if kind is FieldKind.POINT else "",
        is_declared=False,
    )


def _writer(column: Column) -> Callable[[Row, Any], None]:
    """How a value of a field goes into a row."""
    kind, exact = column.kind, column.exact
    if kind is FieldKind.FLAT:
        return lambda row, value: _put_flat(column.name, row, value)
    if kind is FieldKind.POINT:
        return lambda row, value: _put_point(column, row, value)
    if kind is FieldKind.LIST:
        return lambda row, value: _put_texts(column, row, value)
    if kind is FieldKind.TEXT and column.is_declared:
        return _text_writer(column)
    if kind.has_words or kind is FieldKind.KEYWORD:
        return lambda row, value: _put_texts(column, row, (value,))
    # True and False are 1 and 0: tantivy has no ranges of its own booleans, and orders need them.
    number = millis if kind is FieldKind.DATE else int
    if column.is_declared:
        return lambda row, value: row.__setitem__(exact, number(value))
    return lambda row, value: _put(row, exact, number(value))


def _text_writer(column: Column) -> Callable[[Row, Any], None]:
    """Of a declared text: most of what is written are such ones."""
    words, exact = column.words, column.exact

    def write(row: Row, value: str) -> None:
        text = value if value.isascii() else normal_text(value)
        row[words] = text
        if len(text) <= SURELY_EXACT or has_exact(text):
            row[exact] = encode(text)
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
    texts = list(dict.fromkeys(normal_text(each) for each in values))
    if column.words:
        _put(row, column.words, texts)
        if not column.is_declared:
            row.setdefault(ANY_WORDS, []).extend(texts)
    exact = [encode(text) for text in texts if has_exact(text)] if column.exact else []
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
        coded = dict.fromkeys(encode(normal_text(each)) for each in values if has_exact(each))
        more[_flat_code(name, normal_text(path))] = list(coded)
        every |= coded
    more[_flat_code(name, "")] = list(every)


def _flat_code(name: str, path: str) -> str:
    return name_code(f"{name}.{path}")
