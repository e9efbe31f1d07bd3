"""The engine: one DynamoDB on one database. Finds the operation, checks the request's shape, runs
it.

`execute` may leave a storage transaction open, so that its caller can let many requests share one
commit (`flush`). `call` is for programs: one request, committed, as plain Python values.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from sortkey.engine import not_offered, shapes
from sortkey.engine.answers import Answer, Finished
from sortkey.engine.background import Background, Worker
from sortkey.engine.catalog import Catalog
from sortkey.engine.figures import Counts
from sortkey.engine.operations import OPERATIONS, Run, only_reads
from sortkey.engine.request_bodies import read_request, write_request
from sortkey.errors import (
    ResourceNotFoundException,
    ServiceError,
    UnknownOperationException,
    ValidationException,
)
from sortkey.storage.database import Database
from sortkey.storage.failures import is_storage_failure, storage_failed
from sortkey.storage.journal import Journal
from sortkey.storage.records import Records

Request = dict[str, Any]


class Engine:
    """An open database and everything that runs on it. Tests pass their own time and randomness."""

    def __init__(
        self,
        database: Database,
        *,
        region: str = "us-east-1",
        clock: Callable[[], float] = time.time,
        entropy: Callable[[int], bytes] = os.urandom,
        item_collection_limit_bytes: int = 10 * 1024**3,
        buckets: str | os.PathLike[str] | None = None,
    ) -> None:
        self.database = database
        self.records = Records(database)
        self.journal = Journal(database)
        self.catalog = Catalog(database, self.records, region)
        self.region = region
        self.clock = clock
        self.entropy = entropy
        self.item_collection_limit_bytes = item_collection_limit_bytes
        self.counts = Counts()
        self.address: str | None = None
        self.buckets = _buckets(database, buckets)
        """Where exports go and imports come from: one folder per S3 bucket. For an engine in memory
        it is created when needed.
        """
        self.at_close: list[Callable[[], None]] = []
        self.background = Background(self)
        self._runs: dict[str, Run] = {}
        self.lock = threading.RLock()
        """Held while a request runs or a transaction is open."""
        self._worker: Worker | None = None
        self._watchers: tuple[Callable[[], None], ...] = ()
        self._announced = self.journal.last

    def call(self, name: str, request: Request) -> dict[str, Any]:
        """Run one request and commit it. Safe from several threads."""
        return orjson.loads(self.answer(name, write_request(request)))

    def answer(self, name: str, body: bytes) -> bytes:
        """The same on JSON bytes, without converting to Python values."""
        return self.run(name, read_request(body))

    def run(self, name: str, request: Request) -> bytes:
        """The same on a request that is plain JSON already, which the caller must not change
        meanwhile.
        """
        with self.lock:
            if self.database.in_transaction:
                self.flush()  # a rollback of this request must not undo this thread's group
            try:
                answer = self.execute(name, request)
                self.flush()
            except ServiceError:
                self.flush()
                raise
            except BaseException as error:
                self.rollback()
                if is_storage_failure(error):
                    raise storage_failed(
                        self.database.folder and self.database.folder.path, error
                    ) from error
                raise
        return answer.body if isinstance(answer, Finished) else orjson.dumps(answer)

    def execute(self, name: str, request: Request, *, is_trusted: bool = True) -> Answer:
        """Run one request inside the open transaction, if it writes. The answer may hold orjson
        fragments.

        An untrusted caller cannot change Sortkey's own tables.
        """
        run = self._runs.get(name) or self._find(name)
        catalog = self.catalog
        catalog.guards_own = not (is_trusted or only_reads(name))
        try:
            shapes.check(name, request)
            return run(self, request)
        except (ValidationException, ResourceNotFoundException):
            # AWS reads the whole body before it validates any of it, so a wrong type anywhere comes
            # first.
            shapes.check_serialization(name, request)
            raise
        except ServiceError:
            raise  # a normal answer: everything that can fail does so before the first write
        except BaseException:
            self.rollback()
            raise
        finally:
            catalog.guards_own = False

    def _find(self, name: str) -> Run:
        if name in not_offered.REASONS:
            return lambda engine, request: not_offered.refuse(engine, name, request)
        if name not in OPERATIONS:
            raise UnknownOperationException("")
        run = self._runs[name] = OPERATIONS[name]
        return run

    @property
    def in_transaction(self) -> bool:
        return self.database.in_transaction

    def flush(self) -> None:
        """Commit the writes since the last flush."""
        self.database.commit()
        if self._watchers and self._announced != self.journal.last:
            self._announced = self.journal.last
            for wake in self._watchers:
                wake()

    def rollback(self) -> None:
        """Undo the writes since the last flush, in memory too."""
        if self.database.in_transaction:
            self.database.rollback()
            self.journal.reload()
            self.catalog.reload()

    def work(self) -> float:
        """Do a slice of background work. Returns after how many seconds to call again."""
        with self.lock:
            return self.background.work()

    def work_by_itself(self) -> None:
        """Do the background work in a thread until `close`, for programs that only use `call`."""
        self._worker = self._worker or Worker(self)

    def watch(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` after each commit with stream records. Returns a function that ends this.

        The committing thread calls `wake` and waits for it, so it should only set an event.
        """
        with self.lock:
            self._announced = self._announced if self._watchers else self.journal.last
            self._watchers = (*self._watchers, wake)

        def end() -> None:
            with self.lock:
                self._watchers = tuple(watcher for watcher in self._watchers if watcher is not wake)

        return end

    def publish(self, address: str, token: str) -> None:
        """Write this engine's address into the folder, so that other processes find it."""
        self.address = address
        if self.database.folder:
            self.database.folder.publish(address, token)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.stop()
        with self.lock:
            self.database.close()
        while self.at_close:
            self.at_close.pop()()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _buckets(database: Database, folder: str | os.PathLike[str] | None) -> Path | None:
    if folder is not None:
        return Path(folder)
    return database.folder.path / "buckets" if database.folder else None
