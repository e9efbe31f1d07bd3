"""Search documents: which parts of an entity are searchable, and under which names. Pure.

    @document(Article, "articles", id="{articleId}", fields={"title": Text(), "tags": Keyword(many=True)})
    def searchable_article(article: Article) -> Searchable:
        return {"title": article.title, "tags": article.tags}

Every write of a document has a version. An index accepts a write with the same or a newer version
than it has, and ignores older ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar

from sortkey.errors import ModelError
from sortkey.model.document_fields import DocumentFields, FieldRule, Fields
from sortkey.model.field_kinds import FieldKind
from sortkey.model.fields import Updated
from sortkey.model.layout import Layout
from sortkey.model.templates import Template

T = TypeVar("T")
Searchable = Mapping[str, Any] | None
"""The fields of a document by name, or None if it should not be searchable."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class PutDocument:
    """Write a document, unless the index has a newer version."""

    id: str
    version: int
    fields: Fields = field(hash=False)


@dataclass(frozen=True, slots=True)
class DeleteDocument:
    """Delete a document, unless the index has a newer version. Later puts of older versions are
    ignored.
    """

    id: str
    version: int


DocumentWrite = PutDocument | DeleteDocument


class Document(Generic[T]):
    """The declaration of a search document: the name of its index, its id, its fields, and the
    function that makes it from a `T`.
    """

    def __init__(
        self,
        function: Callable[[T], Searchable],
        of: type[T],
        name: str,
        id: Template,
        fields: DocumentFields,
        version: Callable[[T], int],
    ) -> None:
        self.function, self.of, self.name, self.id, self.fields = function, of, name, id, fields
        self.doc = function.__doc__ or ""
        self._version = version

    def fields_of(self, source: T) -> Fields | None:
        """The fields of an entity's document in their normal form, as they are indexed."""
        fields = self.function(source)
        return None if fields is None else self.normal(fields)

    def id_of(self, source: T) -> str:
        text = self.id.render({name: read(source) for name, read in self._id_parts.items()})
        if text is None:
            raise ModelError(
                f"{self.name}: the id needs {', '.join(self.id.names)}, which {source!r} does not "
                "have"
            )
        return text

    def version_of(self, source: T) -> int:
        return self._version(source)

    def write_of(self, source: T) -> DocumentWrite:
        """The write that indexes the current state of an entity."""
        id, version, fields = self.id_of(source), self._version(source), self.fields_of(source)
        return DeleteDocument(id, version) if fields is None else PutDocument(id, version, fields)

    def removal_of(self, source: T) -> DeleteDocument:
        """The write that removes a deleted entity, given its last state."""
        return DeleteDocument(self.id_of(source), self._version(source) + 1)

    def normal(self, fields: Mapping[str, Any]) -> Fields:
        """Fields in their normal form, without empty and left-out fields. Raises ModelError."""
        try:
            return self.fields.normal(fields)
        except ModelError as error:
            raise ModelError(f"the document {self.name}: {error}") from None

    @cached_property
    def _id_parts(self) -> dict[str, Callable[[T], Any]]:
        layout: Layout | None = getattr(self.of, "__layout__", None)
        return {name: _reader(layout, name) for name in self.id.names}

    def __repr__(self) -> str:
        return f"Document({self.name!r}, of={self.of.__name__})"


@dataclass(frozen=True)
class ModelDocument:
    """A document of a model. `source` makes the reader of its entities from a store. None means
    that the entity's own table is read.
    """

    document: Document[Any]
    source: Callable[[Any], Any] | None = None


def document(
    of: type[T],
    name: str,
    *,
    id: str,
    fields: Mapping[str, FieldKind],
    undeclared: Sequence[FieldRule] = (),
    version: Callable[[T], int] | None = None,
) -> Callable[[Callable[[T], Searchable]], Document[T]]:
    """Declare a document. The decorated function returns its fields, or None for entities that
    should not be searchable.

    `of` is an entity or any other class, and `id` a template of its attributes. `fields` declares
    the kind of every field. Undeclared fields are refused, unless a rule in `undeclared` matches
    their names; the first match counts. They can be searched, but sorted only by distance.

    `version` orders the writes. It must rise with every change, also when an item is deleted and
    created again. The default is the instant in the entity's `Updated` field.
    """
    template = Template(id)
    _check(of, name, template)
    try:
        declared = DocumentFields(fields, undeclared)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None
    version = version or _updated(of, name)
    return lambda function: Document(function, of, name, template, declared, version)


def version_at(instant: datetime) -> int:
    """An instant as a version: microseconds since 1970."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _check(of: type, name: str, id: Template) -> None:
    if not _NAME.fullmatch(name):
        raise ModelError(
            f"{name!r} cannot be the name of an index: small letters, digits, _ and -, a letter "
            "first"
        )
    if not id.names:
        raise ModelError(
            f"{name}: the id {id.text!r} is the same for every document: put an attribute into it, as {{articleId}}"
        )
    layout: Layout | None = getattr(of, "__layout__", None)
    unknown = [name for name in id.names if layout is not None and name not in layout.by_attribute]
    if unknown and layout is not None:
        raise ModelError(
            f"{name}: {of.__name__} has no {unknown[0]}; it has {', '.join(layout.by_attribute)}"
        )


def _updated(of: type[T], name: str) -> Callable[[T], int]:
    layout: Layout | None = getattr(of, "__layout__", None)
    place = None if layout is None else layout.marked(Updated)
    if place is None:
        raise ModelError(
            f"{name}: {of.__name__} has no Updated field, so pass what orders its writes: version="
        )
    attribute = place.name

    def version(source: T) -> int:
        instant = getattr(source, attribute)
        if instant is None:
            raise ModelError(
                f"{name}: {attribute} is not set: index entities that a store has returned"
            )
        return version_at(instant)

    return version


def _reader(layout: Layout | None, name: str) -> Callable[[Any], Any]:
    if layout is None:
        return lambda source: getattr(source, name)
    field = layout.by_attribute[name].name
    return lambda source: layout.stored(name, getattr(source, field))
