"""The names of the tables that Sortkey keeps for itself: API keys, jobs, stream checkpoints, audit,
evolution.

The prefix alone marks such a table, so the engine need not know where it is declared.
"""

from __future__ import annotations

OWN_PREFIX = "sortkey-"


def is_own(table_name: str) -> bool:
    return table_name.startswith(OWN_PREFIX)
