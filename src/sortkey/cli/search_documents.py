"""The search documents of a model with their tables, for `sortkey reindex` and `reconcile`."""

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
    from sortkey.connect.searches import ManagedSearch
    from sortkey.model.documents import ModelDocument
    from sortkey.model.entity import Entity
    from sortkey.model.patterns import Model
    from sortkey.runtime.store import Store

SHOWN = 20
"""How many ids of a kind are printed; --json prints all."""


@contextmanager
def kept_searches(
    model: str, names: Sequence[str], data: str, objects: str | None, search: str | None
) -> Generator[list[ManagedSearch]]:
    """The searches of a model's documents, as `sortkey up` opens them, closed with the block. No
    index is created.
    """
    from contextlib import ExitStack

    from sortkey.connect.searches import open_managed
    from sortkey.errors import SearchIndexInUse

    loaded = load_model(model)
    documents, address = _documents(loaded, names), _address(data, search)
    with _store(documents, data, objects) as store, ExitStack() as opened:
        check_tables(store.backend, _tables(documents), model)
        searches = [open_managed(store, loaded, document, address) for document in documents]
        for kept in searches:
            opened.enter_context(closing(kept.search))
        try:
            yield searches
        except SearchIndexInUse as error:
            raise CommandFailed(
                f"{str(error).partition(': ')[0]} that updates it (`sortkey up`?): stop that "
                "process and run this command again; `sortkey reconcile --dry-run` shows whether "
                "it is needed"
            ) from None


@contextmanager
def counting(title: str) -> Generator[Callable[[int], None]]:
    """A progress bar while the block runs. The block calls the function with the number of
    documents done so far.
    """
    seen = 0
    with progress(title, None, "documents") as advance:

        def show(count: int) -> None:
            nonlocal seen
            advance(count - seen)
            seen = count

        yield show


def listed(title: str, ids: Sequence[str]) -> list[str]:
    """Lines to print: the kind, and the ids."""
    more = [f"{'':<11} and {len(ids) - SHOWN:,} more: --json lists all"] if len(ids) > SHOWN else []
    return [*(f"{title:<11} {key}" for key in ids[:SHOWN]), *more]


def _documents(model: Model, names: Sequence[str]) -> list[ModelDocument]:
    known = {declared.document.name: declared for declared in model.documents}
    if not known:
        raise CommandFailed(
            f"{model.name} has no search documents: declare one with model.searchable(document)",
            USAGE,
        )
    for name in names:
        if name not in known:
            raise CommandFailed(
                f"{model.name} has no search document {name!r}: choose from {', '.join(known)}",
                USAGE,
            )
    return [known[name] for name in dict.fromkeys(names)] or list(known.values())


def _address(data: str, search: str | None) -> str:
    if search is None and "://" in data:
        raise CommandFailed(
            f"the tables are at {data}: give the address of the indexes with --search", USAGE
        )
    return search or os.path.join(data, SEARCHES)


def _store(documents: Sequence[ModelDocument], data: str, objects: str | None) -> Store:
    """Open the store, with the buckets if documents may contain what is stored in them."""
    import sortkey

    is_composed = any(declared.source is not None for declared in documents)
    where = bucket_address(data, objects) if is_composed or objects else None
    check_address(data)
    return sortkey.open(data, objects=where)


def _tables(documents: Sequence[ModelDocument]) -> list[str]:
    """The tables that documents are built from."""
    entities = [entity for declared in documents for entity in _followed(declared)]
    return list(dict.fromkeys(entity.__layout__.table.name for entity in entities))


def _followed(declared: ModelDocument) -> Sequence[type[Entity]]:
    """The entities whose changes a document follows; none for a source that is a function."""
    from sortkey.runtime.search import ComposedSource

    if declared.source is None:
        return [declared.document.of]
    source: Any = declared.source
    return source.follows if isinstance(source, type) and issubclass(source, ComposedSource) else ()
