"""`sortkey backfill`: brings stored items up to date with their entities."""

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
        typer.Argument(metavar="ENTITY", help="Entities to backfill (default: those of the plan)."),
    ] = None,
    data: Data = "data",
    segments: Annotated[
        int | None, typer.Option(metavar="N", help="Segments to read in parallel.")
    ] = None,
    writes_per_second: Annotated[
        float | None, typer.Option(metavar="N", help="Write no faster than this.")
    ] = None,
    restart: Annotated[
        bool,
        typer.Option(
            "--restart", help="Start from the beginning, not where an earlier run stopped."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be written; write nothing.")
    ] = False,
    json: Json = False,
) -> int:
    """Read all items of a table and write what those of an entity lack: keys of new indexes, and
    the current version.

    You can stop it and start it again: it continues where it stopped. It never overwrites what
    others write meanwhile. AWS charges for reading a whole table. Entities that you name are read
    one by one. Without names, a table with several entities to backfill is read once for all.

    The exit code is 1 when items could not be read or written.
    """
    settings = {
        "segments": segments,
        "writes_per_second": writes_per_second,
        "restart": restart,
        "dry_run": dry_run,
    }
    with open_store(data) as store:
        loaded = load_model(model)
        targets = _targets(store, loaded, entities or [])
        tables = [
            of.__layout__.table if isinstance(of, type) else of for of in targets
        ] or loaded.tables
        check_tables(store.backend, [table.name for table in tables], model)
        results = [_backfill(store, of, settings) for of in targets]
    if json:
        print_json([result.to_json() for result in results])
    else:
        _print(results)
    return FAILED if any(result.failed for result in results) else 0


def _targets(store: Store, model: Model, names: Sequence[str]) -> list[type[Entity] | Table]:
    """What is backfilled, one pass each. Named entities exclude all others."""
    known = {entity.__name__: entity for entity in model.entities}
    for name in names:
        if name not in known:
            raise CommandFailed(
                f"{model.name} has no entity {name!r}: choose from {', '.join(known)}", USAGE
            )
    wanted = [known[name] for name in dict.fromkeys(names)] or [
        backfill.entity for backfill in store.plan(model).backfills
    ]
    by_table: dict[Table, list[type[Entity]]] = {}
    for entity in wanted:
        by_table.setdefault(entity.__layout__.table, []).append(entity)
    return [
        of
        for table, entities in by_table.items()
        for of in _passes(table, entities, is_named=bool(names))
    ]


def _passes(
    table: Table, wanted: list[type[Entity]], *, is_named: bool
) -> Sequence[type[Entity] | Table]:
    """Reading a table is the expensive part, so read it once for all of its entities, unless the
    user named only some of them.
    """
    is_one = len(wanted) > 1 and (not is_named or len(wanted) == len(table.entities))
    return [table] if is_one else wanted


def _backfill(store: Store, of: type[Entity] | Table, settings: dict[str, Any]) -> Backfilled:
    seen = 0
    title = of.__name__ if isinstance(of, type) else of.name
    with progress(f"backfilling {title}", None) as advance:

        def show(so_far: Any) -> None:
            nonlocal seen
            advance(so_far.read - seen)
            seen = so_far.read

        return store.backfill(of, **settings, on_progress=show)


def _print(results: Sequence[Backfilled]) -> None:
    if not results:
        print("nothing to backfill: stored items match the model")
    for result in results:
        print(f"{', '.join(result.entities)}{' (dry run)' if result.is_dry else ''}: {result}")
        for problem in result.problems:
            print(f"  {problem}")
