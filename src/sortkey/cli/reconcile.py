"""`sortkey reconcile`: finds and repairs differences between search indexes and their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.search_documents import counting, kept_searches, listed
from sortkey.commands.failure import FAILED, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import Buckets, Data, Documents, Index, Json, ModelName
from sortkey.commands.output import print_json

if TYPE_CHECKING:
    from sortkey.connect.searches import ManagedSearch
    from sortkey.runtime.search import Drift

EXAMPLES = examples(
    "sortkey reconcile shop:model --dry-run       what differs in data/searches/?",
    "sortkey reconcile shop:model                 repair it",
    "sortkey reconcile shop:model products --json one document, for programs",
    "sortkey reconcile shop:model --search https://user:password@host:9200",
)
KINDS = ("missing", "stale", "orphaned", "unreadable")


def run(
    model: ModelName,
    documents: Documents = None,
    data: Data = "data",
    objects: Buckets = None,
    search: Index = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what differs.")] = False,
    json: Json = False,
) -> int:
    """Compare the search indexes of a model with its tables, by id, version and content. List
    what differs and repair it.

    \b
      missing     in the tables, but not in the index
      stale       different in the index and in the tables
      orphaned    in the index, but no longer in the tables
      unreadable  an item that its entity cannot read; it is left as it is

    You can run it at any time. What was written a moment ago may show as a difference until the
    index has followed. Only one process can write an index in a folder: while `sortkey up` uses the
    folder, run this with --dry-run. The exit code is 1 when something is left: differences with
    --dry-run, or unreadable items.
    """
    with kept_searches(model, documents or [], data, objects, search) as searches:
        drifts = {search.name: _reconcile(search, model, repair=not dry_run) for search in searches}
    if json:
        print_json([_json(name, drift) for name, drift in drifts.items()])
    else:
        print("\n".join(line for name, drift in drifts.items() for line in _lines(name, drift)))
    has_rest = any(drift.unreadable or (dry_run and drift.count) for drift in drifts.values())
    return FAILED if has_rest else 0


def _reconcile(search: ManagedSearch, model: str, *, repair: bool) -> Drift:
    from sortkey.runtime.search import reconcile

    _check_built(search, model)
    with counting(f"comparing {search.name}") as on_progress:
        if repair:
            search.search.ensure()
        return reconcile(search.search, search.source, repair=repair, on_progress=on_progress)


def _check_built(kept: ManagedSearch, model: str) -> None:
    """Fail for an index that was never completely built: the list of what is missing would be
    useless.
    """
    from sortkey.errors import SearchIndexMissing

    try:
        is_built = kept.search.index.noted() is not None
    except SearchIndexMissing:
        is_built = False
    if not is_built:
        name = kept.search.document.name
        raise CommandFailed(
            f"the index of {kept.name} is not built for the current fields: run `sortkey reindex "
            f"{model} {name}` or `sortkey up`"
        )


def _json(name: str, drift: Drift) -> dict[str, Any]:
    counts: dict[str, Any] = {"document": name, "checked": drift.checked}
    lists = {kind: getattr(drift, kind) for kind in KINDS}
    return counts | lists | {"is_repaired": drift.is_repaired}


def _lines(name: str, drift: Drift) -> list[str]:
    suffix = ", repaired" if drift.is_repaired and drift.count else ""
    return [
        *(line for kind in KINDS for line in listed(kind, getattr(drift, kind))),
        f"{name}: {drift}{suffix}",
    ]
