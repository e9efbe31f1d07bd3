"""What to say of a table that is not there: nearly always it has not been made yet."""

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
        f"the table {name} is not there: store.ensure(model) makes the tables of a model"
    )
