"""Declarations of keys and queries in the body of an entity.

The decorated function is never run. Its signature is the typed signature of the access pattern, its
docstring the description. The signature begins with a star, so that arguments are passed by name.
An optional argument has the default None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from sortkey.errors import ModelError
from sortkey.model.layout import IndexKey, Layout
from sortkey.model.queries import ItemKey, Query
from sortkey.model.templates import SHARD, Template

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

P = ParamSpec("P")
E = TypeVar("E", bound="Entity")
Signature = Callable[P, None]


class Declared:
    """A declaration in an entity's body that is not a field."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.doc = inspect.getdoc(function) or ""
        self.parameters = tuple(inspect.signature(function).parameters.values())
        self.required = frozenset(p.name for p in self.parameters if p.default is p.empty)
        self.names = tuple(p.name for p in self.parameters)
        self._known = frozenset(self.names)
        for parameter in self.parameters:
            if parameter.default is not parameter.empty and parameter.default is not None:
                raise ModelError(
                    f"{self.name}: the default of {parameter.name} must be None, which leaves it "
                    "out of "
                    "the key"
                )
        self.bound: dict[type, Any] = {}
        """Compiled keys by class: a subclass may share the declaration."""

    def compile_key(self, layout: Layout) -> None:
        """Add the templates to the layout, if there are any."""

    def check(self, layout: Layout) -> None:
        """Refuse a signature that does not fit the templates."""
        raise NotImplementedError

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of a call by name. Raises TypeError for missing and unknown ones, as Python
        does.
        """
        if args or not self.required <= kwargs.keys() <= self._known:
            try:
                kwargs = inspect.Signature(self.parameters).bind(*args, **kwargs).arguments
            except TypeError as error:
                raise TypeError(f"{self.name}({', '.join(self.names)}): {error}") from None
        values = {name: value for name, value in kwargs.items() if value is not None}
        if len(values) < len(kwargs) and not self.required <= values.keys():
            missing = ", ".join(
                name for name in self.names if name in self.required and name not in values
            )
            raise ModelError(
                f"{self.name}: {missing} is None: without it the query would read more. Pass a "
                "value"
            )
        return values

    def stored(self, layout: Layout, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by attribute, as they are stored in keys."""
        stored, attributes = layout.stored, layout.attributes
        return {
            attributes[name]: stored(attributes[name], value) for name, value in arguments.items()
        }

    def fail(self, layout: Layout, problem: str) -> ModelError:
        return ModelError(f"{layout.entity.__name__}.{self.name}: {problem}")

    def check_leading(self, layout: Layout, key: IndexKey) -> None:
        """The signature must have the whole partition key, then the first slots of the sort key in
        order.
        """
        partition = [name for name in key.partition.names if name != SHARD]
        fields = list(dict.fromkeys([*partition, *(key.sort.names if key.sort else ())]))
        parameters = [layout.place(name).attribute for name in self.names]
        if parameters != fields[: len(parameters)] or len(parameters) < len(partition):
            raise self.fail(
                layout, f"takes {', '.join(parameters)}; its key begins with {', '.join(fields)}"
            )
        for name in self.names[: len(partition)]:
            if name not in self.required:
                raise self.fail(
                    layout, f"{name} cannot have a default: a query needs the whole partition key"
                )


class KeyDeclaration(Declared, Generic[P]):
    """The table's own key."""

    def __init__(self, function: Signature[P], partition: str, sort: str | None) -> None:
        super().__init__(function)
        self.partition, self.sort = partition, sort

    def compile_key(self, layout: Layout) -> None:
        layout.keys[None] = _index_key(self, layout, None, self.partition, self.sort)

    def check(self, layout: Layout) -> None:
        self.check_leading(layout, layout.primary)
        if len(self.names) < len(layout.primary.names) or len(self.required) < len(self.names):
            raise self.fail(
                layout, f"must take all of {', '.join(layout.primary.names)}, without defaults"
            )

    def __get__(self, instance: object, owner: type[E]) -> BoundKey[P, E]:
        bound: BoundKey[P, E] | None = self.bound.get(owner)
        if bound is None:
            bound = self.bound[owner] = BoundKey(self, owner)
        return bound


class BoundKey(Generic[P, E]):
    """`Stage.key`: a call returns the key of one item."""

    def __init__(self, declared: KeyDeclaration[P], entity: type[E]) -> None:
        self.declared, self.entity = declared, entity
        self.__doc__ = declared.doc

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ItemKey[E]:
        declared, layout = self.declared, self.entity.__layout__
        return ItemKey.of(self.entity, declared.stored(layout, declared.arguments(args, kwargs)))


class QueryDeclaration(Declared, Generic[P]):
    """A query over the table's key, by its first fields."""

    def __init__(self, function: Signature[P], key: KeyDeclaration[...]) -> None:
        super().__init__(function)
        self.key = key

    def check(self, layout: Layout) -> None:
        self.check_leading(layout, layout.primary)

    @property
    def index(self) -> str | None:
        return None

    def __get__(self, instance: object, owner: type[E]) -> BoundQuery[P, E]:
        return BoundQuery(self, owner)


class IndexDeclaration(Declared, Generic[P]):
    """The key in an index, and the query over it."""

    def __init__(
        self, function: Signature[P], index: str, partition: str, sort: str | None, shards: int
    ) -> None:
        super().__init__(function)
        self.index, self.partition, self.sort, self.shards = index, partition, sort, shards

    def compile_key(self, layout: Layout) -> None:
        if self.index in layout.keys:
            raise self.fail(layout, f"the key in {self.index} is declared already")
        layout.keys[self.index] = _index_key(
            self, layout, self.index, self.partition, self.sort, self.shards
        )

    def check(self, layout: Layout) -> None:
        self.check_leading(layout, layout.keys[self.index])

    def __get__(self, instance: object, owner: type[E]) -> BoundQuery[P, E]:
        return BoundQuery(self, owner)


class BoundQuery(Generic[P, E]):
    """`Stage.of_journey`: a call returns a query."""

    def __init__(
        self, declared: QueryDeclaration[P] | IndexDeclaration[P], entity: type[E]
    ) -> None:
        self.declared, self.entity = declared, entity
        self.__doc__ = declared.doc

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Query[E]:
        declared, layout = self.declared, self.entity.__layout__
        values = declared.stored(layout, declared.arguments(args, kwargs))
        return Query.of(
            self.entity,
            layout.keys[declared.index],
            values,
            f"{self.entity.__name__}.{declared.name}",
        )


def key(partition: str, sort: str | None = None) -> Callable[[Signature[P]], KeyDeclaration[P]]:
    """Declare the table's key. The function takes every field of it."""
    return lambda function: KeyDeclaration(function, partition, sort)


def query(key: KeyDeclaration[...]) -> Callable[[Signature[P]], QueryDeclaration[P]]:
    """Declare a query over the table's key. The function takes the fields of the partition key and
    the first fields of the sort key.
    """
    return lambda function: QueryDeclaration(function, key)


def index(
    name: str, partition: str, sort: str | None = None, *, shards: int = 0
) -> Callable[[Signature[P]], IndexDeclaration[P]]:
    """Declare the key in an index, and a query over it. With `shards`, the partition template has a
    `{shard}`.
    """
    return lambda function: IndexDeclaration(function, name, partition, sort, shards)


def _index_key(
    declared: Declared,
    layout: Layout,
    name: str | None,
    partition: str,
    sort: str | None,
    shards: int = 0,
) -> IndexKey:
    attributes = layout.table.key_attributes(name)
    if (attributes.sort is None) is not (sort is None):
        where = name or layout.table.name
        raise declared.fail(
            layout, f"{where} has {'no' if attributes.sort is None else 'a'} sort key"
        )
    index_key = IndexKey(
        name, attributes, Template(partition), None if sort is None else Template(sort), shards
    )
    if shards < 0 or bool(shards) is not (SHARD in index_key.partition.names):
        raise declared.fail(layout, "shards= and a {shard} in the partition template go together")
    return index_key
