"""What `sortkey reindex` and `sortkey reconcile` share: the search documents of a model, opened
with their tables.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from sortkey.cli.tables import check_tables
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.models import load_model
from sortkey.commands.options import bucket_address, check_address
from sortkey.commands.output import progress
from sortkey.systems.data_folder import SEARCHES

if TYPE_CHECKING:
    from sortkey.connect.searches import KeptSearch
    from sortkey.model.documents import ModelDocument
    from sortkey.model.entity import Entity
    from sortkey.model.patterns import Model
    from sortkey.runtime.store import Store

SHOWN = 20
"""So many ids of a kind are for people; --json has all."""


@contextmanager
def kept_searches(
    model: str, names: Sequence[str], data: str, objects: str | None, search: str | None
) -> Generator[list[KeptSearch]]:
    """The searches of a model's documents, as `sortkey up` has them, closed with the block. Nothing
    is made yet.
    """
    from contextlib import ExitStack

    from sortkey.connect.searches import open_kept
    from sortkey.errors import SearchIndexInUse

    found = load_model(model)
    chosen, address = _chosen(found, names), _address(data, search)
    with _store(chosen, data, objects) as store, ExitStack() as opened:
        check_tables(store.backend, _tables(chosen), model)
        kept = [open_kept(store, found, each, address) for each in chosen]
        for each in kept:
            opened.enter_context(closing(each.search))
        try:
            yield kept
        except SearchIndexInUse as held:
            raise CommandFailed(
                f"{str(held).partition(': ')[0]}, which keeps it in step (`sortkey up`?): stop "
                "that, give this command"
                " again, and start it; `sortkey reconcile --dry-run` tells whether it is needed"
            ) from None


@contextmanager
def counting(title: str) -> Generator[Callable[[int], None]]:
    """A bar while the block runs; the block calls what it is given with how many documents are
    done.
    """
    seen = 0
    with progress(title, None, "documents") as advance:

        def on_progress(count: int) -> None:
            nonlocal seen
            advance(count - seen)
            seen = count

        yield on_progress


def listed(title: str, ids: Sequence[str]) -> list[str]:
    """Lines for people: a kind, and what is of it."""
    more = [f"{'':<11} and {len(ids) - SHOWN:,} more: --json lists all"] if len(ids) > SHOWN else []
    return [*(f"{title:<11} {each}" for each in ids[:SHOWN]), *more]


def _chosen(model: Model, names: Sequence[str]) -> list[ModelDocument]:
    known = {each.document.name: each for each in model.documents}
    if not known:
        raise CommandFailed(
            f"{model.name} has nothing to search: model.searchable(document) declares it", USAGE
        )
    for name in names:
        if name not in known:
            raise CommandFailed(
                f"{model.name} has no search document {name!r}; there are: {', '.join(known)}",
                USAGE,
            )
    return [known[name] for name in dict.fromkeys(names)] or list(known.values())


def _address(data: str, search: str | None) -> str:
    if search is None and "://" in data:
        raise CommandFailed(
            f"the tables are at {data}: say where the indexes are, with --search", USAGE
        )
    return search or os.path.join(data, SEARCHES)


def _store(chosen: Sequence[ModelDocument], data: str, objects: str | None) -> Store:
    """With the buckets, where documents may be made of what lies in them: without it they would
    lose that.
    """
    import sortkey

    is_composed = any(each.source is not None for each in chosen)
    where = bucket_address(data, objects) if is_composed or objects else None
    check_address(data)
    return sortkey.open(data, objects=where)


def _tables(chosen: Sequence[ModelDocument]) -> list[str]:
    """Those that documents are made of."""
    entities = [entity for each in chosen for entity in _followed(each)]
    return list(dict.fromkeys(entity.__layout__.table.name for entity in entities))


def _followed(declared: ModelDocument) -> Sequence[type[Entity]]:
    """The entities whose changes a document follows. A source that is a function does not say
    which.
    """
    from sortkey.runtime.search import ComposedSource

    if declared.source is None:
        return [declared.document.of]
    source: Any = declared.source
    return source.follows if isinstance(source, type) and issubclass(source, ComposedSource) else ()
