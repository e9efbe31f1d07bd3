"""The final report as Markdown: the verdict first, then figures, tables, what stayed behind, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey_systems.jobengine.verification.final_report import FinalReport

_FIGURES = (
    ("coverage", "columns of the mapped tables that have a place in TMF"),
    ("validation", "documents with the shape that TMF asks for"),
    ("compliance", "checks by rules that hold"),
)


def written(report: FinalReport, source: str) -> str:
    """The whole text."""
    parts = [f"# Migration of {source}", report.verdict, _figures(report), _tables(report)]
    parts += _section("Rows and values that were not taken over", report.reasons)
    parts += _section("Left behind", report.left_behind)
    parts += _section("References that lead nowhere", report.dangling)
    parts += _section("Rules", report.rules)
    parts += _section("What to do", report.recommendations)
    return "\n\n".join(parts) + "\n"


def _figures(report: FinalReport) -> str:
    lines = ["| what | reached | asked for |", "|---|---|---|"]
    for name, text in _FIGURES:
        reached, asked = report.figures[name], report.figures[f"{name}_threshold"]
        lines.append(f"| {text} | {reached:.1%} | {asked:.0%} |")
    whole = report.figures["references"] - report.figures["references_dangling"]
    lines.append(f"| references that lead somewhere | {whole:.0f} of {report.figures['references']:.0f} | |")
    lines.append(f"| rows a second | {report.figures['rows_per_second']:.0f} | |")
    return "\n".join(lines)


def _tables(report: FinalReport) -> str:
    lines = ["| table | resource | rows | documents | refused | twice |", "|---|---|---|---|---|---|"]
    names = ("table", "resource", "rows", "documents", "refused", "duplicates")
    lines += ["| " + " | ".join(str(each[name]) for name in names) + " |" for each in report.tables]
    return "\n".join(lines)


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {line}" for line in lines)] if lines else []
