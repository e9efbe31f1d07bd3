"""`sortkey models`: data models as a page to read, or as JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands.completion import complete_models
from sortkey.commands.help import examples
from sortkey.commands.models import MODEL_HELP, load_model
from sortkey.commands.options import Json
from sortkey.commands.output import print_json
from sortkey.systems.installed import system_names

EXAMPLES = examples(
    "sortkey models                       all installed systems",
    "sortkey models shop                  one of them",
    "sortkey models shop.model:model      the Model `model` in shop/model.py",
    "sortkey models --markdown shop.model:model > shop.md",
    "sortkey models --json shop           for programs: a list of models",
)


def run(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help=f"{MODEL_HELP} (default: all installed systems)",
            autocompletion=complete_models,
        ),
    ] = None,
    is_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, for example for a wiki.")
    ] = False,
    json: Json = False,
) -> None:
    """Print data models: tables with keys, indexes and settings; entities with key templates and
    fields; access patterns with their requests and costs; search documents with their sources and
    fields. No connection is made, and nothing is read or written.

    Read units assume items of 1 KB and eventually consistent reads: for one item, and for 100 if a
    query can find several. `sortkey explain` calculates other sizes and numbers.
    """
    from sortkey.model.description import describe, page

    descriptions = [describe(load_model(name)) for name in models or system_names()]
    if json:
        print_json(descriptions)
    elif is_markdown:
        from sortkey.cli.markdown import markdown

        print("\n".join(markdown(description) for description in descriptions), end="")
    else:
        print("\n\n".join(page(description) for description in descriptions), end="")
