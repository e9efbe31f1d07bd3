"""Jobs behind SQS: the same job functions, woken by messages; the table decides what is done."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

import sortkey
from sortkey import Backoff, Job, JobContext, JobQueue, JobWorker, Store, job
from sortkey.connect.sqs_jobs import SqsJobs, SqsJobWorker
from sortkey.testing import FrozenClock
from tests.contract.topics_adapters import moto_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("jobs-sqs"),
]  # the server takes seconds to start
CONNECTION: dict[str, Any] = {"region": "us-east-1", "credentials": ("test", "test")}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_server() as address:
        yield address


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        JobQueue(opened).ensure()
        yield opened


class Place:
    """A job queue with its SQS queue; the clock of the jobs is the test's, that of SQS is real."""

    def __init__(self, store: Store, endpoint: str) -> None:
        self.store, self.clock = store, FrozenClock()
        self.sqs = SqsJobs.from_name(
            f"jobs-{secrets.token_hex(4)}", endpoint=endpoint, clock=self.clock, **CONNECTION
        )
        self.queue = JobQueue(store, "sqs", announcer=self.sqs, clock=self.clock)
        self.client: Any = boto3.Session("test", "test", region_name="us-east-1").client(
            "sqs", endpoint_url=endpoint
        )

    def worker(self, *jobs: Any, **settings: Any) -> JobWorker:
        given: dict[str, Any] = {"clock": self.clock, "random": lambda: 0.0, **settings}
        return JobWorker(self.store, jobs, queue="sqs", **given)

    def poller(self, *jobs: Any, **settings: Any) -> SqsJobWorker:
        return SqsJobWorker(self.worker(*jobs, **settings), self.sqs, wait_seconds=0)

    def messages(self) -> tuple[int, int]:
        """(visible or delayed, in flight)"""
        names = "ApproximateNumberOfMessages"
        wanted = [names, f"{names}NotVisible", f"{names}Delayed"]
        found = self.client.get_queue_attributes(QueueUrl=self.sqs.url, AttributeNames=wanted)[
            "Attributes"
        ]
        return int(found[wanted[0]]) + int(found[wanted[2]]), int(found[wanted[1]])


@pytest.fixture
def place(store: Store, endpoint: str) -> Place:
    return Place(store, endpoint)


@job("add")
def add(ctx: JobContext, a: int, b: int) -> int:
    return a + b


def test_a_message_wakes_a_worker_up_and_is_gone_when_the_job_has_ended(place: Place) -> None:
    # The way on AWS: enqueue writes the table and sends the id; any worker takes it from there.
    made = place.queue.enqueue(add, {"a": 1, "b": 2})
    assert place.messages() == (1, 0)
    poller = place.poller(add)
    assert poller.run_once() is True
    assert place.queue.get(made.job_id).result == 3
    assert place.messages() == (0, 0)
    assert poller.run_once() is False


def test_a_message_carries_the_id_and_no_arguments(place: Place) -> None:
    # What a job is about stays in the table, whose access is controlled.
    made = place.queue.enqueue(add, {"a": 1, "b": 2})
    (message,) = place.client.receive_message(QueueUrl=place.sqs.url)["Messages"]
    assert json.loads(message["Body"]) == {"jobId": made.job_id, "queue": "sqs"}


def test_a_message_of_a_job_that_is_done_already_is_dropped(place: Place) -> None:
    # SQS delivers at least once, and a sweep may have been faster.
    made = place.queue.enqueue(add, {"a": 1, "b": 2})
    place.worker(add).run_once()
    assert place.poller(add).run_once() is True
    assert place.messages() == (0, 0)
    assert len(place.queue.attempts(made.job_id)) == 1


def test_a_message_stays_until_the_last_try(place: Place) -> None:
    # Backoff is the message's visibility timeout: it comes again when the job is due.
    later: list[float] = []
    original = place.sqs.postpone

    def listen(receipt: str, seconds: float) -> None:
        later.append(seconds)
        original(receipt, 0)

    place.sqs.postpone = listen  # type: ignore[method-assign]

    @job("fail", retries=1, backoff=Backoff(first_seconds=40))
    def fail(ctx: JobContext) -> None:
        raise OSError

    made = place.queue.enqueue(fail)
    poller = place.poller(fail)
    assert poller.run_once() is True
    assert (later, place.queue.get(made.job_id).status) == ([40.0], "pending")
    place.clock.advance(10)
    assert poller.run_once() is True  # a message that comes too early changes nothing
    assert (later[1], place.queue.get(made.job_id).attempt) == (30.0, 1)
    place.clock.advance(30)
    assert poller.run_once() is True
    assert place.queue.get(made.job_id).status == "failed"
    assert place.messages() == (0, 0)


def test_a_message_of_a_job_that_runs_elsewhere_waits_for_the_end_of_its_lease(
    place: Place,
) -> None:
    # The worker that runs it may be alive or gone: the lease tells.
    waits: list[float | None] = []

    @job("long")
    def long(ctx: JobContext) -> None:
        place.clock.advance(12)
        waits.append(place.worker(long).run_announced(ctx.job.job_id))

    made = place.queue.enqueue(long)
    place.worker(long).run_job(made.job_id)
    assert waits == [18.0]
    assert place.worker(long).run_announced(made.job_id) is None


def test_a_job_whose_worker_is_gone_is_run_by_the_next_message(place: Place) -> None:
    made = place.queue.enqueue(add, {"a": 1, "b": 2})
    assert place.worker(add)._picker.next() is not None
    place.clock.advance(31)
    assert place.poller(add).run_once() is True
    assert place.queue.get(made.job_id).result == 3
    assert [attempt.outcome for attempt in place.queue.attempts(made.job_id)] == [
        "lost",
        "completed",
    ]


def test_a_job_whose_worker_died_twice_is_dead_lettered_and_its_message_is_gone(
    place: Place,
) -> None:
    # SQS would deliver the message again for days, and each delivery would cost a worker.
    made = place.queue.enqueue(add, {"a": 1, "b": 2}, retries=1000)
    for _ in range(2):
        assert place.worker(add)._picker.take(made.job_id) is not None
        place.clock.advance(31)
    assert place.poller(add).run_once() is True
    dead = place.queue.get(made.job_id)
    assert (dead.status, dead.error) == ("failed", "its worker died twice while running it")
    assert place.messages() == (0, 0)


def test_a_job_that_is_held_back_by_a_limit_is_asked_for_again_soon(place: Place) -> None:
    inside: list[float | None] = []

    @job("hold")
    def hold(ctx: JobContext) -> None:
        inside.append(place.worker(hold).run_announced(second.job_id))

    first = place.queue.enqueue(hold, key="k")
    second = place.queue.enqueue(hold, key="k")
    place.worker(hold).run_job(first.job_id)
    assert inside == [1.0]


def test_a_long_delay_is_waited_for_in_parts(place: Place) -> None:
    # SQS delays 15 minutes at most, and hides a message 12 hours at most.
    place.queue.enqueue(add, {"a": 1, "b": 2}, delay=3 * 86_400)
    assert place.messages() == (1, 0)
    assert place.poller(add).run_once() is False
    place.queue.enqueue(add, {"a": 1, "b": 3})
    (message,) = place.sqs.receive(0, 30)
    place.sqs.postpone(message["ReceiptHandle"], 3 * 86_400)
    assert place.messages()[1] == 1


def test_what_was_never_announced_is_found_by_the_sweep(place: Place) -> None:
    # The program died between the table and the message.
    silent = JobQueue(place.store, "sqs", clock=place.clock)
    made = [silent.enqueue(add, {"a": 1, "b": n}) for n in range(3)]
    poller = place.poller(add)
    assert poller.run_once() is False
    poller.sweep()
    assert [silent.get(each.job_id).result for each in made] == [1, 2, 3]


def test_a_job_that_cannot_be_announced_is_enqueued_all_the_same(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    # It is in the table: a caller who sees the failure enqueues it once more, and it is done
    # twice.
    caplog.set_level(logging.CRITICAL, "sortkey.jobs")
    place.client.delete_queue(QueueUrl=place.sqs.url)
    made = place.queue.enqueue(add, {"a": 1, "b": 2})
    place.poller(add).sweep()
    assert place.queue.get(made.job_id).result == 3


def test_enqueueing_again_under_the_same_key_announces_again(place: Place) -> None:
    # The caller that died in between calls again, and now the message is sent.
    silent = JobQueue(place.store, "sqs", clock=place.clock)
    made = silent.enqueue(add, {"a": 1, "b": 2}, idempotency_key="k")
    assert place.queue.enqueue(add, {"a": 1, "b": 2}, idempotency_key="k").job_id == made.job_id
    assert place.messages() == (1, 0)


@pytest.mark.parametrize(
    "body", ["hello", "[]", '{"jobId": "JOB-1"}', '{"jobId": "JOB-1", "queue": "other"}']
)
def test_a_message_that_is_not_about_our_jobs_is_left_alone(
    place: Place, body: str, caplog: pytest.LogCaptureFixture
) -> None:
    # Somebody has mixed up two queues. Deleting it would lose it for the one it is for.
    caplog.set_level(logging.CRITICAL, "sortkey.jobs")
    place.client.send_message(QueueUrl=place.sqs.url, MessageBody=body)
    assert place.poller(add).run_once() is True
    assert place.messages() == (0, 1)


# -- Lambda


def records(*jobs: Job | str, place: Place) -> dict[str, Any]:
    """An event as Lambda makes it of messages that it has received."""
    found: list[dict[str, Any]] = []
    while messages := place.sqs.receive(0, 30):
        found += messages
    assert len(found) == len(jobs)
    return {
        "Records": [
            {
                "messageId": each["MessageId"],
                "receiptHandle": each["ReceiptHandle"],
                "body": each["Body"],
            }
            for each in found
        ]
    }


def test_lambda_is_told_which_messages_to_keep(place: Place) -> None:
    # Partial batch failures: jobs that are done go, those that are to be tried again stay.
    @job("odd", backoff=Backoff(first_seconds=40))
    def odd(ctx: JobContext, n: int) -> int:
        if n == 1:
            raise OSError
        return n

    made = [place.queue.enqueue(odd, {"n": n}) for n in range(3)]
    event = records(*made, place=place)
    by_job = {
        json.loads(record["body"])["jobId"]: record["messageId"] for record in event["Records"]
    }
    answer = place.sqs.lambda_handler(place.worker(odd))(event, None)
    assert answer == {"batchItemFailures": [{"itemIdentifier": by_job[made[1].job_id]}]}
    assert [place.queue.get(each.job_id).status for each in made] == [
        "completed",
        "pending",
        "completed",
    ]


def test_lambda_keeps_a_message_that_could_not_be_handled(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    # The table did not answer: the other messages of the batch are done all the same.
    caplog.set_level(logging.CRITICAL, "sortkey.jobs")
    made = [place.queue.enqueue(add, {"a": 1, "b": n}) for n in range(2)]
    event = records(*made, place=place)
    event["Records"][0]["receiptHandle"] = None
    event["Records"][0]["body"] = "?"
    answer = place.sqs.lambda_handler(place.worker(add))(event, None)
    assert [failure["itemIdentifier"] for failure in answer["batchItemFailures"]] == [
        event["Records"][0]["messageId"]
    ]


# -- threads


def test_a_started_worker_takes_messages_until_it_is_stopped(place: Place) -> None:
    queue = JobQueue(place.store, "sqs", announcer=place.sqs)
    worker = SqsJobWorker(
        JobWorker(place.store, [add], queue="sqs"), place.sqs, threads=2, wait_seconds=1
    )
    place.sqs._clock = queue._environment.clock
    with worker:
        made = [queue.enqueue(add, {"a": 1, "b": n}) for n in range(6)]
        assert [queue.wait(each.job_id, 30).result for each in made] == [1, 2, 3, 4, 5, 6]
    left = queue.enqueue(add, {"a": 1, "b": 2})
    assert queue.get(left.job_id).status == "pending"
    assert place.messages()[0] == 1
