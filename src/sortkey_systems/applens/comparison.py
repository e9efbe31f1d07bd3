"""Two analyses side by side: what was added, removed and changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sortkey_systems.applens.coverage import NOT_RECORDED
from sortkey_systems.applens.json_differences import differences

NOTHING: Mapping[str, Any] = {"nodes": [], "edges": []}
"""A placeholder for a graph that is known to be equal to the other one."""
WORDS = {"internetExposed": "exposed to the internet", "threatSurface": "threat surface"}
"""Properties of a node besides its attributes, by readable names."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Names, in order. `changed` are those in both that differ."""

    added: list[str]
    removed: list[str]
    changed: list[str]

    def to_json(self) -> dict[str, list[str]]:
        return {"added": self.added, "removed": self.removed, "changed": self.changed}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`same_graph` compares the hashes. Findings may still differ when the rules have changed.

    `ways` are paths from the internet to data, by datastore. `titles` are the titles of the
    findings named here, by id. `what` describes what changed in nodes, edges, findings and paths,
    by name, and which paths were added or removed. It `is_partial` if one of the two analyses did
    not cover everything.
    """

    same_graph: bool
    nodes: Changes
    edges: Changes
    findings: Changes
    score_before: int
    score_after: int
    ways: Changes
    titles: dict[str, str] = field(default_factory=dict[str, str])
    what: dict[str, dict[str, list[str]]] = field(default_factory=dict[str, dict[str, list[str]]])
    rating_before: str = ""
    rating_after: str = ""
    is_partial: bool = False

    def ratings(self) -> dict[str, str]:
        """The scores as text, with what they cover."""
        return {"before": self.rating_before, "after": self.rating_after}

    def to_json(self) -> dict[str, Any]:
        return {
            "sameGraph": self.same_graph,
            "nodes": self.nodes.to_json(),
            "edges": self.edges.to_json(),
            "findings": self.findings.to_json(),
            "score": {"before": self.score_before, "after": self.score_after},
            "rating": self.ratings(),
            "ways": self.ways.to_json(),
            "titles": self.titles,
            "what": self.what,
        }


def compare(
    graph_before: Mapping[str, Any],
    report_before: Mapping[str, Any],
    graph_after: Mapping[str, Any],
    report_after: Mapping[str, Any],
) -> Comparison:
    """Compare the stored JSON of graphs and reports."""
    same = report_before["graphHash"] == report_after["graphHash"]
    parts = {
        "nodes": (_by_id(graph_before["nodes"]), _by_id(graph_after["nodes"])),
        "edges": (_edges(graph_before), _edges(graph_after)),
        "findings": (_findings(report_before), _findings(report_after)),
    }
    nodes, edges, findings = (_changes(*part) for part in parts.values())
    ways = _ways(report_before), _ways(report_after)
    return Comparison(
        same,
        nodes,
        edges,
        findings,
        report_before["score"],
        report_after["score"],
        _changes(*ways),
        _titles(
            {*findings.added, *findings.removed, *findings.changed}, report_before, report_after
        ),
        {**{name: _what(*changes) for name, changes in parts.items()}, "ways": _which(*ways)},
        _rating(report_before),
        _rating(report_after),
        any(report.get("coverage", {}).get("gaps") for report in (report_before, report_after)),
    )


def _rating(report: Mapping[str, Any]) -> str:
    """The rating from the report. Reports of older versions have none."""
    return (
        report["coverage"]["rating"]
        if "coverage" in report
        else f"risk {report['score']} of 100; {NOT_RECORDED}"
    )


def place_of(finding: Mapping[str, Any]) -> str:
    """The resource that a finding blames. For a path to data also its entry, because there may be
    other paths.
    """
    first, *steps = finding["evidence"]
    return f"{first}, through {steps[0]}" if steps and "→" in finding["detail"] else first


def without_ways(lines: Iterable[str]) -> list[str]:
    """What changed in a finding, without its path: paths are listed separately."""
    return [line for line in lines if not line.startswith(("detail: ", "evidence: "))]


def in_words(line: str) -> str:
    """A readable line of `what`."""
    name, colon, rest = line.partition(": ")
    return f"{WORDS.get(name, name)}{colon}{rest}"


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    return Changes(
        added=sorted(after.keys() - before.keys()),
        removed=sorted(before.keys() - after.keys()),
        changed=sorted(
            name for name in before.keys() & after.keys() if before[name] != after[name]
        ),
    )


def _what(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[str]]:
    changed = {
        name: differences(before[name], after[name]) for name in _changes(before, after).changed
    }
    return {
        name: [line.removeprefix("attributes.") for line in lines]
        for name, lines in changed.items()
    }


def _ways(report: Mapping[str, Any]) -> dict[str, str]:
    """The path to each datastore, as text."""
    ways = {
        way["datastore"]: (" → ".join(way["steps"]), way.get("behind"))
        for way in report["exposedPaths"]
    }
    return {
        store: f"{steps} (behind {behind})" if behind else steps
        for store, (steps, behind) in ways.items()
    }


def _which(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        store: [
            f"{word} {ways[store]}"
            for word, ways in (("was", before), ("now", after))
            if store in ways
        ]
        for store in sorted(before.keys() | after.keys())
        if before.get(store) != after.get(store)
    }


def _by_id(items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {item["id"]: item for item in items}


def _edges(graph: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{e['source']} -[{e['relationship']} by {e['attribute']}]-> {e['target']}": e
        for e in graph["edges"]
    }


def _findings(report: Mapping[str, Any]) -> dict[str, Any]:
    """Without line numbers: a finding that moved in its file has not changed."""
    return {
        f["id"]: {name: f[name] for name in f if name not in ("file", "line")}
        for f in report["findings"]
    }


def _titles(ids: set[str], *reports: Mapping[str, Any]) -> dict[str, str]:
    findings = {f["id"]: f for report in reports for f in report["findings"] if f["id"] in ids}
    return {
        id: f"{f['severity']} {f['rule']} {f['title']}: {place_of(f)}"
        for id, f in sorted(findings.items())
    }
