"""What the pages of AppLens in the console share."""

from __future__ import annotations

USER = "12345"
"""Whose runs the console shows unless another user is named: the one of the sample."""
WORST_FIRST = ("critical", "high", "medium", "low")
MOST = 300
SHOWN = 50
ALL_RUNS = ("Runs", "/applens")
