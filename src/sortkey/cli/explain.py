"""`sortkey explain`: what one access pattern does and costs, for given arguments, sizes and numbers
of items.
"""

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
    items: Annotated[int, typer.Option(min=1, metavar="N", help="Items that it finds.")] = 1,
    item_bytes: Annotated[int, typer.Option(min=1, metavar="B", help="Size of one.")] = 1024,
    json: Json = False,
) -> None:
    """Explain an access pattern of a model: the operation, the index, the key condition, the
    filter, and what it costs. Arguments that are not given are made up. Nothing is connected to,
    and nothing is read or written.
    """
    from sortkey.errors import ModelError

    found, given = read_call(pattern, arguments or ())
    try:
        explanation = found.explain(items=items, item_bytes=item_bytes, **typed(found, given))
    except ModelError as error:
        raise CommandFailed(str(error), USAGE) from None
    if json:
        from dataclasses import asdict

        print_json({"doc": found.doc, **asdict(explanation)})
    else:
        print(f"{found.doc}\n{explanation}" if found.doc else explanation)
