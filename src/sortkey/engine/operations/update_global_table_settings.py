"""UpdateGlobalTableSettings: there is no global table, as this engine is one region."""

from __future__ import annotations

from sortkey.engine.operations.describe_global_table import run

__all__ = ["run"]
