"""The static rules. Each file is one subject; importing them fills `RULES`, in the order of their
ids.
"""

from __future__ import annotations

from sortkey_systems.applens.rules import (
    containers,
    databases,
    edge,
    identity,
    network,
    storage,
    workloads,
)
from sortkey_systems.applens.rules.definition import RULES as _RULES
from sortkey_systems.applens.rules.definition import SEVERITIES, Hit, Rule, Severity, Subject

RULES: tuple[Rule, ...] = tuple(_RULES[id] for id in sorted(_RULES))

__all__ = [
    "RULES",
    "SEVERITIES",
    "Hit",
    "Rule",
    "Severity",
    "Subject",
    "containers",
    "databases",
    "edge",
    "identity",
    "network",
    "storage",
    "workloads",
]
