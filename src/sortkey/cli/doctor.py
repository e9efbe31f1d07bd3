"""`sortkey doctor`: what this machine has, what it lacks, and what for."""

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
        str, typer.Option("--data", metavar="FOLDER", help="The data folder to look at.")
    ] = "data",
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Read the whole database, however large.")
    ] = False,
    json: Json = False,
) -> int:
    """Check this machine: Python and the packages, the extras, ports, the data folder, and what the
    tests need.

    Something that is missing is named with what it is for. The exit code is 1 only when something
    is wrong that keeps Sortkey from running, or data from being read.
    """
    from sortkey.cli.machine import look

    findings = look(data, thorough=thorough)
    problems = [each for each in findings if each.state == "problem"]
    if json:
        print_json({"ok": not problems, "checks": [asdict(each) for each in findings]})
    else:
        _print(findings)
    return FAILED if problems else 0


def _print(findings: list[Finding]) -> None:
    from rich.text import Text

    screen, group = console(soft_wrap=True), ""
    for each in findings:
        if each.group != group:
            group = each.group
            screen.print(Text(f"\n{group}" if each is not findings[0] else group, style="bold"))
        mark, colour = _MARKS[each.state]
        screen.print(Text(f"  {mark} ", style=colour) + Text(f"{each.name:<14} {flat(each.told)}"))
        if each.advice:
            screen.print(Text(f"{'':<19}{each.advice}", style="dim"))
    counts = {state: sum(each.state == state for each in findings) for state in _MARKS}
    screen.print(
        f"\n{counts['problem']} problems, {counts['missing']} missing, {counts['ok']} as they "
        "should be"
    )
