"""A model: its tables, and its access patterns by name, which can explain their costs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from math import ceil
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic.fields import FieldInfo

from sortkey.errors import ModelError
from sortkey.model.collections import CollectionDeclaration, CollectionQuery
from sortkey.model.documents import Document, ModelDocument
from sortkey.model.expressions import Names
from sortkey.model.keys import Declared, IndexDeclaration, KeyDeclaration, QueryDeclaration
from sortkey.model.layout_compiler import declared_in
from sortkey.model.queries import ItemKey, Query
from sortkey.model.query_requests import key_condition, query_request
from sortkey.model.tables import Table

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

P = ParamSpec("P")
R = TypeVar("R", bound="ItemKey[Any] | Query[Any] | CollectionQuery")
Read = ItemKey[Any] | Query[Any] | CollectionQuery

READ_UNIT_BYTES = 4096
DOLLARS_PER_MILLION_READ_UNITS = 0.125
"""On demand, us-east-1."""


@dataclass(frozen=True)
class Explanation:
    """What an access pattern does, and what it costs for a number of items of a size."""

    pattern: str
    operation: Literal["GetItem", "Query"]
    table: str
    index: str | None
    key_condition: str
    filter: str | None
    projection: str
    requests: int
    items: int
    item_bytes: int
    read_units: float
    dollars_per_million: float

    def __str__(self) -> str:
        lines = [
            f"{self.pattern}: {self.operation} on {self.table}"
            + (f", index {self.index}" if self.index else "")
        ]
        lines.append(f"  key condition  {self.key_condition}")
        if self.filter:
            lines.append(f"  filter         {self.filter}")
        lines.append(f"  projection     {self.projection}")
        size = f"{self.items} item{'s' * (self.items != 1)} of {self.item_bytes:,} bytes"
        sent = f"{self.requests} request{'s' * (self.requests != 1)}"
        cost = f"{self.read_units:g} read units, ${self.dollars_per_million:.2f} a million times"
        lines.append(f"  cost           {size}: {sent}, {cost}")
        return "\n".join(lines)


@dataclass(frozen=True)
class AccessPattern:
    """One named read of a model. `function` takes its arguments and returns the read, without
    I/O.
    """

    name: str
    doc: str
    function: Callable[..., Read] = field(repr=False)
    parameters: Mapping[str, Any]
    entity: str
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def explain(self, *, items: int = 1, item_bytes: int = 1024, **arguments: Any) -> Explanation:
        """What the pattern does and costs. Missing arguments are a field's `examples`, or made up
        by type.
        """
        made_up = {name: sample(name, annotation) for name, annotation in self.parameters.items()}
        return explain(
            self.function(**{**made_up, **self.example, **arguments}), self.name, items, item_bytes
        )


class Model:
    """The tables and access patterns of one system."""

    def __init__(self, name: str, doc: str = "") -> None:
        self.name, self.doc = name, doc
        self.tables: list[Table] = []
        self.documents: list[ModelDocument] = []
        self._patterns: list[AccessPattern] = []

    def add(self, table: Table) -> Table:
        """Add a table to this model."""
        if any(other.name == table.name for other in self.tables):
            raise ModelError(f"the model {self.name} already has a table {table.name}")
        self.tables.append(table)
        return table

    def searchable(
        self, document: Document[Any], source: Callable[[Any], Any] | None = None
    ) -> None:
        """Add a search document to this model. `source` is for a document built from several items:
        a ComposedSource of a store.
        """
        if source is None and not hasattr(document.of, "__layout__"):
            raise ModelError(
                f"{document.name}: {document.of.__name__} is not an entity: pass what reads it, "
                "with "
                "source="
            )
        if any(other.document.name == document.name for other in self.documents):
            raise ModelError(f"the model {self.name} already has a document {document.name}")
        self.documents.append(ModelDocument(document, source))

    @property
    def entities(self) -> list[type[Entity]]:
        return [entity for table in self.tables for entity in table.entities]

    def pattern(self, function: Callable[P, R]) -> Callable[P, R]:
        """Register a function as an access pattern. It returns a read without running it. Capacity
        is counted under its name.
        """
        signature = inspect.signature(function)
        hints = get_type_hints(function)
        parameters = {
            name: hints.get(name, str)
            for name, p in signature.parameters.items()
            if p.default is p.empty
        }
        result = hints.get("return")
        examples = _examples(function, parameters)
        owner = ", ".join(
            getattr(argument, "__name__", str(argument)) for argument in get_args(result)
        )

        @wraps(function)
        def read(*args: P.args, **kwargs: P.kwargs) -> R:
            result = function(*args, **kwargs)
            return cast(R, result.named(function.__name__)) if isinstance(result, Query) else result

        self._patterns.append(
            AccessPattern(function.__name__, _doc(function), read, parameters, owner, examples)
        )
        return read

    def collection(
        self,
        *members: type[Entity],
        index: str | None = None,
        sort_from: str | None = None,
        sort_prefix: str | None = None,
    ) -> Callable[[Callable[P, None]], CollectionDeclaration[P]]:
        """Register a collection as an access pattern."""
        from sortkey.model.collections import collection

        def declare(function: Callable[P, None]) -> CollectionDeclaration[P]:
            declared = collection(
                *members, index=index, sort_from=sort_from, sort_prefix=sort_prefix
            )(function)
            names = ", ".join(member.__name__ for member in members)
            parameters = _parameters(declared, function)
            examples = _examples(function, parameters)
            self._patterns.append(
                AccessPattern(declared.name, declared.doc, declared, parameters, names, examples)
            )
            return declared

        return declare

    def patterns(self) -> list[AccessPattern]:
        """Every access pattern: those of the entities, then those of the model."""
        declared = [
            _declared_pattern(entity, declaration)
            for entity in self.entities
            for declaration in declared_in(entity).values()
            if isinstance(declaration, (KeyDeclaration, QueryDeclaration, IndexDeclaration))
        ]
        return [*declared, *self._patterns]


def explain(read: Read, name: str = "", items: int = 1, item_bytes: int = 1024) -> Explanation:
    """What a read does, and what it costs."""
    if isinstance(read, ItemKey):
        units = ceil(item_bytes / READ_UNIT_BYTES) / 2
        condition = " AND ".join(f"{k} = {next(iter(v.values()))!r}" for k, v in read.item.items())
        return _explanation(
            name, "GetItem", read.table.name, None, condition, None, "ALL", 1, 1, item_bytes, units
        )
    query = read.query if isinstance(read, CollectionQuery) else read
    count = items if query.limited_to is None else min(items, query.limited_to)
    partitions, names = query.partitions(), Names()
    condition = names.readable(key_condition(query, partitions[0], names))
    request = query_request(query, partitions[0])
    filter_names = Names()
    filter_names.expression_names, filter_names.expression_values = (
        request.get("ExpressionAttributeNames", {}),
        request.get("ExpressionAttributeValues", {}),
    )
    filter_text = (
        filter_names.readable(request["FilterExpression"])
        if "FilterExpression" in request
        else None
    )
    index = query.key.index
    projection = "ALL" if index is None else str(query.table.index(index).projection)
    read_bytes = count * item_bytes
    units = (
        max(ceil(read_bytes / len(partitions) / READ_UNIT_BYTES), 1)
        * len(partitions)
        * (1 if query.is_consistent else 0.5)
    )
    if query.is_hydrated:
        units += count * ceil(item_bytes / READ_UNIT_BYTES) / 2
    requests = len(partitions) * max(1, ceil(read_bytes / len(partitions) / 2**20))
    table = query.table.name
    return _explanation(
        name or query.pattern,
        "Query",
        table,
        index,
        condition,
        filter_text,
        projection,
        requests,
        count,
        item_bytes,
        units,
    )


def sample(name: str, annotation: Any) -> Any:
    """An example value of a type."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if get_origin(annotation) in (
        Annotated,
        Union,
        UnionType,
    ):  # `Instant | None` is a datetime in both
        return sample(name, get_args(annotation)[0])
    for kind, value in _SAMPLES.items():
        if annotation is kind:
            return value
    return name


_SAMPLES: Mapping[Any, Any] = {
    int: 1,
    float: 1.0,
    bool: True,
    datetime: datetime(2026, 1, 1, tzinfo=UTC),
}


def _explanation(
    name: str,
    operation: Literal["GetItem", "Query"],
    table: str,
    index: str | None,
    condition: str,
    filter_text: str | None,
    projection: str,
    requests: int,
    items: int,
    item_bytes: int,
    units: float,
) -> Explanation:
    dollars = units * DOLLARS_PER_MILLION_READ_UNITS
    return Explanation(
        name,
        operation,
        table,
        index,
        condition,
        filter_text,
        projection,
        requests,
        items,
        item_bytes,
        units,
        dollars,
    )


def _declared_pattern(entity: type[Entity], declared: Declared) -> AccessPattern:
    bound: Callable[..., Any] = getattr(entity, declared.name)
    places = entity.__layout__.places
    parameters = {
        name: places[name].info.annotation for name in declared.names if name in declared.required
    }
    doc = declared.doc or (
        f"One {entity.__name__} by its key." if isinstance(declared, KeyDeclaration) else ""
    )
    example = {name: examples[0] for name in parameters if (examples := places[name].info.examples)}
    return AccessPattern(
        f"{entity.__name__}.{declared.name}", doc, bound, parameters, entity.__name__, example
    )


def _parameters(declared: Declared, function: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(function)
    return {name: hints.get(name, str) for name in declared.names if name in declared.required}


def _examples(function: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The examples in the types of parameters: `Annotated[str, Field(examples=[...])]`."""
    hints = get_type_hints(function, include_extras=True)
    markers = {name: getattr(hints.get(name), "__metadata__", ()) for name in parameters}
    return {
        name: parameter.examples[0]
        for name, several in markers.items()
        for parameter in several
        if isinstance(parameter, FieldInfo) and parameter.examples
    }


def _doc(function: Callable[..., Any]) -> str:
    return inspect.getdoc(function) or ""


def named(patterns: Sequence[AccessPattern], name: str) -> AccessPattern:
    """An access pattern by its name."""
    for pattern in patterns:
        if pattern.name == name:
            return pattern
    raise ModelError(
        f"no access pattern {name!r}; there are: {', '.join(pattern.name for pattern in patterns)}"
    )
