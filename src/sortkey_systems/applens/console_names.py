"""Names that the AppLens pages of the console share."""

from __future__ import annotations

USER = "12345"
"""The user whose runs the console shows by default: that of the sample."""
WORST_FIRST = ("critical", "high", "medium", "low")
MOST = 300
SHOWN = 50
ALL_RUNS = ("Runs", "/applens")
