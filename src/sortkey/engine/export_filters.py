"""FilterSpecification of an export: which items and attributes it writes, with the expressions of
Query and Scan.

A full export filters by each item. An incremental one filters by the latest image, or by the old
one of a deleted item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sortkey.engine.parameters import project
from sortkey.engine.reads import check_paths
from sortkey.engine.tables import Table
from sortkey.expressions.conditions import Condition
from sortkey.expressions.key_conditions import KeyCondition, check_filter
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import Item

EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")


@dataclass(frozen=True, slots=True)
class ExportFilter:
    """The compiled expressions of a specification. Missing ones are None."""

    key: KeyCondition | None = None
    condition: Condition | None = None
    projection: Projection | None = None

    def keeps(self, item: Item) -> bool:
        return self.condition is None or self.condition(item)

    def project(self, item: Item) -> Item:
        return item if self.projection is None else self.projection(item)


def read(specification: dict[str, Any] | None) -> ExportFilter:
    """The filter of a request or a running export. Without one, everything is exported."""
    if not specification:
        return ExportFilter()
    context = Placeholders.of(specification, EXPRESSIONS, EXPRESSIONS[1:])
    text, key = specification.get("FilterExpression"), specification.get("KeyConditionExpression")
    condition = None if text is None else context.condition(text, "FilterExpression")
    projection = project(context, specification)
    filters = ExportFilter(
        None if key is None else context.key_condition(key), condition, projection
    )
    context.finish()
    return filters


def check(table: Table, filters: ExportFilter) -> None:
    """Check the expressions against the table: with a key condition, the filter must be on other
    attributes.
    """
    check_paths(table, filters.condition, filters.projection)
    if filters.key is not None and filters.condition is not None:
        check_filter(filters.condition, table.key.names)
    bounds(table, filters)  # refuses a condition that does not match this key


def bounds(table: Table, filters: ExportFilter) -> list[str | None] | None:
    """The range of row keys that the key condition allows, in hexadecimal because an export's state
    is JSON.
    """
    if filters.key is None:
        return None
    resolved = filters.key.resolve(table.key.hash, table.key.range, table.types, None)
    operator: Any = resolved.operator
    partition = table.schema.partition(resolved.hash_values)
    lower, upper = table.schema.bounds(partition, resolved.equals, operator, resolved.operands)
    return [lower.hex(), None if upper is None else upper.hex()]


def within(limits: list[str | None] | None, key: bytes) -> bool:
    """Whether a row key is within such bounds."""
    if limits is None:
        return True
    lower, upper = limits
    return key.hex() >= (lower or "") and (upper is None or key.hex() < upper)
