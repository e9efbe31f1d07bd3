"""The search documents in a model's description: their sources, and what their fields are for."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, cast, get_args, get_type_hints

from sortkey.model.documents import Document, ModelDocument
from sortkey.model.field_kinds import FieldKind
from sortkey.model.patterns import Model

Description = dict[str, Any]

_PURPOSES = {
    "text": ("text", "found by words; matched, counted, sorted whole"),
    "text[]": ("texts", "found by words; matched and counted whole"),
    "keyword": ("keyword", "matched, counted, sorted"),
    "keyword[]": ("keywords", "matched and counted"),
    "number": ("number", "matched, ranged, counted, sorted"),
    "integer": ("whole number", "matched, ranged, counted, sorted"),
    "date": ("instant", "matched, ranged, sorted"),
    "bool": ("true or false", "matched, counted, sorted"),
    "geo_point": ("place", "found in a box, or near a point; sorted by distance"),
    "geo_shape": ("outline", "found by words"),
    "flat": ("map", "matched by the names in it"),
}
"""By the signatures of the kinds: what a field holds, and what it is for."""


def documents_of(model: Model) -> list[Description]:
    """The search documents of a model as plain values. `index` is its name on OpenSearch, `folder`
    that on disk.
    """
    return [_document(model, document) for document in model.documents]


def _document(model: Model, declared: ModelDocument) -> Description:
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
        "fields": [_field(name, kind) for name, kind in document.fields.items()],
    }


def _field(name: str, kind: FieldKind) -> Description:
    holds, purpose = _PURPOSES[kind.signature.partition(" ")[0]]
    return {"name": name, "type": holds, "for": purpose}


def _follows(declared: ModelDocument) -> list[str]:
    """The entities whose changes update documents."""
    if declared.source is None:
        return [declared.document.of.__name__]
    return [
        entity.__name__
        for entity in cast("tuple[type, ...]", getattr(declared.source, "follows", ()))
    ]


def _made_of(document: Document[Any]) -> list[str]:
    """The entity, or the entities in the fields of a composed source class."""
    return list(dict.fromkeys(entity.__name__ for entity in _entities_in(document.of)))


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
    return [entity for argument in inner for entity in _entities_in(argument)]
