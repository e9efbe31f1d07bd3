"""Two analyses side by side: what came, what went, what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

NOTHING: Mapping[str, Any] = {"nodes": [], "edges": []}
"""A graph that stands for one that is known to be the same as the other."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Names, in order. `changed` has what is in both and not the same."""

    added: list[str]
    removed: list[str]
    changed: list[str]

    def to_json(self) -> dict[str, list[str]]:
        return {"added": self.added, "removed": self.removed, "changed": self.changed}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`same_graph` compares the hashes; findings may differ all the same, when the rules have changed.

    `titles` are the findings that are named here, by id, for people.
    """

    same_graph: bool
    nodes: Changes
    edges: Changes
    findings: Changes
    score_before: int
    score_after: int
    titles: dict[str, str] = field(default_factory=dict[str, str])

    def to_json(self) -> dict[str, Any]:
        return {
            "sameGraph": self.same_graph,
            "nodes": self.nodes.to_json(),
            "edges": self.edges.to_json(),
            "findings": self.findings.to_json(),
            "score": {"before": self.score_before, "after": self.score_after},
            "titles": self.titles,
        }


def compare(
    graph_before: Mapping[str, Any],
    report_before: Mapping[str, Any],
    graph_after: Mapping[str, Any],
    report_after: Mapping[str, Any],
) -> Comparison:
    """Compare by the JSON of graphs and reports, as it was stored."""
    same = report_before["graphHash"] == report_after["graphHash"]
    findings = _changes(_findings(report_before), _findings(report_after))
    return Comparison(
        same,
        _changes(_by_id(graph_before["nodes"]), _by_id(graph_after["nodes"])),
        _changes(_edges(graph_before), _edges(graph_after)),
        findings,
        report_before["score"],
        report_after["score"],
        _titles({*findings.added, *findings.removed, *findings.changed}, report_before, report_after),
    )


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    return Changes(
        added=sorted(after.keys() - before.keys()),
        removed=sorted(before.keys() - after.keys()),
        changed=sorted(name for name in before.keys() & after.keys() if before[name] != after[name]),
    )


def _by_id(items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {item["id"]: item for item in items}


def _edges(graph: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{e['source']} -[{e['relationship']} by {e['attribute']}]-> {e['target']}": e for e in graph["edges"]}


def _findings(report: Mapping[str, Any]) -> dict[str, Any]:
    """Without lines: a finding that moved in its file has not changed."""
    return {f["id"]: {name: f[name] for name in f if name not in ("file", "line")} for f in report["findings"]}


def _titles(wanted: set[str], *reports: Mapping[str, Any]) -> dict[str, str]:
    found = {f["id"]: f for report in reports for f in report["findings"] if f["id"] in wanted}
    return {id: f"{f['severity']} {f['rule']} {f['title']}: {f['evidence'][0]}" for id, f in sorted(found.items())}
