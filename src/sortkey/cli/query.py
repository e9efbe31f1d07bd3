"""`sortkey query`: runs a named access pattern of a model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.columns import by_use, in_order
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Data, Json, open_store
from sortkey.commands.output import print_json
from sortkey.commands.pattern_arguments import Arguments, Called, read_call, typed
from sortkey.commands.table_output import print_records, print_table

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.patterns import AccessPattern, Read
    from sortkey.runtime.store import Store

EXAMPLES = examples(
    "sortkey query shop:Order.of_customer customer_id=ada",
    "sortkey query shop Order.of_customer customer_id=ada",
    "sortkey query shop.model:model:Order.of_customer customer=ada",
    "sortkey query shop:latest_order customer_id=ada --data http://localhost:8000",
    "sortkey query shop:Order.all --columns number,state",
    "sortkey query shop:Order.all --limit 100 --json",
)


def run(
    pattern: Called,
    arguments: Arguments = None,
    data: Data = "data",
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of items.")] = 25,
    cursor: Annotated[
        str | None,
        typer.Option(metavar="CURSOR", help="Continue after the page that printed this cursor."),
    ] = None,
    descending: Annotated[
        bool, typer.Option("--descending", help="Reverse the order of the sort key.")
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Only these fields, separated by commas, in this order."
        ),
    ] = None,
    all_fields: Annotated[
        bool, typer.Option("--all", help="Every field of every item, one per line.")
    ] = False,
    json: Json = False,
) -> None:
    """Run an access pattern of a model and print the items it finds.

    You can omit the model if only one installed system has a pattern of that name. A page has up to
    --limit items. If there are more, the cursor of the next page is printed. A terminal shows a
    table of the fields that fit, the most useful first. A pipe gets all fields, separated by tabs.
    """
    access_pattern, texts = read_call(pattern, arguments or ())
    read = _read(access_pattern, texts)
    with open_store(data) as store:
        kinds, next_cursor = _fetch(store, read, limit, cursor, descending)
    if json:
        _print_json(access_pattern, kinds, next_cursor)
        return
    wanted = None if columns is None else [name.strip() for name in columns.split(",")]
    for kind, entities in kinds.items():
        _print_kind(kind if len(kinds) > 1 else None, entities, wanted, all_fields)
    if not any(kinds.values()):
        print("nothing found", file=sys.stderr)
    if next_cursor is not None:
        print(f"more: --cursor {next_cursor}", file=sys.stderr)


def _read(pattern: AccessPattern, texts: dict[str, str]) -> Read:
    from sortkey.errors import ModelError
    from sortkey.model.description import parameters_of

    values = typed(pattern, texts)
    missing = [
        parameter.name
        for parameter in parameters_of(pattern)
        if parameter.default is parameter.empty and parameter.name not in texts
    ]
    if missing:
        wanted = " ".join(f"{name}=…" for name in missing)
        raise CommandFailed(f"{pattern.name} needs {', '.join(missing)}: add {wanted}", USAGE)
    try:
        return pattern.function(**values)
    except ModelError as error:  # a value that is not allowed in a key
        raise CommandFailed(str(error), USAGE) from None


Kinds = dict[str, list["Entity"]]
"""Entities by the name of their class."""


def _fetch(
    store: Store, read: Read, limit: int, cursor: str | None, descending: bool
) -> tuple[Kinds, str | None]:
    from sortkey.model.collections import CollectionQuery
    from sortkey.model.queries import ItemKey, Query
    from sortkey.model.query_requests import whole

    if isinstance(read, Query) and read.limited_to is None:
        page = store.page(
            whole(read.descending() if descending else read), cursor=cursor, size=limit
        )
        return {read.entity.__name__: list(page.items)}, page.cursor
    if cursor is not None or descending:
        raise CommandFailed(
            "this pattern has no pages and a fixed order: omit --cursor and --descending", USAGE
        )
    if isinstance(read, ItemKey):
        entity = store.find(read)
        return {read.entity.__name__: [] if entity is None else [entity]}, None
    if isinstance(read, CollectionQuery):
        grouped = store.collection(read)
        return {member.__name__: list(grouped.of(member)) for member in read.members}, None
    return {read.entity.__name__: list(store.query(whole(read)))}, None


def _print_kind(
    title: str | None, entities: list[Entity], wanted: list[str] | None, is_all: bool
) -> None:
    if not entities:
        return
    rows, keys = [_dumped(entity) for entity in entities], _key_fields(type(entities[0]))
    columns = in_order(rows, keys) if wanted is None else _known(entities[0], wanted)
    cells = [[row.get(name) for name in columns] for row in rows]
    if is_all:
        print_records(columns, cells, title)
    else:
        whole = len(keys) if wanted is None else len(columns)
        order = by_use(rows, columns, keys) if wanted is None else ()
        print_table(
            columns,
            cells,
            title,
            whole=whole,
            order=order,
            more="--all shows everything, --columns selects fields",
        )


def _key_fields(kind: type[Entity]) -> list[str]:
    """The fields that identify an item."""
    by_attribute = kind.__layout__.by_attribute
    return [
        by_attribute[name].name for name in kind.__layout__.primary.names if name in by_attribute
    ]


def _known(entity: Entity, wanted: list[str]) -> list[str]:
    known = type(entity).model_fields
    if unknown := [name for name in wanted if name not in known]:
        raise CommandFailed(
            f"{type(entity).__name__} has no field {', '.join(unknown)}: choose from "
            f"{', '.join(known)}",
            USAGE,
        )
    return wanted


def _print_json(pattern: AccessPattern, kinds: Kinds, cursor: str | None) -> None:
    """The items as a list, or by kind if the pattern finds several kinds."""
    by_kind = {kind: [_dumped(entity) for entity in entities] for kind, entities in kinds.items()}
    items = by_kind if len(by_kind) > 1 else next(iter(by_kind.values()))
    print_json({"pattern": pattern.name, "items": items, "cursor": cursor})


def _dumped(entity: Entity) -> dict[str, Any]:
    return entity.model_dump(mode="json", exclude_none=True)
