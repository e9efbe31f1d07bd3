"""What a rule is: its texts as data, and one small function that finds where it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.graph import Graph
from sortkey_systems.applens.reachability import Path
from sortkey_systems.applens.resources import Resource

Severity = Literal["low", "medium", "high", "critical"]
Confidence = Literal["low", "medium", "high"]
SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high", "critical")
STRIDE = {
    "S": "Spoofing",
    "T": "Tampering",
    "R": "Repudiation",
    "I": "Information disclosure",
    "D": "Denial of service",
    "E": "Elevation of privilege",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What rules check."""

    estate: Estate
    graph: Graph
    paths: list[Path]
    exposed: frozenset[str] = frozenset()

    def of(self, *kinds: str) -> Iterator[Resource]:
        return self.estate.of(*kinds)


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule is broken: addresses, the first of them to blame. Its own severity
    overrides the rule's.
    """

    evidence: tuple[str, ...]
    detail: str = ""
    severity: Severity | None = None


Check = Callable[[Subject], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """`evidence` says which addresses a finding names, `why` what can happen."""

    id: str
    title: str
    category: str
    severity: Severity
    confidence: Confidence
    why: str
    evidence: str
    mitigations: tuple[str, ...]
    check: Check = field(repr=False, compare=False)


RULES: dict[str, Rule] = {}


def rule(
    id: str,
    title: str,
    stride: Literal["S", "T", "R", "I", "D", "E"],
    severity: Severity,
    *,
    why: str,
    evidence: str,
    fix: str | tuple[str, ...],
    confidence: Confidence = "high",
) -> Callable[[Check], Check]:
    """Register a check as a rule."""

    def registered(check: Check) -> Check:
        if id in RULES:
            raise ValueError(f"two rules have the id {id}")
        fixes = (fix,) if isinstance(fix, str) else fix
        RULES[id] = Rule(
            id, title, STRIDE[stride], severity, confidence, why, evidence, fixes, check
        )
        return check

    return registered
