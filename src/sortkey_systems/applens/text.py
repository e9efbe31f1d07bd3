"""A report as a page for the terminal: the worst first, then the ways to data, then what was not understood."""

from __future__ import annotations

from collections.abc import Iterator

from sortkey_systems.applens.report import Finding, Report

PATHS_MAX = 20
PROBLEMS_MAX = 20


def page(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    counts = report.counts
    asking = f" ({len(report.behind)} behind authentication)" if report.behind else ""
    yield (
        f"{counts['nodeCount']} resources, {counts['edgeCount']} references, "
        f"{counts['internetExposedCount']} exposed to the internet{asking}, {counts['datastoreCount']} datastores"
    )
    yield f"risk {report.score} of 100: " + ", ".join(f"{n} {name}" for name, n in report.severities().items())
    yield f"graph {report.graph_hash}"
    for finding in report.findings:
        yield ""
        yield from _finding(finding)
    if report.paths:
        yield ""
        yield "From the internet to data:"
        yield from _first([f"  {path}" for path in report.paths], PATHS_MAX)
    for kind, title in (("parse", "Not parsed:"), ("source", "Left out:"), ("unresolved", "Not resolved:")):
        if problems := [f"  {each}" for each in report.problems if each.kind == kind]:
            yield ""
            yield title
            yield from _first(problems, PROBLEMS_MAX)


def _finding(finding: Finding) -> Iterator[str]:
    detail = f": {finding.detail}" if finding.detail and "→" not in finding.detail else ""
    yield f"{finding.severity.upper():8} {finding.rule}  {finding.title}{detail}"
    yield f"         {finding.file}:{finding.line}  {', '.join(finding.evidence)}"
    yield f"         {' '.join(finding.mitigations)}"


def _first(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], f"  … and {len(lines) - most} more (--format json has all)"]
