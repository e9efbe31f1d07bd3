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
    "sortkey models                       those of all installed systems",
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
        bool, typer.Option("--markdown", help="As pages of Markdown, to keep in a wiki.")
    ] = False,
    json: Json = False,
) -> None:
    """Print data models: tables with their keys, indexes and settings; entities with their key
    templates and fields; access patterns with what they do and what they cost; search documents
    with what they are made of and what their fields are for. Nothing is connected to, and nothing
    is read or written.

    Read units are those of items of 1 KB and of reads that need not be consistent: for one item,
    and for 100 where a query finds several. `sortkey explain` has the figures for other sizes and
    numbers.
    """
    from sortkey.model.description import describe, page

    told = [describe(load_model(name)) for name in models or system_names()]
    if json:
        print_json(told)
    elif is_markdown:
        from sortkey.cli.markdown import markdown

        print("\n".join(markdown(each) for each in told), end="")
    else:
        print("\n\n".join(page(each) for each in told), end="")
