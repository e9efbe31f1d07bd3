"""What a model's description tells of its search documents: what they are made of, and what their fields are for."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, cast, get_args, get_type_hints

from sortkey.model.document_fields import FieldKind
from sortkey.model.documents import Document, ModelDocument
from sortkey.model.patterns import Model

Told = dict[str, Any]

_KINDS: dict[FieldKind, tuple[str, str]] = {
    FieldKind.TEXT: ("text", "found by words; matched, counted, sorted whole"),
    FieldKind.LIST: ("texts", "found by words; matched and counted whole"),
    FieldKind.NUMBER: ("whole number", "matched, ranged, counted, sorted"),
    FieldKind.DATE: ("instant", "matched, ranged, sorted"),
    FieldKind.BOOLEAN: ("true or false", "matched, counted, sorted"),
    FieldKind.POINT: ("place", "found in a box, or near a point"),
    FieldKind.SHAPE: ("outline", "found by words"),
    FieldKind.FLAT: ("map", "matched by the names in it"),
    FieldKind.KEYWORD: ("kind of document", "matched, counted, sorted"),
}
"""What a field holds, and what it is for."""


def documents_of(model: Model) -> list[Told]:
    """The search documents of a model as plain values. `index` is its name on OpenSearch, `folder` that on disk."""
    return [_document(model, each) for each in model.documents]


def _document(model: Model, declared: ModelDocument) -> Told:
    document = declared.document
    follows = _follows(declared)
    return {
        "name": document.name,
        "doc": document.doc,
        "index": f"{model.name}-{document.name}",
        "folder": f"{model.name}/{document.name}",
        "id": document.id.text,
        "made_of": _made_of(document) or follows or [document.of.__name__],
        "follows": follows,
        "fields": [_field(name, kind) for name, kind in document.kinds.items()],
    }


def _field(name: str, kind: FieldKind) -> Told:
    holds, purpose = _KINDS[kind]
    return {"name": name, "type": holds, "for": purpose}


def _follows(declared: ModelDocument) -> list[str]:
    """The entities whose changes make documents anew."""
    if declared.source is None:
        return [declared.document.of.__name__]
    return [each.__name__ for each in cast("tuple[type, ...]", getattr(declared.source, "follows", ()))]


def _made_of(document: Document[Any]) -> list[str]:
    """The entity, or those in the fields of the class that gathers them."""
    return list(dict.fromkeys(each.__name__ for each in _entities_in(document.of)))


def _entities_in(hint: Any) -> list[type]:
    if hasattr(hint, "__layout__"):
        return [hint]
    if isinstance(hint, type) and is_dataclass(hint):
        try:
            inner = list(get_type_hints(hint).values())
        except NameError:  # names that only type checkers see
            return []
    else:
        inner = list(get_args(hint))
    return [entity for each in inner for entity in _entities_in(each)]
