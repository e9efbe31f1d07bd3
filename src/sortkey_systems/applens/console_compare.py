"""Two runs side by side in the console: what is new, what is fixed, and what changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces, title
from sortkey_systems.applens.comparison import Changes, Comparison, in_words, place_of, without_ways
from sortkey_systems.applens.console_names import MOST, SHOWN, USER, WORST_FIRST
from sortkey_systems.applens.coverage import risk_figure
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.service import AppLens

Report = Mapping[str, Any]
Word = tuple[str, pieces.Tone]
FIXED: tuple[Word, Word, Word] = (("new", "warn"), ("fixed", "good"), ("changed", "note"))
CLOSED: tuple[Word, Word, Word] = (("new", "warn"), ("closed", "good"), ("changed", "note"))
NEUTRAL: tuple[Word, Word, Word] = (("new", "note"), ("gone", ""), ("changed", "note"))


def compare_page(service: AppLens, user: str = USER) -> None:
    title(
        "Compare two runs",
        "What is new, what is fixed, what changed, and what that did to the score.",
    )
    ready = [run for run in service.runs(user, size=SHOWN).items if run.status == "COMPLETE"]
    if len(ready) < 2:
        pieces.empty("Two complete runs are needed.", link=("Upload some Terraform", "/applens"))
        return
    names = {
        run.run_id: f"{run.run_id} · {run.environment} · {run.created_at:%m-%d %H:%M:%S}"
        for run in ready
    }
    with ui.element("div").classes("sk-card sk-row"):
        before = (
            ui.select(names, label="Before", value=_before(ready).run_id)
            .props("outlined dense")
            .style("min-width: 18rem")
        )
        after = (
            ui.select(names, label="After", value=ready[0].run_id)
            .props("outlined dense")
            .style("min-width: 18rem")
        )
        pieces.button("Compare", lambda: draw(), icon="difference")
    result = ui.element("div").classes("sk-stack").style("gap: 1rem")

    def draw() -> None:
        result.clear()
        with result:
            _comparison(service, user, str(before.value), str(after.value))

    draw()


def _before(ready: Sequence[Run]) -> Run:
    """The run to compare the newest with by default: the previous one of the same environment."""
    newest, *others = ready
    return next((run for run in others if run.environment == newest.environment), others[0])


def _comparison(service: AppLens, user: str, before: str, after: str) -> None:
    comparison = service.compare(user, before, after)
    reports = [json.loads(service.report(user, run_id)) for run_id in (before, after)]
    ways = [str(len(report["exposedPaths"])) for report in reports]
    with ui.element("section").classes("sk-card sk-row").style("gap: 0.75rem 2.25rem"):
        pieces.figure(" → ".join(risk_figure(report)[0] for report in reports), "risk, of 100")
        pieces.figure(str(len(comparison.findings.added)), "new findings")
        pieces.figure(str(len(comparison.findings.removed)), "fixed")
        pieces.figure(" → ".join(ways), "paths to data")
    if comparison.is_partial:
        with ui.element("section").classes("sk-card sk-stack"):
            for when, rating in comparison.ratings().items():
                ui.label(f"{when}: {rating}").classes("sk-small").style("color: var(--warn)")
    _findings(comparison, *reports)
    _part(
        "Paths from the internet to data", comparison.ways, CLOSED, comparison.what.get("ways", {})
    )
    _part("Resources", comparison.nodes, NEUTRAL, comparison.what.get("nodes", {}))
    count = sum(
        map(len, (comparison.edges.added, comparison.edges.removed, comparison.edges.changed))
    )
    if count:
        pieces.fold(lambda: _edges(comparison), f"References between resources: {count:,} differ")


def _findings(comparison: Comparison, before: Report, after: Report) -> None:
    findings = {
        finding["id"]: finding for report in (before, after) for finding in report["findings"]
    }
    direct = {way["datastore"] for way in before["exposedPaths"] if len(way["steps"]) == 2}
    with ui.element("section").classes("sk-card sk-stack"):
        pieces.heading("Findings")
        for word, ids in _several(comparison.findings, FIXED):
            worst_first = sorted(
                (findings[id] for id in ids),
                key=lambda finding_id: WORST_FIRST.index(finding_id["severity"]),
            )
            for finding_id in worst_first[:MOST]:
                text = finding_text(finding_id, direct if word[0] == "new" else ())
                _line(
                    word,
                    text,
                    without_ways(comparison.what["findings"].get(finding_id["id"], ())),
                    finding_id,
                )
        _nothing(comparison.findings)


def finding_text(finding: Mapping[str, Any], reached_directly: Iterable[str] = ()) -> str:
    """A finding in one line. If a longer path remains where a shorter one was closed, the line says
    so: it is not a regression.
    """
    text = f"{finding['title']} · {place_of(finding)}"
    if finding["rule"] == "PATH-01" and finding["evidence"][0] in reached_directly:
        return f"{text}. It was reached directly before; this longer path remains."
    return text


def _part(
    name: str, changes: Changes, words: tuple[Word, Word, Word], what: Mapping[str, Sequence[str]]
) -> None:
    with ui.element("section").classes("sk-card sk-stack"):
        pieces.heading(name)
        for word, several in _several(changes, words):
            for change in several[:MOST]:
                _line(word, change, what.get(change, ()))
        _nothing(changes)


def _edges(comparison: Comparison) -> None:
    with ui.element("div").classes("sk-stack"):
        for word, several in _several(comparison.edges, NEUTRAL):
            for edge in several[:MOST]:
                _line(word, _reference(edge), comparison.what["edges"].get(edge, ()))


def _reference(name: str) -> str:
    """`a -[belongs_to by vpc_id]-> b` as `a belongs to b (vpc_id)`."""
    source, _, rest = name.partition(" -[")
    how, _, target = rest.partition("]-> ")
    relationship, _, attribute = how.partition(" by ")
    return f"{source} {relationship.replace('_', ' ')} {target} ({attribute})"


def _several(changes: Changes, words: tuple[Word, Word, Word]) -> Iterable[tuple[Word, list[str]]]:
    return zip(words, (changes.added, changes.removed, changes.changed), strict=True)


def _nothing(changes: Changes) -> None:
    if not (changes.added or changes.removed or changes.changed):
        pieces.quiet("No difference.")


def _line(
    word: Word, text: str, lines: Sequence[str], finding: Mapping[str, Any] | None = None
) -> None:
    with ui.element("div").classes("sk-tagged"):
        ui.html(pieces.chip_html(*word), sanitize=False)
        if finding is not None:
            ui.html(pieces.chip_html(finding["severity"]), sanitize=False)
        with ui.element("div").classes("sk-stack").style("gap: 0.15rem"):
            ui.label(text).classes("sk-small") if finding is not None else pieces.mono(text)
            for line in lines:
                pieces.quiet(in_words(line))
