"""Where the truth is that an index follows: a table, or several whose items documents are
made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from sortkey.errors import InvalidItem, ModelError
from sortkey.model.changes import Change
from sortkey.model.documents import Document
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey
from sortkey.model.query_requests import entity_of
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.store import Store
from sortkey.values.attributes import Item

if TYPE_CHECKING:
    from sortkey.runtime.search.search import Search

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
        return entity_pages(
            self._store, self._document.of, f"{self._document.name}.reindex", position
        )

    def find(self, ids: Sequence[str], /) -> list[E]:
        keys = [key for id in ids for key in self._keys(id)]
        return [
            entity for entity in self._store.batch_get(keys, consistent=True) if entity is not None
        ]

    def _keys(self, id: str) -> list[ItemKey[E]]:
        """The keys under which the entity of an id may be: its own, and that in the archive."""
        values = self._document.id.parse(id)
        missing = [name for name in self._layout.primary.names if name not in values]
        if missing:
            raise ModelError(
                f"{self._document.name}: the id {self._document.id.text} does not say "
                f"{', '.join(missing)}, "
                "so entities cannot be found by it: write a Source that can"
            )
        key = ItemKey.of(
            self._document.of, {name: values[name] for name in self._layout.primary.names}
        )
        return [key] if self._layout.archive is None else [key, key.archived()]


class ComposedSource(Generic[E, T]):
    """Documents that are made of several items: a main one, and what belongs to it. Subclasses say
    what and how.

    `main` is the kind of the main items, which are read page by page; `follows` are the kinds whose
    changes count.
    """

    main: ClassVar[type[Entity]]
    follows: ClassVar[Sequence[type[Entity]]]

    def __init__(self, store: Store) -> None:
        self.store = store

    def compose(self, mains: Sequence[E], /) -> list[T]:
        """What documents are made of, for some main items."""
        raise NotImplementedError

    def find(self, ids: Sequence[str], /) -> list[T]:
        """What there is now of some ids."""
        raise NotImplementedError

    def touched(self, change: Change[Any], search: Search[T], /) -> Iterable[str]:
        """The ids of the documents that may be others after a change."""
        raise NotImplementedError

    def parts(self, composed: T, /) -> Sequence[Entity]:
        """The items that a document is made of, the one that it stands for first."""
        raise NotImplementedError

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[T]]:
        for page in entity_pages(self.store, self.main, f"{type(self).__name__}.reindex", position):
            yield SourcePage(self.compose(page.entities), page.position, page.unreadable)  # pyright: ignore[reportArgumentType]


def entity_pages(
    store: Store, of: type[E], pattern: str, position: Any = None
) -> Iterator[SourcePage[E]]:
    """All entities of a kind by a scan. Items that it cannot read are named and left out."""
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
    for item in answer["Items"]:
        try:
            entity = entity_of(table, item, [of])
        except InvalidItem as error:
            unreadable.append(str(error))
        else:
            entities += [entity] if isinstance(entity, of) else []
    return SourcePage(entities, answer.get("LastEvaluatedKey"), unreadable)
