"""Two analyses side by side: what came, what went, what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sortkey_systems.applens.coverage import NOT_RECORDED
from sortkey_systems.applens.json_differences import differences

NOTHING: Mapping[str, Any] = {"nodes": [], "edges": []}
"""A graph that stands for one that is known to be the same as the other."""
WORDS = {"internetExposed": "exposed to the internet", "threatSurface": "threat surface"}
"""Of what a node says besides its attributes, by the names that people use."""


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
    """`same_graph` compares the hashes; findings may differ all the same, when the rules have
    changed.

    `ways` are those from the internet to data, by datastore. `titles` are the findings that are
    named here, by id, for people. `what` says of nodes, edges, findings and ways, by name, what
    changed; of ways that came or went, which. It `is_partial` if something was not covered in one
    of the two.
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
        """The scores in words, with what they are scores of."""
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
    """Compare by the JSON of graphs and reports, as it was stored."""
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
    """As the report has it; one of an older version has none."""
    return (
        report["coverage"]["rating"]
        if "coverage" in report
        else f"risk {report['score']} of 100; {NOT_RECORDED}"
    )


def place_of(finding: Mapping[str, Any]) -> str:
    """What a finding blames; of a way to data also through what it comes in, for there may be
    another way before it.
    """
    first, *steps = finding["evidence"]
    return f"{first}, through {steps[0]}" if steps and "→" in finding["detail"] else first


def without_ways(lines: Iterable[str]) -> list[str]:
    """Of what changed in a finding, all but the way that it tells: ways are listed by themselves,
    whole.
    """
    return [line for line in lines if not line.startswith(("detail: ", "evidence: "))]


def in_words(line: str) -> str:
    """A line of `what`, for people."""
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
    """The way to each datastore, in words."""
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
    """Without lines: a finding that moved in its file has not changed."""
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
