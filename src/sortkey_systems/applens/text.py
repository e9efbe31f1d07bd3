"""Pages for the terminal: a report, and what changed from one run to another.

A report starts with what it does not cover, then the findings, the worst first, then the paths to
data.
"""

from __future__ import annotations

from collections.abc import Iterator

from sortkey_systems.applens.comparison import Comparison, in_words, without_ways
from sortkey_systems.applens.report import Finding, Report

PATHS_MAX = 20
PROBLEMS_MAX = 20
CHANGES_MAX = 8
"""Lines on the changes of one resource."""


def page(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def comparison_page(comparison: Comparison) -> str:
    """A line for each thing that was added (+), removed (-) or changed (~), with the details
    below.
    """
    return "\n".join(_compared(comparison)) + "\n"


def _compared(comparison: Comparison) -> Iterator[str]:
    graph = "the same" if comparison.same_graph else "another"
    yield f"{graph} graph, risk {comparison.score_before} → {comparison.score_after}"
    if comparison.is_partial:
        yield from (f"  {when}: {rating}" for when, rating in comparison.ratings().items())
    parts = {
        "nodes": comparison.nodes,
        "edges": comparison.edges,
        "findings": comparison.findings,
        "ways": comparison.ways,
    }
    for part, changes in parts.items():
        what = comparison.what.get(part, {})
        for sign, names in zip(
            "+-~", (changes.added, changes.removed, changes.changed), strict=True
        ):
            for name in names:
                yield f"{sign} {part[:-1]} {comparison.titles.get(name, name)}"
                lines = (
                    without_ways(what.get(name, ())) if part == "findings" else what.get(name, ())
                )
                yield from _first([in_words(line) for line in lines], CHANGES_MAX, "    ")


def _lines(report: Report) -> Iterator[str]:
    if report.coverage and (gaps := report.coverage.gaps):
        yield "Not covered:"
        yield from (f"  {gap}" for gap in gaps)
        yield ""
    counts = report.counts
    asking = f" ({len(report.behind)} behind authentication)" if report.behind else ""
    yield (
        f"{counts['nodeCount']} resources, {counts['edgeCount']} references, "
        f"{counts['internetExposedCount']} exposed to the internet{asking}, "
        f"{counts['datastoreCount']} datastores"
    )
    yield report.rating
    yield "findings: " + ", ".join(f"{n} {name}" for name, n in report.severities().items())
    yield f"graph {report.graph_hash}"
    for finding in report.findings:
        yield ""
        yield from _finding(finding)
    if report.paths:
        yield ""
        yield "From the internet to data:"
        yield from _first([str(path) for path in report.paths], PATHS_MAX)
    for kind, title in (
        ("parse", "Not parsed:"),
        ("source", "Left out:"),
        ("unresolved", "Not resolved:"),
    ):
        if problems := [str(problem) for problem in report.problems if problem.kind == kind]:
            yield ""
            yield title
            yield from _first(problems, PROBLEMS_MAX)


def _finding(finding: Finding) -> Iterator[str]:
    detail = f": {finding.detail}" if finding.detail and "→" not in finding.detail else ""
    yield f"{finding.severity.upper():8} {finding.rule}  {finding.title}{detail}"
    yield f"         {finding.file}:{finding.line}  {', '.join(finding.evidence)}"
    yield f"         {' '.join(finding.mitigations)}"


def _first(lines: list[str], most: int, indent: str = "  ") -> list[str]:
    more = [f"… and {len(lines) - most} more (--json has all)"] if len(lines) > most else []
    return [indent + line for line in (*lines[:most], *more)]
