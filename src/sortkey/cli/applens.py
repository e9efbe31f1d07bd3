"""`sortkey applens`: Terraform in, risks out. No server and no store is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sortkey.cli.failure import FAILED, USAGE, CommandFailed

EXAMPLES = """\
examples:
  sortkey applens analyze ./infra
  sortkey applens analyze plan.json --fail-on high
  sortkey applens analyze ./infra --format sarif --output applens.sarif

exit codes: 0 analysed; 1 findings of the severity of --fail-on or worse; 2 wrong arguments; 3 not analysed
"""
NOT_ANALYSED = 3

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """Analyse Terraform for risks."""


@app.command(epilog=EXAMPLES)
def analyze(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Folder, file or archive.")],
    form: Annotated[Literal["text", "json", "sarif"], typer.Option("--format", help="What to print.")] = "text",
    fail_on: Annotated[
        Literal["low", "medium", "high", "critical"] | None,
        typer.Option(help="Exit with 1 if there is such a finding, or a worse one."),
    ] = None,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write there instead of to the terminal.")] = None,
) -> int:
    """Analyse Terraform: a folder, .tf and .tf.json files, `terraform show -json` of a plan or a state, or an archive.

    Prints the findings, the ways from the internet to data, and a score. Nothing is connected to, and nothing is run.
    """
    analysis = _analysis(paths)
    text = _formatted(analysis, form)
    if output is None:
        print(text, end="")
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandFailed(f"{output} cannot be written: {error.strerror}", USAGE) from None
    return FAILED if fail_on and analysis.report.at_least(fail_on) else 0


def _analysis(paths: list[str]) -> Any:
    from importlib import import_module

    try:  # by name: the library does not know the systems on it
        system = import_module("sortkey_systems.applens.analysis")
        problems = import_module("sortkey_systems.applens.problems")
    except ModuleNotFoundError as error:
        raise CommandFailed(f"{error}: install sortkey[systems]", USAGE) from None
    try:
        return system.analyze(paths)
    except problems.AnalysisFailed as failure:
        raise CommandFailed(str(failure), NOT_ANALYSED) from None
    except OSError as error:
        raise CommandFailed(f"{error.filename}: {error.strerror}", NOT_ANALYSED) from None


def _formatted(analysis: Any, form: str) -> str:
    import json
    from importlib import import_module

    from sortkey import __version__

    if form == "text":
        return import_module("sortkey_systems.applens.text").page(analysis.report)
    if form == "json":
        told = {**analysis.report.to_json(), "graph": analysis.graph.to_json()}
    else:
        told = import_module("sortkey_systems.applens.sarif").to_sarif(analysis.report, __version__)
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
