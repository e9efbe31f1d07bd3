"""`sortkey.open_searches(store, models, address)`: a search for every document that the models
declare, kept up to date.

Threads build an index that was never filled from its tables, and then follow their streams. Nothing
is opened, and no library loaded, for models that declare no documents.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, cast
from urllib.parse import urlsplit, urlunsplit

from sortkey.connect.search_addresses import open_search
from sortkey.errors import SearchIndexInUse
from sortkey.model.documents import ModelDocument
from sortkey.model.entity import Entity
from sortkey.model.patterns import Model
from sortkey.runtime.search import (
    ComposedSource,
    EntitySource,
    Search,
    Source,
    SourcePage,
    finish_reindex,
    reindex,
)
from sortkey.runtime.search.index_handlers import follow, follow_composed
from sortkey.runtime.store import Store
from sortkey.runtime.streams import Retries, StreamWorker
from sortkey.runtime.streams.handlers import AnyHandler

log = logging.getLogger("sortkey.search")
LEASE_SECONDS = 60.0
"""A lease is renewed after a third of it. It is long because each renewal is a write."""
RETRIES = Retries(attempts=10)
"""More than a minute in all, before a failed change is set aside."""
RETRY_SECONDS = 30.0
State = Literal["waiting", "building", "ready", "read only", "failed"]


def open_searches(
    store: Store, models: Sequence[Model], address: str | os.PathLike[str] | None
) -> Searches:
    """The searches of the models' documents, in a folder or on OpenSearch. With None they are
    declared, but not opened.

    Each model has its own folder there, or its own prefix of index names. Call `start()` to fill
    them and follow changes.
    """
    quiet = copy(store)
    quiet.metrics = None  # the upkeep of indexes is not a user's request
    return Searches(quiet, models, None if address is None else os.fspath(address))


def open_managed(
    store: Store, model: Model, declared: ModelDocument, address: str
) -> ManagedSearch:
    """One search with its source, at the place where `open_searches` keeps it. Nothing is created
    or followed.
    """
    source = (
        EntitySource(store, declared.document)
        if declared.source is None
        else declared.source(store)
    )
    return ManagedSearch(model.name, _open_search(declared, address, model.name), source)


@dataclass
class ManagedSearch:
    """One search and its state.

    `written` counts documents while it is built, `followed` the batches of changes since then.
    `problem` says why it failed.
    """

    model: str
    search: Search[Any]
    source: Source[Any]
    state: State = "waiting"
    written: int = 0
    followed: int = 0
    problem: str = ""

    @property
    def name(self) -> str:
        return f"{self.model}/{self.search.document.name}"

    def parts(self, id: str) -> Sequence[Entity]:
        """The current items that a document is made of, its main item first."""
        roots = self.source.find([id])
        composed = self._composed
        return (
            roots if composed is None else [part for root in roots for part in composed.parts(root)]
        )

    def handler(self) -> AnyHandler:
        composed = self._composed
        following = (
            follow(self.search, self.source)
            if composed is None
            else follow_composed(self.search, composed)
        )

        def count(changes: Any) -> None:
            following.function(changes)
            self.followed += 1

        return replace(following, function=count)

    @property
    def _composed(self) -> ComposedSource[Any, Any] | None:
        source = cast(object, self.source)
        return (
            cast("ComposedSource[Any, Any]", source) if isinstance(source, ComposedSource) else None
        )


class Searches(Mapping[str, ManagedSearch]):
    """The searches by `<model>/<document>`. `address` is None if no place was configured.
    `problem` says why they could not be opened.
    """

    def __init__(self, store: Store, models: Sequence[Model], address: str | None) -> None:
        self.address, self.problem = address, ""
        self.declared = [
            f"{model.name}/{declared.document.name}"
            for model in models
            for declared in model.documents
        ]
        self._store, self._models = store, [model for model in models if model.documents]
        self._searches: dict[str, ManagedSearch] = {}
        self._workers: dict[str, StreamWorker] = {}
        self._stopping, self._settled = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def __getitem__(self, name: str) -> ManagedSearch:
        return self._searches[name]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._searches))  # the thread may add one at the same time

    def __len__(self) -> int:
        return len(self._searches)

    def start(self) -> Searches:
        """Open existing indexes, build missing ones and follow changes until `stop`. Returns at
        once.
        """
        if self._thread is None and self.address is not None and self._models:
            self._stopping.clear()
            self._settled.clear()
            self._thread = threading.Thread(
                target=self._run, args=(self.address,), name="sortkey-searches", daemon=True
            )
            self._thread.start()
        return self

    def stop(self) -> None:
        """Finish the current work. An interrupted build continues at the next start. Stopping twice
        is fine.
        """
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        for model in self._models:
            self._close(model)
        self._searches = {}

    def wait(self, seconds: float) -> bool:
        """Wait until everything is built or has failed once. False if that takes too long."""
        return self._thread is None or self._settled.wait(seconds)

    # -- in the thread

    def _run(self, address: str) -> None:
        """Retry failures after a while: OpenSearch may be unavailable for a moment."""
        models = self._models
        while models:
            models = [model for model in models if not self._keep(model, address)]
            self._settled.set()
            if not models or self._stopping.wait(RETRY_SECONDS):
                return
            for model in models:
                self._close(model)

    def _keep(self, model: Model, address: str) -> bool:
        """Follow first, then build, so that changes during the build go into both indexes. Returns
        False if that failed.

        All searches of a model or none: the worker would otherwise mark changes as done that an
        index which cannot be opened has not seen.
        """
        searches: list[ManagedSearch] = []
        try:
            for declared in model.documents:
                searches.append(open_managed(self._store, model, declared, address))
                self._searches[searches[-1].name] = searches[-1]
            for search in searches:
                _ensure(search)
            self._follow(model, [search for search in searches if search.state != "read only"])
            for search in searches:
                self._fill(search)
        except _Stopped:
            return True
        except Exception as error:
            self._failed(model, searches, error)
            return False
        return True

    def _follow(self, model: Model, searches: Sequence[ManagedSearch]) -> None:
        """Follow changes, from now on if everything is to be built: the build reads older ones."""
        if not searches or self._stopping.is_set():
            return
        is_new = all(search.search.index.noted() is None for search in searches)
        worker = StreamWorker(
            self._store,
            [search.handler() for search in searches],
            name=f"search-{model.name}",
            start="LATEST" if is_new else "TRIM_HORIZON",
            lease_seconds=LEASE_SECONDS,
            retries=RETRIES,
        )
        self._workers[model.name] = worker
        worker.start()
        # Changes that failed for too long last time. Documents are made of the current items.
        worker.replay()

    def _fill(self, managed: ManagedSearch) -> None:
        """Build the index unless it is complete: only a finished `reindex` leaves a note."""
        if managed.state == "read only":
            return
        source = _Stoppable(managed.source, self._stopping)
        if managed.search.index.noted() is None:
            managed.state = "building"
            reindex(
                managed.search,
                source,
                on_progress=lambda count: setattr(managed, "written", count),
                on_replaced=lambda: setattr(managed, "state", "ready"),
            )
        else:
            finish_reindex(managed.search, source)
        managed.state = "ready"

    def _failed(self, model: Model, searches: Sequence[ManagedSearch], error: Exception) -> None:
        self.problem = str(error) or type(error).__name__
        log.error(
            "the searches of %s cannot be kept up to date, will retry: %s", model.name, self.problem
        )
        for search in searches:
            search.state, search.problem = "failed", self.problem

    def _close(self, model: Model) -> None:
        worker = self._workers.pop(model.name, None)
        if worker is not None:
            worker.stop()
        for managed in self._searches.values():
            if managed.model == model.name:
                managed.search.close()


class _Stopped(Exception):
    """Interrupts the build, which continues here at the next start."""


@dataclass(frozen=True)
class _Stoppable(Source[Any]):
    source: Source[Any]
    stopping: threading.Event

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[Any]]:
        for page in self.source.pages(position):
            if self.stopping.is_set():
                raise _Stopped
            yield page

    def find(self, ids: Sequence[str], /) -> list[Any]:
        return self.source.find(ids)


def _ensure(managed: ManagedSearch) -> None:
    try:
        for message in managed.search.ensure():
            log.info(message)
    except SearchIndexInUse as error:
        managed.state, managed.problem = "read only", str(error)


def _open_search(declared: ModelDocument, address: str, model: str) -> Search[Any]:
    if "://" not in address:
        return open_search(declared.document, os.path.join(address, model))
    url = urlsplit(address)
    return open_search(declared.document, urlunsplit(url._replace(path=f"{url.path}{model}-")))
