"""Handlers that keep an index in step with the streams of the entities it is built from."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, TypeVar

from sortkey.errors import ModelError
from sortkey.model.changes import Change
from sortkey.model.documents import DocumentWrite
from sortkey.model.entity import Entity
from sortkey.runtime.search.reconciliation import renew
from sortkey.runtime.search.search import Search
from sortkey.runtime.search.sources import ComposedSource, Source
from sortkey.runtime.streams.handlers import AnyHandler, Handler, on_changes

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


def follow(
    search: Search[E], source: Source[E], *, name: str | None = None
) -> Handler[E, Sequence[Change[E]]]:
    """A handler of the entity's changes, in batches, for a StreamWorker or a Lambda function.

    It uses the images of the stream. It reads the source if they are not enough: for items deleted
    without an old image, items that may be archived, and outdated changes.
    """

    def index_changes(changes: Sequence[Change[E]]) -> None:
        writes, unsure = list[DocumentWrite](), list[str]()
        for change in changes:
            if change.new is not None:
                writes.append(search.document.write_of(change.new))
            elif change.old is not None and search.document.of.__layout__.archive is None:
                writes.append(search.document.removal_of(change.old))
            else:
                unsure.append(_id_of(search, change))
        unsure += search.write(writes).late
        renew(search, source, unsure)
        search.flush()  # before the worker stores its checkpoint

    return on_changes(search.document.of, name=name or f"search-{search.document.name}")(
        index_changes
    )


def follow_composed(
    search: Search[T], source: ComposedSource[Any, T], *, name: str | None = None
) -> AnyHandler:
    """The same for documents built from several items: those that a change affects are rebuilt."""
    one_by_one = (
        threading.Lock()
    )  # each table is read by a thread: older reads must not be written last

    def index_changes(changes: Sequence[Change[Any]]) -> None:
        touched = [id for change in changes for id in source.touched(change, search)]
        with one_by_one:
            renew(search, source, touched)
        search.flush()  # before the worker stores its checkpoint

    return on_changes(*source.follows, name=name or f"search-{search.document.name}")(index_changes)


def _id_of(search: Search[Any], change: Change[Any]) -> str:
    text = search.document.id.render(change.key.values)
    if text is None:
        raise ModelError(
            f"{search.document.name}: the stream has only the keys of deleted items, and the "
            "id needs more: "
            'declare the table with stream="NEW_AND_OLD_IMAGES"'
        )
    return text
