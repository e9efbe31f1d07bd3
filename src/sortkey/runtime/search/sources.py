"""Where the truth is that an index follows: a table, or whatever documents are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from sortkey.errors import InvalidItem, ModelError
from sortkey.model.documents import Document
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey
from sortkey.model.reading import entity_of
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.store import Store
from sortkey.values.attributes import Item

T = TypeVar("T")
E = TypeVar("E", bound=Entity)
PAGE = 500


@dataclass(frozen=True, slots=True)
class SourcePage(Generic[T]):
    """Some of what there is. `position` is where to go on, as JSON can hold it; None at the end."""

    entities: list[T]
    position: Any
    unreadable: list[str] = field(default_factory=list[str])


class Source(Protocol[T]):
    """Everything that is to be found, and single ones of it by the ids of their documents."""

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[T]]:
        """All of it, or the rest behind a position."""
        ...

    def find(self, ids: Sequence[str], /) -> list[T]:
        """What there is now of some ids, by a read that sees every write that is done."""
        ...


class EntitySource(Generic[E]):
    """The entities of a document's declaration, in their table."""

    def __init__(self, store: Store, document: Document[E]) -> None:
        self._store, self._document = store, document
        self._layout = document.of.__layout__

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[E]]:
        """By a scan. Items that the entity cannot read are named and left out."""
        while True:
            page = self._store.run(self._page(position))
            yield page
            position = page.position
            if position is None:
                return

    def find(self, ids: Sequence[str], /) -> list[E]:
        keys = [key for id in ids for key in self._keys(id)]
        return [each for each in self._store.batch_get(keys, consistent=True) if each is not None]

    def _page(self, position: Item | None) -> Steps[SourcePage[E]]:
        table = self._layout.table
        request: dict[str, Any] = {"TableName": table.name, "Limit": PAGE, "ConsistentRead": True}
        if position is not None:
            request["ExclusiveStartKey"] = position
        answer = yield Call("Scan", request, f"{self._document.name}.reindex")
        entities, unreadable = list[E](), list[str]()
        for item in answer["Items"]:
            try:
                entity = entity_of(table, item, [self._document.of])
            except InvalidItem as error:
                unreadable.append(str(error))
            else:
                entities += [entity] if isinstance(entity, self._document.of) else []
        return SourcePage(entities, answer.get("LastEvaluatedKey"), unreadable)

    def _keys(self, id: str) -> list[ItemKey[E]]:
        """The keys under which the entity of an id may be: its own, and that in the archive."""
        values = self._document.id.parse(id)
        missing = [name for name in self._layout.primary.names if name not in values]
        if missing:
            raise ModelError(
                f"{self._document.name}: the id {self._document.id.text} does not say {', '.join(missing)}, "
                "so entities cannot be found by it: write a Source that can"
            )
        key = ItemKey.of(self._document.of, {name: values[name] for name in self._layout.primary.names})
        return [key] if self._layout.archive is None else [key, key.archived()]
