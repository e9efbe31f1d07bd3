"""Renders the final report as Markdown: the verdict, what is missing in the target, then what is
there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey_systems.jobengine.stages.verification_validation.final_report import FinalReport

_COLUMNS = (
    ("table", "table"),
    ("resource", "resource"),
    ("rows", "rows"),
    ("documents", "documents"),
    ("references", "as references"),
    ("refused", "refused"),
    ("duplicates", "twice"),
    ("left_behind", "left behind"),
    ("left_out", "left out"),
)
_SHARES = (
    ("coverage", "columns of the migrated tables that are in the target"),
    ("validation", "documents with the shape that TMF asks for"),
    ("compliance", "checks by rules that hold"),
)


def written(report: FinalReport, source: str) -> str:
    """The whole text."""
    missing = report.missing
    parts = [f"# Migration of {source}", report.verdict]
    parts += _section("Limits that were exceeded", report.exceeded)
    parts += _section("Tables left behind", missing.tables)
    parts += _section("Rows refused", missing.rows)
    parts += _section("References that lead nowhere", missing.references)
    parts += _section("Values that were not taken over", missing.values)
    parts += _section("Columns left behind", missing.columns)
    parts += _section("Not read", missing.unread)
    parts += _section("Losses that the limits allow", report.allowed)
    parts += _section("Left out by rules", missing.left_out)
    parts += ["## Figures", _figures(report), "## Tables of the source", _tables(report)]
    parts += _section("Rules", report.rules)
    parts += _section("What to do", report.recommendations)
    return "\n\n".join(parts) + "\n"


def _figures(report: FinalReport) -> str:
    figures = report.figures
    lines = ["| what | reached | required |", "|---|---|---|"]
    counts = (
        (
            "rows of the source in the target",
            figures["rows"] - figures["rows_left_out"],
            figures["rows_lost"],
        ),
        (
            "columns of the source in the target",
            figures["columns"],
            figures["columns"] - figures["columns_mapped"],
        ),
        ("references that lead somewhere", figures["references"], figures["references_dangling"]),
    )
    lines += [f"| {what} | {total - lost:,.0f} of {total:,.0f}{_percent(total - lost, total)} | |"
              for what, total, lost in counts]  # fmt: skip
    for name, text in _SHARES:
        lines.append(f"| {text} | {figures[name]:.1%} | {figures[f'{name}_threshold']:.0%} |")
    lines.append(f"| rows a second | {figures['rows_per_second']:.0f} | |")
    return "\n".join(lines)


def _percent(part: float, whole: float) -> str:
    return f" ({100 * part / whole:.1f} %)" if whole else ""


def _tables(report: FinalReport) -> str:
    lines = ["| " + " | ".join(title for _, title in _COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    lines += [
        "| " + " | ".join(str(table[name]) for name, _ in _COLUMNS) + " |"
        for table in report.tables
    ]
    return "\n".join(lines)


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {line}" for line in lines)] if lines else []
