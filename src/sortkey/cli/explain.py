"""`sortkey explain`: what one access pattern does and costs, for given arguments, sizes and numbers of items."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.loading import MODEL_HELP, load_model

if TYPE_CHECKING:
    from sortkey.model.patterns import AccessPattern

DESCRIPTION = """\
Explain an access pattern of a model: the operation, the index, the key condition, the filter, and what it costs.
Arguments that are not given are made up. Nothing is connected to, and nothing is read or written.
"""
EXAMPLES = """\
examples:
  sortkey explain jobengine Stage.of_journey
  sortkey explain jobengine Stage.key journey_id=JRN-ABC123456789 order=1 stage_id=raw_analysis
  sortkey explain jobengine journey_details --items 22 --item-bytes 2000
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    parser = commands.add_parser(
        "explain",
        help="what an access pattern does and costs",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument("pattern", metavar="PATTERN", help="its name, as `sortkey models` prints it")
    parser.add_argument("arguments", nargs="*", metavar="NAME=VALUE", type=_argument, help="arguments of the pattern")
    parser.add_argument("--items", type=_number, default=1, metavar="N", help="items that it finds (default: 1)")
    parser.add_argument("--item-bytes", type=_number, default=1024, metavar="B", help="size of one (default: 1024)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from sortkey.errors import ModelError
    from sortkey.model.patterns import named

    try:
        pattern = named(load_model(options.model).patterns(), options.pattern)
        arguments = _typed(pattern, dict(options.arguments))
        explanation = pattern.explain(items=options.items, item_bytes=options.item_bytes, **arguments)
    except ModelError as error:
        raise CommandFailed(str(error), USAGE) from None
    print(f"{pattern.doc}\n{explanation}" if pattern.doc else explanation)
    return 0


def _typed(pattern: AccessPattern, arguments: dict[str, str]) -> dict[str, Any]:
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


def _argument(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is no argument: write it as name=value")
    return name, value


def _number(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 1")
    return int(text)
