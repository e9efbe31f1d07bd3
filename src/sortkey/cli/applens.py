"""`sortkey applens`: Terraform in, risks out. No server and no store is needed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sortkey.cli.failure import FAILED, USAGE, CommandFailed

DESCRIPTION = """\
Analyse Terraform: a folder, .tf and .tf.json files, `terraform show -json` of a plan or a state, or an archive.
Prints the findings, the ways from the internet to data, and a score. Nothing is connected to, and nothing is run.
"""
EXAMPLES = """\
examples:
  sortkey applens analyze ./infra
  sortkey applens analyze plan.json --fail-on high
  sortkey applens analyze ./infra --format sarif --output applens.sarif

exit codes: 0 analysed; 1 findings of the severity of --fail-on or worse; 2 wrong arguments; 3 not analysed
"""
NOT_ANALYSED = 3
SEVERITIES = ("low", "medium", "high", "critical")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    parser = commands.add_parser("applens", help="analyse Terraform for risks", description=DESCRIPTION)
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    analyze = actions.add_parser(
        "analyze",
        help="graph, findings and score of Terraform",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    analyze.add_argument("paths", nargs="+", metavar="PATH", help="folder, file or archive")
    analyze.add_argument("--format", default="text", choices=("text", "json", "sarif"), help="default: %(default)s")
    analyze.add_argument("--fail-on", choices=SEVERITIES, help="exit with 1 if there is such a finding, or a worse one")
    analyze.add_argument("--output", type=Path, metavar="FILE", help="write there instead of to the terminal")
    analyze.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    analysis = _analysis(options.paths)
    text = _formatted(analysis, options.format)
    if options.output is None:
        print(text, end="")
    else:
        try:
            options.output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandFailed(f"{options.output} cannot be written: {error.strerror}", USAGE) from None
    return FAILED if options.fail_on and analysis.report.at_least(options.fail_on) else 0


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
