"""What the console stands on: one store, the models on it with their tables and kinds of items,
what happened there.
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
"""Who changed it, in the audit."""
RecentChanges = Callable[[int, str | None], list[RecentChange]]
"""So many of the latest changes, newest first: of the table of this name, or of all tables."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table as it is deployed. `count` is what the service says, which on AWS is some
    hours old.
    """

    name: str
    system: str
    status: str
    count: int
    bytes: int
    indexes: tuple[str, ...]


class Workspace:
    """One store, the models on it, and what happened there."""

    def __init__(
        self,
        store: Store,
        models: Sequence[Model],
        log: RequestLog,
        objects: Mapping[str, Objects] | None = None,
        changes: RecentChanges | None = None,
        search: Searches | None = None,
    ) -> None:
        """`changes` is None where the tables have no journal that could be read, as on AWS."""
        self.store = store
        self.models = {model.name: model for model in models}
        self.log = log
        self.objects: Mapping[str, Objects] = {} if objects is None else objects
        self.changes = changes
        self.search = search
        store.ensure(audit_table)

    # -- models

    @cached_property
    def told(self) -> dict[str, Description]:
        """Every model as plain values, for pages and diagrams."""
        return {name: describe(model) for name, model in self.models.items()}

    def table(self, name: str) -> Table | None:
        """The table of a model by its name; None for one that no model knows."""
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
            if any(each.name == table for each in model.tables)
        )
        return next(names, "")

    def entity_of(self, table: str, item: Item) -> type[Entity] | None:
        """The kind of an item, by its name where the table has kinds, else by the form of
        its keys.
        """
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
        return any(
            entity.__layout__.unique
            for table in self.models[model].tables
            for entity in table.entities
        )

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
        answer = self.call("ListTables", {})
        names += answer["TableNames"]
        while "LastEvaluatedTableName" in answer:
            answer = self.call(
                "ListTables", {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}
            )
            names += answer["TableNames"]
        return names

    def _facts(self, name: str) -> TableFacts:
        told = self.call("DescribeTable", {"TableName": name})["Table"]
        several = [*told.get("GlobalSecondaryIndexes", ()), *told.get("LocalSecondaryIndexes", ())]
        indexes = tuple(each["IndexName"] for each in several)
        count, total = int(told["ItemCount"]), int(told["TableSizeBytes"])
        return TableFacts(name, self.system_of(name), told["TableStatus"], count, total, indexes)

    def key_names(self, table: str, index: str | None = None) -> tuple[str, ...]:
        """The partition key's name and, where there is one, the sort key's."""
        told = self.call("DescribeTable", {"TableName": table})["Table"]
        several = [*told.get("GlobalSecondaryIndexes", ()), *told.get("LocalSecondaryIndexes", ())]
        schema = next(
            (each["KeySchema"] for each in several if each["IndexName"] == index), told["KeySchema"]
        )
        ordered = sorted(schema, key=lambda each: each["KeyType"] != "HASH")
        return tuple(each["AttributeName"] for each in ordered)

    # -- items

    def key_of(self, table: str, item: Item) -> Item:
        return {name: item[name] for name in self.key_names(table)}

    def item(self, table: str, key: Item) -> Item | None:
        return self.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get(
            "Item"
        )

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request of DynamoDB, to the tables of this store."""
        return self.store.backend.call(operation, request)


def refusal(error: Exception) -> str:
    """An error as one line for a person."""
    said = str(error) or type(error).__name__
    return f"{type(error).__name__}: {said}" if isinstance(error, ServiceError) else said
