"""Collections: several kinds of entities from one partition, in one query, typed by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from sortkey.errors import ModelError
from sortkey.model.keys import Declared, Signature
from sortkey.model.layout import IndexKey, Layout
from sortkey.model.queries import Query, SortCondition

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

P = ParamSpec("P")
E = TypeVar("E", bound="Entity")


@dataclass(frozen=True)
class CollectionQuery:
    """A read of one partition for entities of several kinds."""

    query: Query[Any]
    members: tuple[type[Entity], ...]

    def fresh(self) -> CollectionQuery:
        """Skip expired items, also those that TTL has not deleted yet."""
        return replace(self, query=self.query.fresh())


@dataclass(frozen=True)
class Grouped:
    """The entities of a collection, in the order of the sort key."""

    entities: list[Entity] = field(default_factory=list["Entity"])

    def of(self, kind: type[E]) -> list[E]:
        """The entities of one kind."""
        return [entity for entity in self.entities if isinstance(entity, kind)]

    def one(self, kind: type[E]) -> E | None:
        """The only entity of a kind, or None. Raises LookupError if there are several."""
        entities = self.of(kind)
        if len(entities) > 1:
            raise ModelError(f"the collection has {len(entities)} of {kind.__name__}, not one")
        return entities[0] if entities else None

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    def __len__(self) -> int:
        return len(self.entities)


class CollectionDeclaration(Declared, Generic[P]):
    """Call it with the fields of the partition key for a `CollectionQuery`."""

    def __init__(
        self,
        function: Signature[P],
        members: Sequence[type[Entity]],
        index: str | None,
        sort: SortCondition | None,
    ) -> None:
        super().__init__(function)
        if not members:
            raise ModelError(f"{self.name}: a collection needs its entities")
        self.members, self.index, self.sort = tuple(members), index, sort
        for member in self.members:
            self.check(member.__layout__)
        self.__doc__ = self.doc

    def check(self, layout: Layout) -> None:
        first = self.members[0].__layout__
        if layout.table is not first.table or self.index not in layout.keys:
            raise self.fail(
                layout,
                "every entity of a collection must be in the same table and have a key in its "
                "index",
            )
        if layout.keys[self.index].partition.text != self._key.partition.text:
            raise self.fail(
                layout, f"its partition is not {self._key.partition.text}, as that of the others"
            )
        self.check_leading(first, self._key)

    @property
    def _key(self) -> IndexKey:
        return self.members[0].__layout__.keys[self.index]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> CollectionQuery:
        entity = self.members[0]
        values = self.stored(entity.__layout__, self.arguments(args, kwargs))
        query = Query.of(entity, replace(self._key, sort=None), values, self.name)
        return CollectionQuery(
            replace(query, key=self._key, sort=self.sort, by_kind=False), self.members
        )


def collection(
    *members: type[Entity],
    index: str | None = None,
    sort_from: str | None = None,
    sort_prefix: str | None = None,
) -> Callable[[Signature[P]], CollectionDeclaration[P]]:
    """Declare a read of several kinds of entities from one partition. `sort_from` skips smaller
    sort keys, `sort_prefix` those with another prefix.
    """
    if sort_from is not None and sort_prefix is not None:
        raise ModelError(
            "a collection takes sort_from or sort_prefix: a sort key has one condition"
        )
    sort: SortCondition | None = None
    if sort_from is not None:
        sort = SortCondition(">=", (sort_from,))
    if sort_prefix is not None:
        sort = SortCondition("begins_with", (sort_prefix,))
    return lambda function: CollectionDeclaration(function, members, index, sort)
