"""Jobs behind SQS: a message carries the id of a job and wakes a worker. The table stays the source
of truth.

A message stays in its queue until its job has ended. If the worker dies, the message reappears
after its visibility timeout. If the job has to wait, the timeout is set to that. A lost message
only costs time: workers also poll the table.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import orjson

from sortkey.errors import NotConfigured
from sortkey.runtime.jobs.records import Job
from sortkey.runtime.jobs.worker import JobWorker

DELAY_SECONDS_MAX = 900
VISIBILITY_SECONDS_MAX = 39_600
"""SQS hides a message for at most 12 hours after it was received. This leaves an hour for the run.
"""

FAILED_PAUSE_SECONDS = 5.0

log = logging.getLogger("sortkey.jobs")

LambdaHandler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class SqsJobs:
    """One SQS queue, by its URL. Give it to a `JobQueue` as `announcer`."""

    def __init__(
        self,
        url: str,
        *,
        region: str | None = None,
        endpoint: str | None = None,
        profile: str | None = None,
        credentials: tuple[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.url = url
        self._clock = clock
        self._sqs = _client(region, endpoint, profile, credentials)

    @classmethod
    def from_name(cls, name: str, **connection: Any) -> Self:
        """The queue with a name, created if it does not exist."""
        queue = cls("", **connection)
        queue.url = queue._sqs.create_queue(QueueName=name)["QueueUrl"]
        return queue

    def announce(self, job: Job) -> None:
        """Put a message for a job into the queue. A delay of more than 15 minutes is split."""
        wait = 0.0 if job.due_at is None else job.due_at.timestamp() - self._clock()
        body = orjson.dumps({"jobId": job.job_id, "queue": job.queue}).decode()
        delay = min(max(math.ceil(wait), 0), DELAY_SECONDS_MAX)
        self._sqs.send_message(QueueUrl=self.url, MessageBody=body, DelaySeconds=delay)

    def receive(self, wait_seconds: int, visible_after_seconds: float) -> list[dict[str, Any]]:
        """One message, or none after a while."""
        answer = self._sqs.receive_message(
            QueueUrl=self.url,
            MaxNumberOfMessages=1,
            WaitTimeSeconds=wait_seconds,
            VisibilityTimeout=min(max(math.ceil(visible_after_seconds), 1), VISIBILITY_SECONDS_MAX),
        )
        return answer.get("Messages", [])

    def delete(self, receipt: str) -> None:
        self._sqs.delete_message(QueueUrl=self.url, ReceiptHandle=receipt)

    def postpone(self, receipt: str, seconds: float) -> None:
        """Hide a message for so many seconds."""
        timeout = min(max(math.ceil(seconds), 0), VISIBILITY_SECONDS_MAX)
        self._sqs.change_message_visibility(
            QueueUrl=self.url, ReceiptHandle=receipt, VisibilityTimeout=timeout
        )

    def lambda_handler(self, worker: JobWorker) -> LambdaHandler:
        """A handler for AWS Lambda. Its event source must enable ReportBatchItemFailures."""

        def handle(event: Mapping[str, Any], context: object) -> dict[str, Any]:
            failed = [
                record["messageId"]
                for record in event["Records"]
                if not self._is_handled(worker, record)
            ]
            return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}

        return handle

    def _is_handled(self, worker: JobWorker, record: Mapping[str, Any]) -> bool:
        """Handle a message. False if it must come again, for whatever reason."""
        try:
            again = run_message(worker, record["body"])
            if again is not None:
                self.postpone(record["receiptHandle"], again)
        except Exception:
            log.exception("a message about a job could not be handled and will be retried")
            return False
        return again is None


class SqsJobWorker:
    """Runs the jobs that an SQS queue announces, several at a time. It needs no dead-letter queue:
    the table has the failed jobs.
    """

    def __init__(
        self,
        worker: JobWorker,
        queue: SqsJobs,
        *,
        threads: int = 4,
        wait_seconds: int = 20,
        sweep_seconds: float = 60.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Every `sweep_seconds` the table is searched for jobs that were not announced."""
        self.worker, self.queue = worker, queue
        self._wait_seconds, self._sweep_seconds, self._clock = wait_seconds, sweep_seconds, clock
        self._swept_at = clock()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]

    def start(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self, *, finish: bool = False, wait_seconds: float = 30.0) -> bool:
        """Like `JobWorker.stop`."""
        self._stopping.set()
        ended = self.worker.stop(finish=finish, wait_seconds=wait_seconds)
        for thread in self._threads:
            thread.join(self._wait_seconds + 1)
        return ended

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def run_once(self) -> bool:
        """Receive and handle one message. False if there was none."""
        for message in self.queue.receive(self._wait_seconds, self.worker.lease_seconds):
            again = run_message(self.worker, message["Body"])
            if again is None:
                self.queue.delete(message["ReceiptHandle"])
            else:
                self.queue.postpone(message["ReceiptHandle"], again)
            return True
        return False

    def sweep(self) -> None:
        """Run due jobs that were not announced or whose message was lost."""
        while self.worker.run_once() is not None:
            pass

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.run_once()
                if self._clock() >= self._swept_at + self._sweep_seconds:
                    self._swept_at = self._clock()
                    self.sweep()
            except Exception:
                log.exception("messages about jobs could not be handled and will be retried")
                self._stopping.wait(FAILED_PAUSE_SECONDS)


def run_message(worker: JobWorker, body: str) -> float | None:
    """Run the job of a message. Returns the seconds until the message must come again, or None."""
    try:
        message: Any = orjson.loads(body)
        job_id, queue = str(message["jobId"]), str(message["queue"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        log.error("ignored a message that is not about a job: %.200s", body)
        return worker.lease_seconds  # not ours to delete
    if queue != worker.queue:
        log.error(
            "job %s belongs to the queue %s, but this worker runs %s", job_id, queue, worker.queue
        )
        return worker.lease_seconds
    return worker.run_announced(job_id)


def _client(
    region: str | None,
    endpoint: str | None,
    profile: str | None,
    credentials: tuple[str, str] | None,
) -> Any:
    try:
        import boto3  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise NotConfigured("jobs behind SQS need boto3: pip install 'sortkey[aws]'") from None
    access_key, secret_key = credentials or (None, None)
    session: Any = boto3.Session(access_key, secret_key, region_name=region, profile_name=profile)
    return session.client("sqs", endpoint_url=endpoint)
