"""`sortkey models`: data models as a page to read, or as JSON."""

from __future__ import annotations

import argparse

from sortkey.cli.loading import MODEL_HELP, SYSTEMS, load_model

DESCRIPTION = """\
Print data models: tables with their keys, indexes and settings; entities with their key templates and fields;
access patterns with what they do and what they cost. Nothing is connected to, and nothing is read or written.

Read units are those of items of 1 KB and of reads that need not be consistent: for one item, and for 100 where
a query finds several. `sortkey explain` has the figures for other sizes and numbers.
"""
EXAMPLES = """\
examples:
  sortkey models                       all that ship with Sortkey
  sortkey models jobengine             one of them
  sortkey models shop.model:model      the Model with the name `model` in shop/model.py
  sortkey models --json vams           for programs: a list with one object a model
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    parser = commands.add_parser(
        "models",
        help="print data models, with their access patterns",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{MODEL_HELP} (default: all that ship)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from sortkey.model.describing import describe, page

    told = [describe(load_model(name)) for name in options.models or SYSTEMS]
    if options.json:
        import json

        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print("\n\n".join(page(each) for each in told), end="")
    return 0
