"""`sortkey explain`: what one access pattern does and costs, for given arguments, sizes and numbers of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.completing import complete_models
from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.loading import MODEL_HELP, load_model
from sortkey.cli.options import Json
from sortkey.cli.printing import print_json

if TYPE_CHECKING:
    from sortkey.model.patterns import AccessPattern

EXAMPLES = """\
examples:
  sortkey explain jobengine Stage.of_journey
  sortkey explain jobengine:Stage.in_order order=7
  sortkey explain jobengine journey_details --items 22 --item-bytes 2000
"""


def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP, autocompletion=complete_models)],
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="Its name, as `sortkey models` prints it.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE", help="Arguments of the pattern.")
    ] = None,
    items: Annotated[int, typer.Option(min=1, metavar="N", help="Items that it finds.")] = 1,
    item_bytes: Annotated[int, typer.Option(min=1, metavar="B", help="Size of one.")] = 1024,
    json: Json = False,
) -> None:
    """Explain an access pattern of a model: the operation, the index, the key condition, the filter, and what it
    costs. Arguments that are not given are made up. Nothing is connected to, and nothing is read or written.
    """
    from sortkey.errors import ModelError
    from sortkey.model.patterns import named

    given = dict(split_argument(each) for each in arguments or ())
    try:
        found = named(load_model(model).patterns(), pattern)
        explanation = found.explain(items=items, item_bytes=item_bytes, **typed(found, given))
    except ModelError as error:
        raise CommandFailed(str(error), USAGE) from None
    if json:
        from dataclasses import asdict

        print_json({"doc": found.doc, **asdict(explanation)})
    else:
        print(f"{found.doc}\n{explanation}" if found.doc else explanation)


def typed(pattern: AccessPattern, arguments: dict[str, str]) -> dict[str, Any]:
    """Texts as the values that the pattern's parameters have. What may be left out makes its own of a text."""
    from pydantic import TypeAdapter, ValidationError

    from sortkey.model.describing import parameters_of

    known = [each.name for each in parameters_of(pattern)]
    typed: dict[str, Any] = {}
    for name, text in arguments.items():
        if name not in known:
            raise CommandFailed(f"{pattern.name} takes {', '.join(known) or 'nothing'}, and no {name}", USAGE)
        try:
            typed[name] = TypeAdapter(pattern.parameters.get(name, Any)).validate_python(text)
        except ValidationError as error:
            raise CommandFailed(f"{name}={text}: {error.errors()[0]['msg']}", USAGE) from None
    return typed


def split_argument(text: str) -> tuple[str, str]:
    """`name=value` in two."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise CommandFailed(f"{text!r} is no argument: write it as name=value", USAGE)
    return name, value
