"""Making tables that another process makes in the same moment."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey import Store, Table
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.errors import ResourceNotFoundException

busy = Table("busy", key=("PK",), ttl="expiresAt")


def test_a_table_that_another_process_has_just_made_is_fine(
    sortkey_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two workers that are started together both find that their table is missing.
    store = Store(EmbeddedBackend(sortkey_engine))
    store.ensure(busy)
    real, looks = store.backend.call, iter([True])

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "DescribeTable" and next(looks, False):
            raise ResourceNotFoundException("not yet")  # what it saw just before the other made it
        return real(operation, request)

    monkeypatch.setattr(store.backend, "call", call)
    assert store.ensure(busy) == []
