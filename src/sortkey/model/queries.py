"""Keys and queries: immutable values that describe what to read.

Methods narrow a query and return a new one. No method makes it read more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from sortkey.errors import ModelError
from sortkey.model.attributes import Attr, Condition, condition
from sortkey.model.conditions import check_fields
from sortkey.model.layout import IndexKey, Layout
from sortkey.model.tables import LSI, Table
from sortkey.model.templates import SHARD, Slot
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

E = TypeVar("E", bound="Entity")
E_co = TypeVar("E_co", bound="Entity", covariant=True)

HIGHEST = "\U0010ffff"
"""Sorts after every text that can follow."""


@dataclass(frozen=True)
class ItemKey(Generic[E_co]):
    """The key of one item. `values` are the fields in it, by attribute, as they are stored."""

    entity: type[E_co]
    item: Item
    values: Mapping[str, Any]
    is_archived: bool = False

    @classmethod
    def of(cls, entity: type[E], values: Mapping[str, Any]) -> ItemKey[E]:
        layout = entity.__layout__
        key = layout.primary
        item: Item = {}
        for attribute, template in key.templates:
            text = template.render(values)
            if text is None:
                raise ModelError(f"{entity.__name__}: the key needs {', '.join(template.names)}")
            item[attribute] = {layout.table.type_of(attribute): text}
        if layout.archive is not None:
            layout.check_mark(item[key.attributes.partition]["S"])
        return ItemKey(entity, item, values)

    @classmethod
    def of_entity(cls, entity: E) -> ItemKey[E]:
        """The key of an entity."""
        layout = type(entity).__layout__
        values = {
            name: layout.stored(name, getattr(entity, layout.by_attribute[name].name))
            for name in layout.primary.names
        }
        key = ItemKey.of(type(entity), values)
        return key.archived() if entity.in_archive else key

    def archived(self) -> Self:
        """The key of the same item in the archive."""
        layout = self.entity.__layout__
        if layout.archive is None:
            raise ModelError(
                f"{self.entity.__name__} has no archive: declare it with archive='#deleted'"
            )
        partition = layout.primary.attributes.partition
        moved = {**self.item, partition: {"S": self.item[partition]["S"] + layout.archive}}
        return replace(self, item=moved, is_archived=True)

    @property
    def table(self) -> Table:
        return self.entity.__layout__.table

    def __hash__(self) -> int:
        return hash(
            (self.entity, *(text for value in self.item.values() for text in value.values()))
        )

    def __str__(self) -> str:
        return f"{self.entity.__name__}({', '.join(f'{k}={v!r}' for k, v in self.values.items())})"


Operator = Literal["=", "begins_with", "between", ">=", "<=", ">", "<"]


@dataclass(frozen=True, slots=True)
class SortCondition:
    """A condition on the sort key: `=`, `begins_with`, or `between` two texts, both included."""

    operator: Operator
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Query(Generic[E_co]):
    """A read of one partition, typed by the entities it returns. `pattern` is the name under which
    its capacity is counted.
    """

    entity: type[E_co]
    key: IndexKey
    values: Mapping[str, Any] = field(hash=False)
    pattern: str = ""
    sort: SortCondition | None = None
    next_slot: Slot | None = None
    filter: Condition | None = None
    is_descending: bool = False
    limited_to: int | None = None
    is_consistent: bool = False
    is_archived: bool = False
    is_hydrated: bool = False
    is_fresh: bool = False
    by_kind: bool = True

    @classmethod
    def of(
        cls, entity: type[E], key: IndexKey, values: Mapping[str, Any], pattern: str
    ) -> Query[E]:
        """The query for the first fields of a key."""
        partition = {name: values[name] for name in key.partition.names if name != SHARD}
        query = Query(entity, key, partition, pattern)
        if key.sort is None:
            return query
        rest = {name: value for name, value in values.items() if name in key.sort.names}
        if not _is_text(entity.__layout__, key):
            return replace(query, sort=SortCondition("=", tuple(rest.values())) if rest else None)
        prefix = key.sort.prefix(
            {**{n: v for n, v in partition.items() if n in key.sort.names}, **rest}
        )
        if prefix.complete:
            return replace(query, sort=SortCondition("=", (prefix.text,)))
        sort = SortCondition("begins_with", (prefix.text,)) if prefix.text else None
        query = replace(query, sort=sort, next_slot=prefix.then)
        for slot in key.sort.slots:
            if slot.free and slot.name in rest:
                query = query.where(_free_slot_is(entity.__layout__, slot, rest[slot.name]))
        return query

    # -- the range of the next field of the key

    # Texts are compared as they are in the key, with the separator after them: `Blue Ridge#`
    # comes before `Blue#`.

    def between(self, low: Any, high: Any) -> Self:
        """Keep items whose next field of the sort key is between two values, both included."""
        if not self._is_text:
            return self._ranged("between", self._number(low), self._number(high))
        return self._ranged("between", self._text(low), self._text(high) + self._end)

    def at_least(self, low: Any) -> Self:
        """Keep items whose next field of the sort key is at least this."""
        if not self._is_text:
            return self._ranged(">=", self._number(low))
        text = self._text(low)
        return (
            self._ranged("between", text, self._prefix + HIGHEST)
            if self._prefix
            else self._ranged(">=", text)
        )

    def at_most(self, high: Any) -> Self:
        """Keep items whose next field of the sort key is at most this."""
        if not self._is_text:
            return self._ranged("<=", self._number(high))
        text = self._text(high) + self._end
        return (
            self._ranged("between", self._prefix, text)
            if self._prefix
            else self._ranged("<=", text)
        )

    # -- the rest

    def where(self, test: Condition | bool) -> Self:
        """Keep entities that fulfil a condition. Items are read, and paid for, before they are
        filtered.
        """
        wanted = condition(test)
        check_fields(wanted, self.layout)
        return replace(self, filter=wanted if self.filter is None else self.filter & wanted)

    def descending(self) -> Self:
        return replace(self, is_descending=True)

    def limit(self, count: int) -> Self:
        """At most this many entities, counted after filtering."""
        if count < 1:
            raise ModelError(f"a limit of {count} entities reads nothing: use 1 or more")
        return replace(self, limited_to=count)

    def consistent(self) -> Self:
        """Use consistent reads, for twice the capacity. Not possible on global indexes."""
        if self.key.index is not None and not self._is_local:
            raise ModelError(f"{self.key.index} is a global index, which has no consistent reads")
        return replace(self, is_consistent=True)

    def archived(self) -> Self:
        """The same query over the archive."""
        if self.layout.archive is None:
            raise ModelError(
                f"{self.entity.__name__} has no archive: declare it with archive='#deleted'"
            )
        if self.key.index is not None:
            raise ModelError("the archive is a partition of the table: query it by the table's key")
        return replace(self, is_archived=True)

    def hydrated(self) -> Self:
        """Fetch the whole items for a KEYS_ONLY index, in batches."""
        return replace(self, is_hydrated=True)

    def fresh(self) -> Self:
        """Skip expired items, also those that TTL has not deleted yet."""
        if self.table.ttl is None:
            raise ModelError(f"{self.table.name} has no TTL: nothing in it expires")
        return replace(self, is_fresh=True)

    def named(self, pattern: str) -> Self:
        """The same query under the name of an access pattern."""
        return replace(self, pattern=pattern)

    # -- what the request needs

    @property
    def layout(self) -> Layout:
        return self.entity.__layout__

    @property
    def table(self) -> Table:
        return self.layout.table

    def partitions(self) -> tuple[AttributeValue, ...]:
        """The values of the partition key: one, or one per shard."""
        shards = range(self.key.shards) if self.key.shards else (None,)
        kind = self.table.type_of(self.key.attributes.partition)
        return tuple({kind: self._partition_text(shard)} for shard in shards)

    def _partition_text(self, shard: int | None) -> str:
        values = self.values if shard is None else {**self.values, SHARD: shard}
        text = self.key.partition.render(values)
        assert text is not None
        if self.key.index is None:
            self.layout.check_mark(text)
        return text + (self.layout.archive or "") if self.is_archived else text

    @property
    def _prefix(self) -> str:
        return (
            self.sort.values[0]
            if self.sort is not None and self.sort.operator == "begins_with"
            else ""
        )

    @property
    def _end(self) -> str:
        """The end of the keys with this value of the next field. With the separator, so that b
        never matches bz.
        """
        assert self.key.sort is not None
        assert self.next_slot is not None
        parts = self.key.sort.parts
        behind = parts[parts.index(self.next_slot) + 1 :]
        literal = behind[0] if behind and isinstance(behind[0], str) else ""
        return literal + HIGHEST if len(behind) > bool(literal) else literal

    def _text(self, value: Any) -> str:
        if self.next_slot is None:
            raise ModelError(
                f"{self.pattern or 'the query'} fixes the whole sort key: a range is not possible"
            )
        assert self.key.sort is not None
        return self._prefix + self.key.sort.text_of(
            self.next_slot, self.layout.compared(self.next_slot.name, value)
        )

    def _number(self, value: Any) -> Any:
        assert self.key.sort is not None
        return self.layout.compared(self.key.sort.names[0], value)

    def _ranged(self, operator: Operator, *values: Any) -> Self:
        if self.sort is not None and self.sort.operator != "begins_with":
            # It would replace the first range and read more than both together.
            raise ModelError(
                f"{self.pattern or 'the query'} already has a range: between() takes both of its "
                "ends"
            )
        return replace(self, sort=SortCondition(operator, values))

    @property
    def _is_text(self) -> bool:
        return _is_text(self.layout, self.key)

    @property
    def _is_local(self) -> bool:
        return self.key.index is not None and isinstance(self.table.index(self.key.index), LSI)


def _is_text(layout: Layout, key: IndexKey) -> bool:
    return key.attributes.sort is None or layout.table.type_of(key.attributes.sort) == "S"


def _free_slot_is(layout: Layout, slot: Slot, value: Any) -> Condition:
    """The condition that a free slot has exactly this value: the key prefix also matches longer
    ones.
    """
    place = layout.by_attribute[slot.name]
    if place.key_only:
        raise ModelError(
            f"{place.name} is free and KeyOnly: keys that begin with it cannot be distinguished "
            "from longer "
            "ones"
        )
    return Attr[Any](layout, place, place.path, place.info.annotation) == value
