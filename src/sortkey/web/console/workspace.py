"""What console pages work on: a store, its models with their tables and entities, and recent
activity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sortkey.connect.searches import Searches
from sortkey.engine.recent import RecentChange
from sortkey.errors import ServiceError
from sortkey.model.description import Description, describe
from sortkey.model.entity import Entity
from sortkey.model.patterns import Model
from sortkey.model.query_requests import fits
from sortkey.model.tables import Table
from sortkey.runtime.audit import audit_table
from sortkey.runtime.guards import GUARD_KIND
from sortkey.runtime.objects import Objects
from sortkey.runtime.store import Store
from sortkey.values.attributes import Item
from sortkey.web.console.request_log import RequestLog

PAGE = 100
CONSOLE = "console"
"""The actor in the audit log."""
RecentChanges = Callable[[int, str | None], list[RecentChange]]
"""Returns a number of changes, newest first, of one table or of all."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A deployed table. `count` is the service's figure, which is some hours old on AWS."""

    name: str
    system: str
    status: str
    count: int
    bytes: int
    indexes: tuple[str, ...]


class Workspace:
    """A store, its models, and recent activity."""

    def __init__(
        self,
        store: Store,
        models: Sequence[Model],
        log: RequestLog,
        objects: Mapping[str, Objects] | None = None,
        changes: RecentChanges | None = None,
        search: Searches | None = None,
    ) -> None:
        """`changes` is None if the tables have no journal to read, as on AWS."""
        self.store = store
        self.models = {model.name: model for model in models}
        self.log = log
        self.objects: Mapping[str, Objects] = {} if objects is None else objects
        self.changes = changes
        self.search = search
        store.ensure(audit_table)

    # -- models

    @cached_property
    def descriptions(self) -> dict[str, Description]:
        """Every model as plain values, for pages and diagrams."""
        return {name: describe(model) for name, model in self.models.items()}

    def table(self, name: str) -> Table | None:
        """The table of a model by name, or None if no model has it."""
        return next(
            (
                table
                for model in self.models.values()
                for table in model.tables
                if table.name == name
            ),
            None,
        )

    def system_of(self, table: str) -> str:
        names = (
            name
            for name, model in self.models.items()
            if any(declared.name == table for declared in model.tables)
        )
        return next(names, "")

    def entity_of(self, table: str, item: Item) -> type[Entity] | None:
        """The entity of an item, by its kind if the table has kinds, otherwise by its key."""
        declared = self.table(table)
        for entity in declared.entities if declared else ():
            layout = entity.__layout__
            kind = item.get(layout.table.kind_attribute) if layout.kind is not None else None
            if (kind == {"S": layout.kind}) if layout.kind is not None else fits(layout, item):
                return entity
        return None

    def is_guard(self, table: str, item: Item) -> bool:
        """Whether an item is a guard, which the store writes to keep a value unique."""
        declared = self.table(table)
        return declared is not None and item.get(declared.kind_attribute) == {"S": GUARD_KIND}

    def has_guards(self, model: str) -> bool:
        return any(
            entity.__layout__.unique
            for table in self.models[model].tables
            for entity in table.entities
        )

    def places(self) -> dict[str, str]:
        """The names of models and tables by their path in the console."""
        models = {f"/models/{name}": f"Model · {name}" for name in self.models}
        return models | {f"/data?table={name}": f"Table · {name}" for name in self._table_names()}

    # -- tables

    def tables(self) -> list[TableFacts]:
        """Every table, including those of no model."""
        return [self._facts(name) for name in self._table_names()]

    def _table_names(self) -> list[str]:
        names: list[str] = []
        answer = self.call("ListTables", {})
        names += answer["TableNames"]
        while "LastEvaluatedTableName" in answer:
            answer = self.call(
                "ListTables", {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}
            )
            names += answer["TableNames"]
        return names

    def _facts(self, name: str) -> TableFacts:
        description = self.call("DescribeTable", {"TableName": name})["Table"]
        described = _index_descriptions(description)
        indexes = tuple(index["IndexName"] for index in described)
        count, total = int(description["ItemCount"]), int(description["TableSizeBytes"])
        return TableFacts(
            name, self.system_of(name), description["TableStatus"], count, total, indexes
        )

    def key_names(self, table: str, index: str | None = None) -> tuple[str, ...]:
        """The name of the partition key and, if there is one, of the sort key."""
        description = self.call("DescribeTable", {"TableName": table})["Table"]
        described = _index_descriptions(description)
        schema = next(
            (other["KeySchema"] for other in described if other["IndexName"] == index),
            description["KeySchema"],
        )
        ordered = sorted(schema, key=lambda element: element["KeyType"] != "HASH")
        return tuple(element["AttributeName"] for element in ordered)

    # -- items

    def key_of(self, table: str, item: Item) -> Item:
        return {name: item[name] for name in self.key_names(table)}

    def item(self, table: str, key: Item) -> Item | None:
        return self.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get(
            "Item"
        )

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one DynamoDB request to the store's backend."""
        return self.store.backend.call(operation, request)


def _index_descriptions(table: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    return [index for kind in kinds for index in table.get(kind, ())]


def refusal(error: Exception) -> str:
    """An error in one line for the user."""
    text = str(error) or type(error).__name__
    return f"{type(error).__name__}: {text}" if isinstance(error, ServiceError) else text
