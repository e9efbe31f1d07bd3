"""Changes of models with existing data: plans for changes of deployed tables, and backfills that
bring stored items up to date. Stores have them as `plan`, `apply` and `backfill`.
"""

from __future__ import annotations

from sortkey.runtime.evolution.plans import AddIndex, ByHand, Change, CreateTable, Fill, Plan
from sortkey.runtime.evolution.progress import Backfilled, Progress
from sortkey.runtime.evolution.state import evolution_table

__all__ = [
    "AddIndex",
    "Backfilled",
    "ByHand",
    "Change",
    "CreateTable",
    "Fill",
    "Plan",
    "Progress",
    "evolution_table",
]
