"""What a job costs besides the work it does: until its function starts, for each step, and in all.

`python -m bench.jobs` prints it. Queue and worker are in one process, on a folder, as a small
business runs them.
"""

import tempfile
import threading
import time
from dataclasses import dataclass

import sortkey
from bench.goals import met
from sortkey import JobContext, JobQueue, JobWorker, Store, job

START_MS_MAX = 5.0
JOBS = 400
WARM_JOBS = 50
STEPS = 20


@dataclass(frozen=True, slots=True)
class Jobs:
    """Milliseconds, except for the last: empty jobs a second, all of them enqueued before."""

    start_p50: float
    start_p99: float
    thread_p50: float
    step_p50: float
    jobs_per_second: float

    @property
    def is_met(self) -> bool:
        return self.start_p50 < START_MS_MAX


_started: dict[int, float] = {}


@job("empty")
def empty(ctx: JobContext, n: int) -> int:
    """Does nothing, and says when."""
    _started[n] = time.perf_counter()
    return n


@job("steps")
def steps(ctx: JobContext) -> float:
    """The seconds that an empty step takes."""
    begin = time.perf_counter()
    for n in range(STEPS):
        ctx.step(f"step-{n}", int)
    return (time.perf_counter() - begin) / STEPS


def measure() -> Jobs:
    with (
        tempfile.TemporaryDirectory(prefix="sortkey-jobs-") as folder,
        sortkey.open(folder) as store,
    ):
        queue = JobQueue(store, "bench")
        queue.ensure()
        with JobWorker(store, [empty, steps], queue="bench"):
            start = _start_seconds(queue)
            step = sorted(queue.wait(queue.enqueue(steps).job_id).result for _ in range(20))
        per_second = _throughput(store, queue)
    thread = sorted(_thread_seconds() for _ in range(JOBS))
    return Jobs(_ms(start, 0.5), _ms(start, 0.99), _ms(thread, 0.5), _ms(step, 0.5), per_second)


def _start_seconds(queue: JobQueue) -> list[float]:
    """One job after the other: the worker sleeps when it comes."""
    took: list[float] = []
    for n in range(WARM_JOBS + JOBS):
        begin = time.perf_counter()
        queue.wait(queue.enqueue(empty, {"n": n}).job_id)
        took.append(_started.pop(n) - begin)
    return sorted(took[WARM_JOBS:])


def _throughput(store: Store, queue: JobQueue) -> float:
    jobs = [queue.enqueue(empty, {"n": n}) for n in range(JOBS)]
    begin = time.perf_counter()
    with JobWorker(store, [empty], queue="bench"):
        for job in jobs:
            queue.wait(job.job_id)
    return JOBS / (time.perf_counter() - begin)


def _thread_seconds() -> float:
    """What a bare thread takes to start: the floor."""
    begun = threading.Event()
    begin = time.perf_counter()
    threading.Thread(target=begun.set).start()
    begun.wait()
    return time.perf_counter() - begin


def _ms(seconds: list[float], share: float) -> float:
    return 1000 * seconds[min(int(len(seconds) * share), len(seconds) - 1)]


def markdown(jobs: Jobs | None = None) -> str:
    """The section of a report."""
    jobs = jobs or measure()
    return "\n".join(
        [
            "## Jobs",
            "",
            "| | |",
            "|---|---|",
            "| from `enqueue` to the function's first line, half of all jobs | "
            f"{jobs.start_p50:.2f} ms |",
            f"| the same, 99 of 100 | {jobs.start_p99:.2f} ms |",
            f"| a bare thread to its first line | {jobs.thread_p50:.2f} ms |",
            f"| an empty step, its result stored | {jobs.step_p50:.2f} ms |",
            f"| empty jobs, all waiting, four threads | {jobs.jobs_per_second:,.0f} a second |",
            f"| goal for half of all: started in less than {START_MS_MAX:g} ms | "
            f"{met(jobs.is_met)} |",
            "",
        ]
    )


if __name__ == "__main__":
    print(markdown())
