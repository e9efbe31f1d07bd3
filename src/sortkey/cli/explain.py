"""`sortkey explain`: what an access pattern does and costs, for given arguments and item sizes."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Json
from sortkey.commands.output import print_json
from sortkey.commands.pattern_arguments import Arguments, Called, read_call, typed

EXAMPLES = examples(
    "sortkey explain shop Order.of_customer",
    "sortkey explain shop:Order.of_day day=2026-05-01",
    "sortkey explain shop customer_details --items 22 --item-bytes 2000",
)


def run(
    pattern: Called,
    arguments: Arguments = None,
    items: Annotated[int, typer.Option(min=1, metavar="N", help="Number of items found.")] = 1,
    item_bytes: Annotated[int, typer.Option(min=1, metavar="B", help="Size of an item.")] = 1024,
    json: Json = False,
) -> None:
    """Explain an access pattern of a model: the operation, the index, the key condition, the
    filter, and the cost.

    Arguments that you omit are filled with examples. No connection is made, and nothing is read or
    written.
    """
    from sortkey.errors import ModelError

    access_pattern, texts = read_call(pattern, arguments or ())
    try:
        values = typed(access_pattern, texts)
        explanation = access_pattern.explain(items=items, item_bytes=item_bytes, **values)
    except ModelError as error:
        raise CommandFailed(str(error), USAGE) from None
    if json:
        from dataclasses import asdict

        print_json({"doc": access_pattern.doc, **asdict(explanation)})
    else:
        doc = access_pattern.doc
        print(f"{doc}\n{explanation}" if doc else explanation)
