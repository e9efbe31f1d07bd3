"""The error for a missing table, which usually has not been created yet."""

from __future__ import annotations

from typing import Any

from sortkey.errors import TableMissing


def missing_table(request: dict[str, Any]) -> TableMissing:
    """The error for a read or write of items."""
    name = (
        request.get("TableName")
        or ", ".join(request.get("RequestItems", ()))
        or "of the transaction"
    )
    return TableMissing(
        f"the table {name} does not exist: store.ensure(model) creates the tables of a model"
    )
