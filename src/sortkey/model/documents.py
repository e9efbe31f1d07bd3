"""Documents: what of an entity is searchable, and under which names. Pure: a declaration, and a function.

    @document(Article, "articles", id="{articleId}", fields=("str_title", "list_tags", "gp_place"))
    def searchable_article(article: Article) -> Searchable:
        return {"str_title": article.title, "list_tags": article.tags, "gp_place": article.place}

Every write of a document has a version. An index takes what is as new as the version that it has, or newer; what is
older comes too late and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar

from sortkey.errors import ModelError
from sortkey.model.document_fields import NORMAL_FORMS, FieldKind, is_excluded, kind_of
from sortkey.model.fields import Updated
from sortkey.model.layout import Layout
from sortkey.model.templates import Template

T = TypeVar("T")
Fields = dict[str, Any]
Searchable = Mapping[str, Any] | None
"""A document by its literal field names; None where there is nothing to be found."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class PutDocument:
    """Make a document what it is in this version, unless a newer one is known."""

    id: str
    version: int
    fields: Fields = field(hash=False)


@dataclass(frozen=True, slots=True)
class DeleteDocument:
    """Delete a document, unless a newer version is known. A late put of an older one stays without effect."""

    id: str
    version: int


DocumentWrite = PutDocument | DeleteDocument


class Document(Generic[T]):
    """The declaration: the name of the index, the id, the fields, and the function that makes a document of a `T`.

    Fields that are not declared but named by the rules can be searched too, but not sorted by.
    """

    def __init__(
        self,
        function: Callable[[T], Searchable],
        of: type[T],
        name: str,
        id: Template,
        fields: tuple[str, ...],
        version: Callable[[T], int],
    ) -> None:
        self.function, self.of, self.name, self.id, self.fields = function, of, name, id, fields
        self.kinds = {each: kind_of(each) for each in fields}
        self.doc = function.__doc__ or ""
        self._version = version

    def fields_of(self, source: T) -> Fields | None:
        """The document of an entity in its normal form: what an index gets."""
        made = self.function(source)
        return None if made is None else self.normal(made)

    def id_of(self, source: T) -> str:
        made = self.id.render({name: read(source) for name, read in self._id_parts.items()})
        if made is None:
            raise ModelError(f"{self.name}: the id needs {', '.join(self.id.names)}, which {source!r} does not have")
        return made

    def version_of(self, source: T) -> int:
        return self._version(source)

    def write_of(self, source: T) -> DocumentWrite:
        """What an index has to do for an entity as it is now."""
        id, version, fields = self.id_of(source), self._version(source), self.fields_of(source)
        return DeleteDocument(id, version) if fields is None else PutDocument(id, version, fields)

    def removal_of(self, source: T) -> DeleteDocument:
        """What an index has to do when an entity is gone that was like this at last."""
        return DeleteDocument(self.id_of(source), self._version(source) + 1)

    def normal(self, made: Mapping[str, Any]) -> Fields:
        """Fields in their normal form, without those that are excluded or empty. Raises ModelError."""
        fields: Fields = {}
        normals, name = self._normals, ""
        try:
            for name, value in made.items():
                normal = normals.get(name)
                if normal is None:
                    if (kind := self._kind(name)) is None:
                        continue
                    normal = NORMAL_FORMS[kind]
                if value is not None and (formed := normal(value)) is not None:
                    fields[name] = formed
        except ModelError as error:
            raise ModelError(f"the document {self.name}: {name}: {error}") from None
        return fields

    @cached_property
    def _normals(self) -> dict[str, Callable[[Any], Any]]:
        return {name: NORMAL_FORMS[kind] for name, kind in self.kinds.items()}

    @staticmethod
    def _kind(name: str) -> FieldKind | None:
        return None if is_excluded(name) else kind_of(name)

    @cached_property
    def _id_parts(self) -> dict[str, Callable[[T], Any]]:
        layout: Layout | None = getattr(self.of, "__layout__", None)
        return {name: _reader(layout, name) for name in self.id.names}

    def __repr__(self) -> str:
        return f"Document({self.name!r}, of={self.of.__name__})"


@dataclass(frozen=True)
class ModelDocument:
    """A document of a model. `source` makes of a store what reads it; None where its entity's table is enough."""

    document: Document[Any]
    source: Callable[[Any], Any] | None = None


def document(
    of: type[T], name: str, *, id: str, fields: Sequence[str], version: Callable[[T], int] | None = None
) -> Callable[[Callable[[T], Searchable]], Document[T]]:
    """Declare a document. The function gives its fields, or None for what nobody shall find.

    `of` is an entity, and the id a template of its attributes; or any other class, and of its own. `version` orders the
    writes; it must rise with every change, and go on rising where an item is deleted and made anew. Without it, it is
    the instant of the entity's `Updated` field.
    """
    template = Template(id)
    _check(of, name, template, fields)
    version = version or _updated(of, name)
    return lambda function: Document(function, of, name, template, tuple(fields), version)


def version_at(instant: datetime) -> int:
    """An instant as a version: microseconds since 1970."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _check(of: type, name: str, id: Template, fields: Sequence[str]) -> None:
    if not _NAME.fullmatch(name):
        raise ModelError(f"{name!r} is no name of an index: small letters, digits, _ and -, a letter first")
    if not id.names:
        raise ModelError(f"{name}: the id {id.text!r} is the same for every document")
    layout: Layout | None = getattr(of, "__layout__", None)
    unknown = [each for each in id.names if layout is not None and each not in layout.by_attribute]
    if unknown and layout is not None:
        raise ModelError(f"{name}: {of.__name__} has no {unknown[0]}; it has {', '.join(layout.by_attribute)}")
    twice = sorted({each for each in fields if list(fields).count(each) > 1})
    if twice or not fields:
        raise ModelError(f"{name}: {', '.join(twice)} stand twice" if twice else f"{name}: a document needs fields")
    for each in fields:
        if is_excluded(each):
            raise ModelError(f"{name}: {each} is never indexed: names that begin with VAMS_ or _ are left out")
        kind_of(each)


def _updated(of: type[T], name: str) -> Callable[[T], int]:
    layout: Layout | None = getattr(of, "__layout__", None)
    place = None if layout is None else layout.marked(Updated)
    if place is None:
        raise ModelError(f"{name}: {of.__name__} has no Updated field, so say what orders its writes: version=")
    attribute = place.name

    def version(source: T) -> int:
        instant = getattr(source, attribute)
        if instant is None:
            raise ModelError(f"{name}: {attribute} is not set: index what a store has given back")
        return version_at(instant)

    return version


def _reader(layout: Layout | None, name: str) -> Callable[[Any], Any]:
    if layout is None:
        return lambda source: getattr(source, name)
    field = layout.by_attribute[name].name
    return lambda source: layout.stored(name, getattr(source, field))
