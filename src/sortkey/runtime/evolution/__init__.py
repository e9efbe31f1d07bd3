"""Models that change while their data stay: plans of what to change in what is deployed, and
backfills that bring stored items up to date. Stores have them as `plan`, `apply` and `backfill`.
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
