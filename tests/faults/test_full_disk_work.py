"""A disk that is full under stores, buckets, workers and journeys: they say so, lose nothing, and
go on afterwards.

The kernel's limit on the size of a file stands for the disk's; it is set while things run.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sortkey
from sortkey import JobContext, JobQueue, JobWorker, job
from sortkey.connect.files import FileObjects
from sortkey.errors import NotFound, StorageFailed
from sortkey.testing import FrozenClock
from sortkey_systems.jobengine.sample_shop import make_shop
from tests.cli.program import sortkey as command
from tests.faults.served import Served

pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")

ANY_LOSS = [f"--allow-{what}=100%" for what in ("lost-rows", "lost-values", "dangling")]
"""The shop has flaws, and tables that no resource is for."""
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}


def limit_files(pid: int, size: int) -> None:
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@contextmanager
def full(*files: Path) -> Generator[None]:
    """No file of this process grows beyond the largest of these."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (max(file.stat().st_size for file in files), before[1])
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_store_says_which_folder_is_full_and_works_on_afterwards(tmp_path: Path) -> None:
    # The program that meets it has to tell its user something better than a code of SQLite.
    with sortkey.open(tmp_path) as store:
        queue = JobQueue(store)
        queue.ensure()
        first = queue.enqueue("write", {"n": 1})
        with full(tmp_path / "sortkey.db-wal"), pytest.raises(StorageFailed) as refused:
            queue.enqueue("write", {"text": "x" * 300_000}, job_id="JOB-large")
        assert f"the data folder {tmp_path} cannot be written" in str(refused.value)
        assert "free space on its disk" in str(refused.value)
        assert queue.get(first.job_id) == first
        with pytest.raises(NotFound):
            queue.get("JOB-large")
        assert (
            queue.enqueue("write", {"text": "x" * 300_000}, job_id="JOB-large").job_id
            == "JOB-large"
        )


def test_a_folder_that_is_full_under_its_owner_is_reported_to_who_opened_it_second(
    tmp_path: Path,
) -> None:
    # To a program it is the same folder, whichever process has it.
    with Served(tmp_path) as server, sortkey.open(tmp_path) as store:
        queue = JobQueue(store)
        queue.ensure()
        limit_files(server.process.pid, (tmp_path / "sortkey.db-wal").stat().st_size)
        with pytest.raises(StorageFailed, match=f"the data folder {tmp_path} cannot be written"):
            queue.enqueue("write", {"text": "x" * 300_000}, job_id="JOB-large")
        limit_files(server.process.pid, resource.RLIM_INFINITY)
        assert (
            queue.enqueue("write", {"text": "x" * 300_000}, job_id="JOB-large").job_id
            == "JOB-large"
        )


def test_a_bucket_says_which_folder_is_full_and_works_on_afterwards(tmp_path: Path) -> None:
    # Its index must not be left in the middle of a transaction either.
    with FileObjects(tmp_path / "bucket") as bucket:
        bucket.put("first", b"1")
        for size in (1, 1_000_000):
            with (
                full(tmp_path / "bucket" / "bucket.db"),
                pytest.raises(StorageFailed, match="cannot be written"),
            ):
                put_many(bucket, size)
            bucket.put(f"after-{size}", b"2")
            assert (bucket.read("first"), bucket.read(f"after-{size}")) == (b"1", b"2")


def put_many(bucket: FileObjects, size: int) -> None:
    for number in range(1000):
        bucket.put(f"many-{size}-{number}", b"x" * size)


def test_a_worker_tells_that_the_disk_is_full_and_takes_the_job_up_again(tmp_path: Path) -> None:
    # It may be freed at any time, and nobody should have to restart a worker then.
    clock, reported = FrozenClock(), []

    @job("fill", retries=5)
    def fill(ctx: JobContext) -> str:
        return "x" * 300_000

    with sortkey.open(tmp_path) as store:
        queue = JobQueue(store, clock=clock)
        queue.ensure()
        made = queue.enqueue(fill)
        worker = JobWorker(
            store,
            [fill],
            clock=clock,
            on_error=lambda message, error: reported.append((message, error)),
        )
        lease = worker._picker.take(made.job_id)
        assert lease is not None
        with full(tmp_path / "sortkey.db-wal"):
            left = worker._run(worker._begun(lease))
        assert left.status == "running"
        assert {type(error) for _, error in reported} == {StorageFailed}
        assert made.job_id in reported[-1][0]
        clock.advance(31)
        done = worker.run_once()
        assert done is not None
        assert (done.status, done.attempt) == ("completed", 2)


class Run:
    """`sortkey jobengine run` as a process, whose words are read as they come."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sortkey", "jobengine", "run", *arguments],
            cwd=folder,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []

    def read_until(self, wanted: str) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(wanted, line):
                return found[0]
        raise AssertionError(f"it never said {wanted!r}: {''.join(self.said)}")

    def end(self) -> tuple[int, list[str]]:
        """Its exit code, and all that it said."""
        ended = threading.Timer(
            120, self.process.kill
        )  # a hang is a failure, not a test that never ends
        ended.start()
        assert self.process.stderr is not None
        self.said += self.process.stderr
        ended.cancel()
        return self.process.wait(), self.said


@pytest.mark.slow
@pytest.mark.parametrize("more_bytes", [0, 150_000], ids=["at once", "somewhat later"])
def test_run_ends_with_one_line_and_goes_on_when_there_is_room(
    tmp_path: Path, more_bytes: int
) -> None:
    make_shop(tmp_path / "shop.sqlite", customers=300)
    run = Run(tmp_path, "shop.sqlite", "--target", "out.sqlite", *ANY_LOSS)
    journey = run.read_until("JRN-[0-9A-Z]{12}")
    run.read_until("1 Raw Analysis: completed")
    limit_files(run.process.pid, (tmp_path / "data" / "sortkey.db-wal").stat().st_size + more_bytes)
    code, said = run.end()
    assert code == 1, said
    lines = [line for line in said if not re.match(r"journey JRN|\d [A-Z]", line)]
    assert len(lines) == 1, "".join(said)
    assert "the data folder data cannot be written" in lines[0]
    assert f"`sortkey jobengine run --journey {journey} --data data` continues it" in lines[0]
    again = command("jobengine", "run", "--journey", journey, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"{journey} is completed" in again.stderr
