"""The sources of an index: a table, or several tables whose items documents are built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from sortkey.errors import InvalidItem, ModelError
from sortkey.model.changes import Change
from sortkey.model.documents import Document
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey
from sortkey.model.query_requests import class_of, entity_of
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.store import Store
from sortkey.values.attributes import Item

if TYPE_CHECKING:
    from sortkey.runtime.search.search import Search

T = TypeVar("T")
E = TypeVar("E", bound=Entity)
E2 = TypeVar("E2", bound=Entity)
PAGE = 500


@dataclass(frozen=True, slots=True)
class SourcePage(Generic[T]):
    """Some entities of a source. `position` is where to continue, as a JSON value, and None at the
    end.
    """

    entities: list[T]
    position: Any
    unreadable: list[str] = field(default_factory=list[str])


class Source(Protocol[T]):
    """Reads all entities of an index, or some by the ids of their documents."""

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[T]]:
        """All entities page by page, or those after a position."""
        ...

    def find(self, ids: Sequence[str], /) -> list[T]:
        """The current entities of some ids, by a consistent read."""
        ...


class EntitySource(Generic[E]):
    """The entities of a document, in their table."""

    def __init__(self, store: Store, document: Document[E]) -> None:
        self._store, self._document = store, document
        self._layout = document.of.__layout__

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[E]]:
        """Scans the table. Items that the entity cannot read are listed and left out."""
        return entity_pages(
            self._store, self._document.of, f"{self._document.name}.reindex", position
        )

    def find(self, ids: Sequence[str], /) -> list[E]:
        keys = [key for id in ids for key in self._keys(id)]
        return [
            entity for entity in self._store.batch_get(keys, consistent=True) if entity is not None
        ]

    def _keys(self, id: str) -> list[ItemKey[E]]:
        """The possible keys of an entity by document id: its own, and that in the archive."""
        values = self._document.id.parse(id)
        missing = [name for name in self._layout.primary.names if name not in values]
        if missing:
            raise ModelError(
                f"{self._document.name}: the id {self._document.id.text} does not contain "
                f"{', '.join(missing)}, "
                "so entities cannot be found by it: write a Source that can"
            )
        key = ItemKey.of(
            self._document.of, {name: values[name] for name in self._layout.primary.names}
        )
        return [key] if self._layout.archive is None else [key, key.archived()]


class ComposedSource(Generic[E, T]):
    """Documents built from several items: a main item and related ones. Subclass it to define them.

    `main` is the entity of the main items, which are read page by page. `follows` are the entities
    whose changes affect documents.
    """

    main: ClassVar[type[Entity]]
    follows: ClassVar[Sequence[type[Entity]]]

    def __init__(self, store: Store) -> None:
        self.store = store

    def compose(self, mains: Sequence[E], /) -> list[T]:
        """Gather what documents are built from, for some main items."""
        raise NotImplementedError

    def find(self, ids: Sequence[str], /) -> list[T]:
        """The current sources of some ids."""
        raise NotImplementedError

    def touched(self, change: Change[Any], search: Search[T], /) -> Iterable[str]:
        """The ids of the documents that a change affects."""
        raise NotImplementedError

    def parts(self, composed: T, /) -> Sequence[Entity]:
        """The items that a document is built from, the main one first."""
        raise NotImplementedError

    def every(self, of: type[E2]) -> Iterator[E2]:
        """All items of an entity, by a scan. It costs less than a query for each main item, when
        all of them are needed.
        """
        for page in entity_pages(self.store, of, f"{type(self).__name__}.reindex"):
            yield from page.entities

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[T]]:
        for page in entity_pages(self.store, self.main, f"{type(self).__name__}.reindex", position):
            yield SourcePage(self.compose(page.entities), page.position, page.unreadable)  # pyright: ignore[reportArgumentType]


def entity_pages(
    store: Store, of: type[E], pattern: str, position: Any = None
) -> Iterator[SourcePage[E]]:
    """Scans all entities of a kind. Items that it cannot read are listed and left out."""
    while True:
        page = store.run(_page(of, pattern, position))
        yield page
        position = page.position
        if position is None:
            return


def _page(of: type[E], pattern: str, position: Item | None) -> Steps[SourcePage[E]]:
    table = of.__layout__.table
    request: dict[str, Any] = {"TableName": table.name, "Limit": PAGE, "ConsistentRead": True}
    if position is not None:
        request["ExclusiveStartKey"] = position
    answer = yield Call("Scan", request, pattern)
    entities, unreadable = list[E](), list[str]()
    is_alone = list(table.entities) == [of]  # most items are then of this kind
    for item in answer["Items"]:
        try:
            entity = of.from_item(item) if is_alone else entity_of(table, item, [of])
        except InvalidItem as error:
            if class_of(table, item, [of]) is not None:
                unreadable.append(str(error))
        else:
            entities += [entity] if isinstance(entity, of) else []
    return SourcePage(entities, answer.get("LastEvaluatedKey"), unreadable)
