"""The fields of the two indexes as clients name them, and clauses on the values of one field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sortkey import (
    Bool,
    Date,
    Document,
    FieldKind,
    Flat,
    GeoPoint,
    GeoShape,
    Integer,
    Keyword,
    Match,
    Number,
    Text,
)
from sortkey.errors import ModelError
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.model import asset_document, file_document

DOCUMENTS: Final[Mapping[str, Document[Any]]] = {"asset": asset_document, "file": file_document}
NOTHING = Match.any()
SUFFIXES = (".keyword", ".raw")
"""Clients of OpenSearch name the exact values of a text so."""
FLAT = ("MD_", "AB_")
WHOLE = {
    "str_databaseid",
    "str_assetid",
    "str_bucketid",
    "str_bucketname",
    "str_bucketprefix",
    "str_etag",
    "str_s3_version_id",
    "str_asset_version_id",
}
"""Ids: they are matched as a whole, because the words of an id mean nothing by themselves."""
EXTENSION, ASSET_TYPE = "str_fileext", "str_assettype"


def path_of(name: str) -> str:
    """The name of a field in the indexes: `MD_colour` is the member `colour` of `MD_`."""
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    for flat in FLAT:
        if name.startswith(flat) and name != flat and not name.startswith(f"{flat}."):
            return f"{flat}.{name.removeprefix(flat)}"
    return name


def kind_of(document: Document[Any], path: str) -> FieldKind | None:
    """What a field holds. None if only the other index has it. Raises Invalid if none has."""
    kinds: dict[str, FieldKind] = {}
    for each in DOCUMENTS.values():
        try:
            kinds[each.name] = each.fields.at(path)[0]
        except ModelError:
            continue
    if not kinds:
        raise Invalid(f"{path[:100]!r} is not a field of the search: GET /search lists the fields")
    return kinds.get(document.name)


def value_clause(
    document: Document[Any], name: str, text: str, *, is_quoted: bool = False
) -> Match:
    """Documents whose field has a value. A `*` at the end of a text that is not quoted stands for
    any ending; alone, for any value.
    """
    path = path_of(name)
    kind = kind_of(document, path)
    if kind is None:
        return NOTHING
    if text == "*" and not is_quoted:
        return Match.exists(path)
    if isinstance(kind, (Integer, Number)):
        return Match.keyword(path, number_of(name, text))
    if isinstance(kind, Bool):
        return Match.keyword(path, _boolean(name, text))
    if isinstance(kind, Date):
        return Match.keyword(path, text)
    if isinstance(kind, GeoPoint):
        raise Invalid(f"{name} holds places: use geoSearch, geo_distance or geo_bounding_box")
    return _text_clause(path, kind, text, is_quoted=is_quoted)


def range_clause(document: Document[Any], name: str, **bounds: Any) -> Match:
    """Documents whose number or date is within bounds, named as `Match.range` has them."""
    path = path_of(name)
    kind = kind_of(document, path)
    if kind is None:
        return NOTHING
    if isinstance(kind, (Integer, Number)):
        bounds = {
            side: number_of(name, value) if isinstance(value, str) else value
            for side, value in bounds.items()
        }
    return Match.range(path, **bounds)


def exists_clause(document: Document[Any], name: str) -> Match:
    """Documents that have a value in a field."""
    path = path_of(name)
    return NOTHING if kind_of(document, path) is None else Match.exists(path)


def number_of(name: str, text: str) -> int | float:
    """A number in a query. Raises Invalid."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise Invalid(f"{name} is a number, not {text[:50]!r}") from None


def _boolean(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise Invalid(f"{name} is true or false, not {text[:50]!r}")
    return text.lower() == "true"


def _text_clause(path: str, kind: FieldKind, text: str, *, is_quoted: bool) -> Match:
    stem, has_ending = (text, False) if is_quoted else _stem(path, text)
    if path == EXTENSION:
        stem = stem.removeprefix(".").lower()
    if isinstance(kind, (Flat, Keyword)) or path in WHOLE or path == EXTENSION:
        return Match.prefix(path, stem) if has_ending else Match.keyword(path, stem)
    if path == ASSET_TYPE and not has_ending:
        return Match.keyword(path, stem, f".{stem.removeprefix('.')}", stem.removeprefix("."))
    assert isinstance(kind, (Text, GeoShape))
    if has_ending:
        words = Match.text(stem, [path], begins=True)
        return words | Match.prefix(path, stem) if kind.has_whole_texts else words
    return Match.phrase(stem, [path])


def _stem(path: str, text: str) -> tuple[str, bool]:
    """A text without the `*` at its end, and whether it had one."""
    stem = text.removesuffix("*")
    if "*" in stem or "?" in stem:
        raise Invalid(f"{path}: a wildcard can only be a * at the end; put other texts into quotes")
    return stem, stem != text
