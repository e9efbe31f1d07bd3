"""The risk report: findings of the rules, paths from the internet to data, and one score with its
reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sortkey_systems.applens.coverage import NOT_RECORDED, Coverage
from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.graph import Graph
from sortkey_systems.applens.guards import guards
from sortkey_systems.applens.problems import Problem
from sortkey_systems.applens.reachability import Path, exposed_paths
from sortkey_systems.applens.rules import RULES, SEVERITIES, Rule, Subject, edge
from sortkey_systems.applens.rules.definition import Hit

WEIGHTS = {"critical": 0.40, "high": 0.18, "medium": 0.06, "low": 0.012}
"""How much of the remainder to 100 the first finding of a rule takes. Further findings of the rule
take a quarter.
"""
CONFIDENCES = {"high": 1.0, "medium": 0.75, "low": 0.5}
REPEATED = 0.25
REPEATS_MAX = 8
"""How many further findings of one rule count: fifty buckets without versioning are one mistake,
not fifty.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule broken in one place. `file` and `line` are where the first resource of the evidence is
    declared.
    """

    id: str
    rule: str
    category: str
    title: str
    severity: str
    confidence: str
    detail: str
    evidence: tuple[str, ...]
    mitigations: tuple[str, ...]
    file: str
    line: int

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "rule": self.rule,
            "category": self.category,
            "title": self.title,
            "severity": self.severity,
            "confidence": self.confidence,
            "detail": self.detail,
            "evidence": list(self.evidence),
            "mitigations": list(self.mitigations),
            "file": self.file,
            "line": self.line,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Finding:
        lists: dict[str, Any] = {
            name: tuple(document[name]) for name in ("evidence", "mitigations")
        }
        return cls(**{**document, **lists})


@dataclass(frozen=True, slots=True)
class Report:
    """`score` is 0 (nothing found in what was covered) to 100. `behind` are the entries that
    require authentication, and its kind.
    """

    score: int
    rationale: list[str]
    findings: list[Finding]
    paths: list[Path]
    problems: list[Problem]
    counts: dict[str, int]
    graph_hash: str
    behind: dict[str, str] = field(default_factory=dict[str, str])
    coverage: Coverage | None = None
    """None for a report of a version that did not record it."""

    @property
    def rating(self) -> str:
        """The score as text, with what it covers."""
        return (
            self.coverage.rating(self.score)
            if self.coverage
            else f"risk {self.score} of 100; {NOT_RECORDED}"
        )

    def to_json(self) -> dict[str, Any]:
        covered = (
            {"coverage": {**self.coverage.to_json(), "rating": self.rating}}
            if self.coverage
            else {}
        )
        return covered | {
            "score": self.score,
            "rationale": self.rationale,
            "counts": self.counts,
            "graphHash": self.graph_hash,
            "severities": self.severities(),
            "findings": [finding.to_json() for finding in self.findings],
            "exposedPaths": [path.to_json() for path in self.paths],
            "behind": self.behind,
            "warnings": [
                problem.to_json() for problem in self.problems if problem.kind != "unresolved"
            ],
            "unresolved": [
                problem.to_json() for problem in self.problems if problem.kind == "unresolved"
            ],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Report:
        """A report from its stored JSON."""
        problems = [
            Problem(**problem) for problem in (*document["warnings"], *document["unresolved"])
        ]
        paths = [
            Path(path["datastore"], tuple(path["steps"]), behind=path.get("behind", ""))
            for path in document["exposedPaths"]
        ]
        findings = [Finding.from_json(finding) for finding in document["findings"]]
        rest = (
            document["rationale"],
            findings,
            paths,
            sorted(problems),
            document["counts"],
            document["graphHash"],
        )
        coverage = Coverage.from_json(document["coverage"]) if "coverage" in document else None
        return cls(
            document["score"], *rest, behind=document.get("behind", {}), coverage=coverage
        )  # older reports have none

    def severities(self) -> dict[str, int]:
        return {
            severity: sum(f.severity == severity for f in self.findings)
            for severity in reversed(SEVERITIES)
        }

    def at_least(self, severity: str) -> list[Finding]:
        """Findings of a severity or worse."""
        return [
            f for f in self.findings if SEVERITIES.index(f.severity) >= SEVERITIES.index(severity)
        ]  # pyright: ignore


def build_report(
    estate: Estate, graph: Graph, problems: list[Problem], coverage: Coverage
) -> Report:
    """All rules over an estate."""
    exposed = frozenset(node.id for node in graph.nodes if node.internetExposed)
    unguarded = {
        address
        for hit in edge.open_route(Subject(estate, graph, [], exposed))
        for address in hit.evidence
    }
    behind = guards(estate, exposed - unguarded)
    paths = exposed_paths(estate, graph, exposed & unguarded, behind)
    subject = Subject(estate, graph, paths, exposed)
    by_id = {
        f.id: f
        for rule in RULES
        for hit in rule.check(subject)
        for f in [_finding(estate, rule, hit)]
    }
    findings = sorted(by_id.values(), key=_order)
    score, shares = scored(findings)
    rationale = [
        f"{coverage.rating(score)}. Each rule takes its share of what is left to 100.",
        *shares,
    ]
    return Report(
        score, rationale, findings, paths, problems, graph.counts, graph.hash, behind, coverage
    )


def _order(finding: Finding) -> tuple[int, str, tuple[str, ...]]:
    return -SEVERITIES.index(finding.severity), finding.rule, finding.evidence  # pyright: ignore[reportArgumentType]


def _finding(estate: Estate, rule: Rule, hit: Hit) -> Finding:
    evidence = tuple(dict.fromkeys(hit.evidence))
    place = estate.by_address.get(evidence[0])
    # A finding keeps its id when its path changes.
    detail = "" if "→" in hit.detail else hit.detail
    key = "|".join((rule.id, evidence[0], detail))
    return Finding(
        id=f"{rule.id}-{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}",
        rule=rule.id,
        category=rule.category,
        title=rule.title,
        severity=hit.severity or rule.severity,
        confidence=rule.confidence,
        detail=hit.detail,
        evidence=evidence,
        mitigations=rule.mitigations,
        file=place.file if place else "",
        line=place.line if place else 1,
    )


def scored(findings: list[Finding]) -> tuple[int, list[str]]:
    """The score, and a line for each rule that contributed, the heaviest first."""
    groups: dict[tuple[str, str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.rule, finding.title, finding.severity].append(finding)
    safe = 1.0
    lines: list[tuple[float, str]] = []
    for (rule, title, severity), group in groups.items():
        weight = WEIGHTS[severity] * CONFIDENCES[group[0].confidence]
        share = (1 - weight) * (1 - weight * REPEATED) ** min(len(group) - 1, REPEATS_MAX)
        safe *= share
        lines.append(
            (
                1 - share,
                f"{rule} {title}: {len(group)} × {severity}, takes {100 * (1 - share):.0f} % of "
                "what is left",
            )
        )
    return round(100 * (1 - safe)), [
        line for _, line in sorted(lines, key=lambda hit: (-hit[0], hit[1]))
    ]
