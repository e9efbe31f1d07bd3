"""`sortkey backfill`: stored items get the index keys and the version that their entities have
today.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.tables import check_tables
from sortkey.commands.failure import FAILED, USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.models import load_model
from sortkey.commands.options import Data, Json, ModelName, open_store
from sortkey.commands.output import print_json, progress

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.patterns import Model
    from sortkey.model.tables import Table
    from sortkey.runtime.evolution.progress import Backfilled
    from sortkey.runtime.store import Store

EXAMPLES = examples(
    "sortkey backfill shop.model:model                  what `sortkey plan` names",
    "sortkey backfill shop.model:model Order --dry-run  how much would it be?",
    "sortkey backfill shop.model:model --writes-per-second 500",
)


def run(
    model: ModelName,
    entities: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENTITY", help="Those to backfill (default: what the plan says)."),
    ] = None,
    data: Data = "data",
    segments: Annotated[
        int | None, typer.Option(metavar="N", help="Parts of the table, read at once.")
    ] = None,
    writes_per_second: Annotated[
        float | None, typer.Option(metavar="N", help="Write no faster than this.")
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Do not go on where an earlier one was cut off.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be written, and write nothing.")
    ] = False,
    json: Json = False,
) -> int:
    """Read all items of a table, and write what those of an entity lack: keys of new indexes, and
    the version of today.

    It may be stopped and started again: it goes on where it was. What others write meanwhile is
    never overwritten. Reading a whole table is paid for. Named entities are done and no others,
    each in a reading of its own; with none named, a table of which the plan has several is read
    once, for all that it holds.

    The exit code is 1 when items could not be read or written.
    """
    settings = {
        "segments": segments,
        "writes_per_second": writes_per_second,
        "restart": restart,
        "dry_run": dry_run,
    }
    with open_store(data) as store:
        found = load_model(model)
        chosen = _chosen(store, found, entities or [])
        tables = [
            of.__layout__.table if isinstance(of, type) else of for of in chosen
        ] or found.tables
        check_tables(store.backend, [table.name for table in tables], model)
        done = [_backfilled(store, of, settings) for of in chosen]
    if json:
        print_json([each.to_json() for each in done])
    else:
        _print(done)
    return FAILED if any(each.failed for each in done) else 0


def _chosen(store: Store, model: Model, names: Sequence[str]) -> list[type[Entity] | Table]:
    """What is done in one pass each. Who names entities gets these and no others."""
    known = {each.__name__: each for each in model.entities}
    for name in names:
        if name not in known:
            raise CommandFailed(
                f"{model.name} has no entity {name!r}; there are: {', '.join(known)}", USAGE
            )
    wanted = [known[name] for name in dict.fromkeys(names)] or [
        each.entity for each in store.plan(model).backfills
    ]
    by_table: dict[Table, list[type[Entity]]] = {}
    for each in wanted:
        by_table.setdefault(each.__layout__.table, []).append(each)
    return [
        of
        for table, several in by_table.items()
        for of in _passes(table, several, is_named=bool(names))
    ]


def _passes(
    table: Table, wanted: list[type[Entity]], *, is_named: bool
) -> Sequence[type[Entity] | Table]:
    """Reading a table is what costs: once for all of its entities, where nobody is surprised by the
    others.
    """
    is_one = len(wanted) > 1 and (not is_named or len(wanted) == len(table.entities))
    return [table] if is_one else wanted


def _backfilled(store: Store, of: type[Entity] | Table, settings: dict[str, Any]) -> Backfilled:
    seen = 0
    title = of.__name__ if isinstance(of, type) else of.name
    with progress(f"backfilling {title}", None) as advance:

        def told(so_far: Any) -> None:
            nonlocal seen
            advance(so_far.read - seen)
            seen = so_far.read

        return store.backfill(of, **settings, on_progress=told)


def _print(done: Sequence[Backfilled]) -> None:
    if not done:
        print("nothing to backfill: stored items have what the model says")
    for each in done:
        print(f"{', '.join(each.entities)}{' (dry run)' if each.is_dry else ''}: {each}")
        for problem in each.problems:
            print(f"  {problem}")
