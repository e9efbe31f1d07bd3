"""What the console knows and can do: systems, tables, access patterns, items. Pages show it; none touches a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sortkey.connect.searches import Searches
from sortkey.engine.recent import RecentChange
from sortkey.errors import ModelError, ServiceError, SortkeyError
from sortkey.model.collections import CollectionQuery
from sortkey.model.describing import Told, describe, parameters_of
from sortkey.model.entity import Entity
from sortkey.model.patterns import AccessPattern, Explanation, Model, Read, explain, named
from sortkey.model.queries import ItemKey, Query
from sortkey.model.reading import fits, whole
from sortkey.model.tables import Table
from sortkey.runtime.audit import audit, audit_table
from sortkey.runtime.guards import GUARD_KIND
from sortkey.runtime.objects import Objects
from sortkey.runtime.store import Store
from sortkey.values.attributes import Item
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.showing import cell

PAGE = 100
CONSOLE = "console"
"""Who changed it, in the audit."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table as it is deployed. `count` is what the service says, which on AWS is some hours old."""

    name: str
    system: str
    status: str
    count: int
    bytes: int
    indexes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What an access pattern gave, and what it cost."""

    items: list[Item]
    kinds: list[str]
    cursor: str | None
    explanation: Explanation
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Some items as they are stored, and where to go on."""

    items: list[Item]
    next: Item | None
    units: float
    milliseconds: float


class Workspace:
    """One store, the models on it, and what happened there."""

    def __init__(
        self,
        store: Store,
        models: Sequence[Model],
        log: RequestLog,
        objects: Mapping[str, Objects] | None = None,
        changes: Callable[[int], list[RecentChange]] | None = None,
        search: Searches | None = None,
    ) -> None:
        """`changes` gives so many of the latest changes, the newest first; None where nobody can tell."""
        self.store = store
        self.models = {model.name: model for model in models}
        self.log = log
        self.objects: Mapping[str, Objects] = {} if objects is None else objects
        self.changes = changes
        self.search = search
        store.ensure(audit_table)

    # -- models

    @cached_property
    def told(self) -> dict[str, Told]:
        """Every model as plain values, for pages and diagrams."""
        return {name: describe(model) for name, model in self.models.items()}

    def table(self, name: str) -> Table | None:
        """The table of a model by its name; None for one that no model knows."""
        return next((table for model in self.models.values() for table in model.tables if table.name == name), None)

    def system_of(self, table: str) -> str:
        names = (name for name, model in self.models.items() if any(each.name == table for each in model.tables))
        return next(names, "")

    def entity_of(self, table: str, item: Item) -> type[Entity] | None:
        """The kind of an item, by its name where the table has kinds, else by the form of its keys."""
        declared = self.table(table)
        for entity in declared.entities if declared else ():
            layout = entity.__layout__
            kind = item.get(layout.table.kind_attribute) if layout.kind is not None else None
            if (kind == {"S": layout.kind}) if layout.kind is not None else fits(layout, item):
                return entity
        return None

    def is_guard(self, table: str, item: Item) -> bool:
        """Whether an item is one that the store writes beside another, to keep a value unique."""
        declared = self.table(table)
        return declared is not None and item.get(declared.kind_attribute) == {"S": GUARD_KIND}

    def has_guards(self, model: str) -> bool:
        return any(entity.__layout__.unique for table in self.models[model].tables for entity in table.entities)

    def places(self) -> dict[str, str]:
        """The models and the tables, as paths of the console with what each is called."""
        models = {f"/models/{name}": f"Model · {name}" for name in self.models}
        return models | {f"/data?table={name}": f"Table · {name}" for name in self._table_names()}

    # -- tables

    def tables(self) -> list[TableFacts]:
        """Every table that is there, those of no model too."""
        return [self._facts(name) for name in self._table_names()]

    def _table_names(self) -> list[str]:
        names: list[str] = []
        answer = self._call("ListTables", {})
        names += answer["TableNames"]
        while "LastEvaluatedTableName" in answer:
            answer = self._call("ListTables", {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]})
            names += answer["TableNames"]
        return names

    def _facts(self, name: str) -> TableFacts:
        told = self._call("DescribeTable", {"TableName": name})["Table"]
        several = [*told.get("GlobalSecondaryIndexes", ()), *told.get("LocalSecondaryIndexes", ())]
        indexes = tuple(each["IndexName"] for each in several)
        count, total = int(told["ItemCount"]), int(told["TableSizeBytes"])
        return TableFacts(name, self.system_of(name), told["TableStatus"], count, total, indexes)

    def key_names(self, table: str, index: str | None = None) -> tuple[str, ...]:
        """The partition key's name and, where there is one, the sort key's."""
        told = self._call("DescribeTable", {"TableName": table})["Table"]
        several = [*told.get("GlobalSecondaryIndexes", ()), *told.get("LocalSecondaryIndexes", ())]
        schema = next((each["KeySchema"] for each in several if each["IndexName"] == index), told["KeySchema"])
        ordered = sorted(schema, key=lambda each: each["KeyType"] != "HASH")
        return tuple(each["AttributeName"] for each in ordered)

    # -- access patterns

    def pattern(self, model: str, name: str) -> AccessPattern:
        return named(self.models[model].patterns(), name)

    def run(self, model: str, name: str, arguments: Mapping[str, str], cursor: str | None = None) -> Found:
        """Run an access pattern with arguments as texts. Raises ModelError for what it does not take."""
        pattern = self.pattern(model, name)
        read = pattern.function(**typed(pattern, arguments))
        read = whole(read) if isinstance(read, Query) else read
        began = time.perf_counter()
        entities, after = self._read(read, cursor)
        milliseconds = (time.perf_counter() - began) * 1000
        items = [entity.to_item() for entity in entities]
        told = explain(read, name, max(len(items), 1), _average(items))
        return Found(items, [type(each).__name__ for each in entities], after, told, milliseconds)

    def _read(self, read: Read, cursor: str | None) -> tuple[list[Entity], str | None]:
        if isinstance(read, ItemKey):
            found = self.store.find(read)
            return ([] if found is None else [found]), None
        if isinstance(read, CollectionQuery):
            return list(self.store.collection(read)), None
        page = self.store.page(read, cursor=cursor, size=PAGE)
        return page.items, page.cursor

    # -- items

    def browse(
        self,
        table: str,
        index: str | None = None,
        partition: str = "",
        sort_prefix: str = "",
        start: Item | None = None,
        limit: int = PAGE,
    ) -> ItemPage:
        """Items of a partition, by the beginning of their sort key; without a partition the table as it lies."""
        request: dict[str, Any] = {"TableName": table, "Limit": limit, "ReturnConsumedCapacity": "TOTAL"}
        if index:
            request["IndexName"] = index
        if start is not None:
            request["ExclusiveStartKey"] = start
        operation = "Query" if partition else "Scan"
        if partition:
            request |= self._condition(table, index, partition, sort_prefix)
        began = time.perf_counter()
        answer = self._call(operation, request)
        milliseconds = (time.perf_counter() - began) * 1000
        units = float(answer["ConsumedCapacity"]["CapacityUnits"])
        return ItemPage(answer["Items"], answer.get("LastEvaluatedKey"), units, milliseconds)

    def _condition(self, table: str, index: str | None, partition: str, sort_prefix: str) -> dict[str, Any]:
        names = self.key_names(table, index)
        condition, values = "#p = :p", {":p": self._key_value(table, names[0], partition)}
        if sort_prefix and len(names) > 1:
            is_number = self._type_of(table, names[1]) == "N"
            condition += " AND #s = :s" if is_number else " AND begins_with(#s, :s)"
            values[":s"] = self._key_value(table, names[1], sort_prefix)
        used = dict(zip(("#p", "#s"), names, strict=False))
        return {
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": {short: name for short, name in used.items() if short in condition},
            "ExpressionAttributeValues": values,
        }

    def _type_of(self, table: str, attribute: str) -> str:
        told = self._call("DescribeTable", {"TableName": table})["Table"]
        kinds = {each["AttributeName"]: each["AttributeType"] for each in told["AttributeDefinitions"]}
        return kinds[attribute]

    def _key_value(self, table: str, attribute: str, text: str) -> dict[str, str]:
        return {self._type_of(table, attribute): text}

    def key_of(self, table: str, item: Item) -> Item:
        return {name: item[name] for name in self.key_names(table)}

    def item(self, table: str, key: Item) -> Item | None:
        return self._call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get("Item")

    def check(self, table: str, item: Item) -> list[str]:
        """What the model says against an item, a line each; nothing where it fits, or where no model knows it."""
        entity = self.entity_of(table, item)
        if entity is None:
            return []
        try:
            made = entity.from_item(item).to_item()
        except SortkeyError as error:
            return _faults(error)
        declared = entity.__layout__.table
        names = {
            name for each in (None, *declared.indexes) for name in declared.key_attributes(each and each.name).names
        }
        return [
            f"{name} does not fit the fields it is made of: it would be {cell(made.get(name)) or 'absent'}"
            for name in sorted(names)
            if made.get(name) != item.get(name)
        ]

    def replace(self, table: str, old: Item | None, new: Item) -> None:
        """Store an item in the place of what was read before, or as a new one. Raises ModelError where it changed."""
        key = self.key_of(table, new)
        if old is not None and self.key_of(table, old) != key:
            raise ModelError("the key cannot be changed: that would be another item; make a new one")
        if self.item(table, key) != old:
            raise ModelError("somebody else has changed this item since you read it: read it again")
        names = {f"#k{number}": name for number, name in enumerate(key)}
        exists = "attribute_exists" if old is not None else "attribute_not_exists"
        condition = " AND ".join(f"{exists}({short})" for short in names)
        request = {"TableName": table, "Item": new, "ConditionExpression": condition}
        self._call("PutItem", request | {"ExpressionAttributeNames": names})
        self._record("item.put", table, key)

    def delete(self, table: str, key: Item) -> None:
        self._call("DeleteItem", {"TableName": table, "Key": key})
        self._record("item.delete", table, key)

    def _record(self, action: str, table: str, key: Item) -> None:
        """Who changes data by hand leaves a trace."""
        subject = "/".join([table, *(str(next(iter(value.values()))) for value in key.values())])
        audit(self.store, CONSOLE, action, subject)

    def statement(self, text: str, next_token: str | None = None) -> tuple[list[Item], str | None, float]:
        """Run PartiQL; gives items, where to go on, and the capacity used."""
        request: dict[str, Any] = {"Statement": text, "ReturnConsumedCapacity": "TOTAL"}
        if next_token:
            request["NextToken"] = next_token
        answer = self._call("ExecuteStatement", request)
        if not text.lstrip().lower().startswith("select"):
            audit(self.store, CONSOLE, "statement", text[:200])
        units = float(answer["ConsumedCapacity"]["CapacityUnits"]) if "ConsumedCapacity" in answer else 0.0
        return answer.get("Items", []), answer.get("NextToken"), units

    def _call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.store.backend.call(operation, request)


def typed(pattern: AccessPattern, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Texts of a form as the values that a pattern takes; what is empty is left out."""
    known = {each.name: each for each in parameters_of(pattern)}
    made: dict[str, Any] = {}
    for name, text in arguments.items():
        if not text:
            continue
        if name not in known:
            raise ModelError(f"{pattern.name} takes no {name}")
        try:
            made[name] = TypeAdapter(pattern.parameters.get(name, Any)).validate_python(text)
        except ValidationError as error:
            raise ModelError(f"{name}: {error.errors()[0]['msg']}") from None
    missing = [each.name for each in known.values() if each.default is each.empty and each.name not in made]
    if missing:
        raise ModelError(f"{pattern.name} needs {', '.join(missing)}")
    return made


def refusal(error: Exception) -> str:
    """An error as one line for a person."""
    said = str(error) or type(error).__name__
    return f"{type(error).__name__}: {said}" if isinstance(error, ServiceError) else said


def _faults(error: SortkeyError) -> list[str]:
    """A line for each field that does not fit, without the words of the library that found it."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return [str(error)]
    return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in cause.errors()]


def _average(items: Sequence[Item]) -> int:
    from sortkey.values.sizes import item_size

    return max(1, sum(map(item_size, items)) // len(items)) if items else 1024
