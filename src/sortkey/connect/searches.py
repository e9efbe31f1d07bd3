"""`sortkey.open_searches(store, models, address)`: a search for every document that the models
declare, kept in step.

In threads: an index that was never filled is built from its tables, and then it follows their
streams. Nothing is opened, and no library loaded, for models that declare no documents.
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
from sortkey.runtime.search import ComposedSource, EntitySource, Search, Source, SourcePage, reindex
from sortkey.runtime.search.index_handlers import follow, follow_composed
from sortkey.runtime.store import Store
from sortkey.runtime.streams import Retries, StreamWorker
from sortkey.runtime.streams.handlers import AnyHandler

log = logging.getLogger("sortkey.search")
LEASE_SECONDS = 60.0
"""A lease is renewed after a third of it. Rarely: each is a write, for ever."""
RETRIES = Retries(attempts=10)
"""More than a minute, before a change is put aside."""
RETRY_SECONDS = 30.0
State = Literal["waiting", "building", "ready", "read only", "failed"]


def open_searches(
    store: Store, models: Sequence[Model], address: str | os.PathLike[str] | None
) -> Searches:
    """The searches of the models' documents, in a folder or on an OpenSearch; with None they are
    known, but not there.

    Each model has a folder of its own there, or a beginning of its indexes' names. Call `start()`
    to fill and follow.
    """
    quiet = copy(store)
    quiet.metrics = None  # what keeps the indexes is not what people ask
    return Searches(quiet, models, None if address is None else os.fspath(address))


def open_kept(store: Store, model: Model, declared: ModelDocument, address: str) -> KeptSearch:
    """One search with its source, where `open_searches` has it. Nothing is made, and nothing
    followed.
    """
    source = (
        EntitySource(store, declared.document)
        if declared.source is None
        else declared.source(store)
    )
    return KeptSearch(model.name, _opened(declared, address, model.name), source)


@dataclass
class KeptSearch:
    """One search, and how it is doing. `written` counts documents while it is built, `followed` the
    changes since then, in batches; `problem` says why it failed."""

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
        """The items that a document is made of as they are now, the one that it stands
        for first.
        """
        found = self.source.find([id])
        composed = self._composed
        return (
            found if composed is None else [part for each in found for part in composed.parts(each)]
        )

    def handler(self) -> AnyHandler:
        composed = self._composed
        made = (
            follow(self.search, self.source)
            if composed is None
            else follow_composed(self.search, composed)
        )

        def counted(changes: Any) -> None:
            made.function(changes)
            self.followed += 1

        return replace(made, function=counted)

    @property
    def _composed(self) -> ComposedSource[Any, Any] | None:
        source = cast(object, self.source)
        return (
            cast("ComposedSource[Any, Any]", source) if isinstance(source, ComposedSource) else None
        )


class Searches(Mapping[str, KeptSearch]):
    """The searches by `<model>/<document>`. `address` is None where nobody has said where they are
    to be; `problem` says why there are none yet.
    """

    def __init__(self, store: Store, models: Sequence[Model], address: str | None) -> None:
        self.address, self.problem = address, ""
        self.declared = [
            f"{model.name}/{each.document.name}" for model in models for each in model.documents
        ]
        self._store, self._models = store, [model for model in models if model.documents]
        self._kept: dict[str, KeptSearch] = {}
        self._workers: dict[str, StreamWorker] = {}
        self._stopping, self._settled = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def __getitem__(self, name: str) -> KeptSearch:
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._kept))  # the thread may add one meanwhile

    def __len__(self) -> int:
        return len(self._kept)

    def start(self) -> Searches:
        """Open what is there, build what is not, and follow changes, until `stop`. Returns
        at once.
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
        """Finish what is under way. A build that is cut off goes on at the next start. Stopping
        twice is fine.
        """
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        for model in self._models:
            self._close(model)
        self._kept = {}

    def wait(self, seconds: float) -> bool:
        """Until everything is built, or has failed once; says whether it is."""
        return self._thread is None or self._settled.wait(seconds)

    # -- in the thread

    def _run(self, address: str) -> None:
        """What fails is tried again after a while: an OpenSearch may be away for a moment."""
        models = self._models
        while models:
            models = [model for model in models if not self._keep(model, address)]
            self._settled.set()
            if not models or self._stopping.wait(RETRY_SECONDS):
                return
            for model in models:
                self._close(model)

    def _keep(self, model: Model, address: str) -> bool:
        """Follow first, build then: what changes meanwhile goes into both indexes. Says whether it
        is done.

        All or none: the worker would note changes as done that an index which cannot be opened has
        not seen.
        """
        opened: list[KeptSearch] = []
        try:
            for declared in model.documents:
                opened.append(open_kept(self._store, model, declared, address))
                self._kept[opened[-1].name] = opened[-1]
            for each in opened:
                _ensure(each)
            self._follow(model, [each for each in opened if each.state != "read only"])
            for each in opened:
                self._fill(each)
        except _Stopped:
            return True
        except Exception as error:
            self._failed(model, opened, error)
            return False
        return True

    def _follow(self, model: Model, opened: Sequence[KeptSearch]) -> None:
        """From now on where everything is to be built: the tables say what came before."""
        if not opened or self._stopping.is_set():
            return
        is_new = all(each.search.index.noted() is None for each in opened)
        worker = StreamWorker(
            self._store,
            [each.handler() for each in opened],
            name=f"search-{model.name}",
            start="LATEST" if is_new else "TRIM_HORIZON",
            lease_seconds=LEASE_SECONDS,
            retries=RETRIES,
        )
        self._workers[model.name] = worker
        worker.start()
        worker.replay()  # what failed for too long, the last time: documents are made of what the tables say now

    def _fill(self, kept: KeptSearch) -> None:
        """Unless that was done to its end before: only what `reindex` has put in place has
        a note.
        """
        if kept.state == "read only":
            return
        if kept.search.index.noted() is None:
            kept.state = "building"
            source = _Stoppable(kept.source, self._stopping)
            reindex(kept.search, source, on_progress=lambda count: setattr(kept, "written", count))
        kept.state = "ready"

    def _failed(self, model: Model, opened: Sequence[KeptSearch], error: Exception) -> None:
        self.problem = str(error) or type(error).__name__
        log.error("the searches of %s cannot be kept: %s; trying again", model.name, self.problem)
        for each in opened:
            each.state, each.problem = "failed", self.problem

    def _close(self, model: Model) -> None:
        worker = self._workers.pop(model.name, None)
        if worker is not None:
            worker.stop()
        for each in self._kept.values():
            if each.model == model.name:
                each.search.close()


class _Stopped(Exception):
    """The build is to end here, and to go on here at the next start."""


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


def _ensure(kept: KeptSearch) -> None:
    try:
        for told in kept.search.ensure():
            log.info(told)
    except SearchIndexInUse as error:
        kept.state, kept.problem = "read only", str(error)


def _opened(declared: ModelDocument, address: str, model: str) -> Search[Any]:
    if "://" not in address:
        return open_search(declared.document, os.path.join(address, model))
    url = urlsplit(address)
    return open_search(declared.document, urlunsplit(url._replace(path=f"{url.path}{model}-")))
