"""`sortkey doctor`: what this machine has, what is missing, and what needs it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.commands.failure import FAILED
from sortkey.commands.help import examples
from sortkey.commands.options import Json
from sortkey.commands.output import console, print_json
from sortkey.commands.table_output import flat

if TYPE_CHECKING:
    from sortkey.cli.machine import Finding

EXAMPLES = examples(
    "sortkey doctor",
    "sortkey doctor --data /srv/shop --thorough",
    "sortkey doctor --json",
)
_MARKS = {"ok": ("✓", "green"), "missing": ("–", "yellow"), "problem": ("✗", "red")}


def run(
    data: Annotated[
        str, typer.Option("--data", metavar="FOLDER", help="The data folder to check.")
    ] = "data",
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Read the whole database, even a large one.")
    ] = False,
    json: Json = False,
) -> int:
    """Check this machine: Python and packages, extras, ports, the data folder, and programs that
    the tests need.

    The report says what needs each thing that is missing. The exit code is 1 only if a problem
    keeps Sortkey from running or from reading its data.
    """
    from sortkey.cli.machine import check

    findings = check(data, thorough=thorough)
    problems = [finding for finding in findings if finding.state == "problem"]
    if json:
        print_json({"ok": not problems, "checks": [asdict(finding) for finding in findings]})
    else:
        _print(findings)
    return FAILED if problems else 0


def _print(findings: list[Finding]) -> None:
    from rich.text import Text

    screen, group = console(soft_wrap=True), ""
    for finding in findings:
        if finding.group != group:
            group = finding.group
            screen.print(Text(f"\n{group}" if finding is not findings[0] else group, style="bold"))
        mark, colour = _MARKS[finding.state]
        line = Text(f"{finding.name:<14} {flat(finding.detail)}")
        screen.print(Text(f"  {mark} ", style=colour) + line)
        if finding.advice:
            screen.print(Text(f"{'':<19}{finding.advice}", style="dim"))
    counts = {state: sum(finding.state == state for finding in findings) for state in _MARKS}
    problems = "1 problem" if counts["problem"] == 1 else f"{counts['problem']} problems"
    screen.print(f"\n{problems}, {counts['missing']} missing, {counts['ok']} OK")
