"""Steps that wait for SendTaskSuccess, SendTaskFailure and heartbeats, over HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
import uvicorn
from httpx import Response

from sortkey import Job
from sortkey_systems.vams.workflows import run_changes
from sortkey_systems.vams.workflows.callbacks import CallbackRefused
from tests.systems.vams.host import Requests, hosted
from tests.systems.vams.workflows.work import Work

pytestmark = pytest.mark.slow  # each starts processes
WAITING = {"waitForCallback": "Enabled"}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Work]:
    with hosted(tmp_path_factory.mktemp("callbacks")) as requests:
        made = Work(requests)
        made.made("wait-flow", "keep_message", **WAITING)
        made.made("beat-flow", "keep_message", taskHeartbeatTimeout="30", **WAITING)
        yield made


def send(requests: Requests, operation: str, **body: Any) -> Response:
    headers = {
        "X-Amz-Target": f"AWSStepFunctions.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
    }
    return requests.client.post("/", content=json.dumps(body), headers=headers)


def waiting(work: Work, asset_id: str, workflow_id: str) -> tuple[str, str]:
    """A run whose step waits, and the token that its function was given."""
    work.asset(asset_id, a__txt=b"x")
    execution_id = work.start(asset_id, workflow_id, "/a.txt")
    work.run_due()
    objects = work.service.assets.place_of(work.found(asset_id)).objects
    (key,) = [
        each.key
        for each in objects.list("pipelines/").objects
        if execution_id in each.key and each.key.endswith("message.json")
    ]
    return execution_id, json.loads(objects.read(key))["TaskToken"]


def test_a_success_carries_the_run_on(work: Work) -> None:
    # The function has handed its work to somebody else, who reports later.
    execution_id, token = waiting(work, "handed", "wait-flow")
    state = work.execution("handed", "wait-flow", execution_id)
    assert (state["executionStatus"], state["steps"][0]["status"]) == ("RUNNING", "WAITING")
    assert send(work.requests, "SendTaskHeartbeat", taskToken=token).json() == {}
    answer = send(work.requests, "SendTaskSuccess", taskToken=token, output="{}")
    assert (answer.status_code, answer.json()) == (200, {})
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    work.run_due()
    done = work.execution("handed", "wait-flow", execution_id)
    assert done["executionStatus"] == "SUCCEEDED", done
    again = send(work.requests, "SendTaskSuccess", taskToken=token, output="{}")
    assert (again.status_code, again.json()["__type"]) == (400, "TaskTimedOut")


def test_a_failure_is_tried_again_with_another_token(work: Work) -> None:
    # The token of an attempt that has failed says nothing about the next one.
    execution_id, token = waiting(work, "failing", "wait-flow")
    for _ in range(3):
        answer = send(
            work.requests, "SendTaskFailure", taskToken=token, error="Mesh", cause="it has holes"
        )
        assert answer.status_code == 200
        refused = send(work.requests, "SendTaskSuccess", taskToken=token, output="{}")
        assert refused.json()["__type"] == "TaskTimedOut"
        state = work.execution("failing", "wait-flow", execution_id)
        if state["executionStatus"] == "FAILED":
            break
        work.run_due()
        objects = work.service.assets.place_of(work.found("failing")).objects
        keys = [each.key for each in objects.list("pipelines/").objects]
        (key,) = [each for each in keys if execution_id in each and each.endswith("message.json")]
        token = json.loads(objects.read(key))["TaskToken"]
    done = work.execution("failing", "wait-flow", execution_id)
    assert (done["executionStatus"], done["error"]) == ("FAILED", "Mesh: it has holes")


@pytest.mark.parametrize(
    ("operation", "body", "kind"),
    [
        ("SendTaskSuccess", {"taskToken": "x.y", "output": "{}"}, "InvalidToken"),
        ("SendTaskSuccess", {"output": "{}"}, "ValidationException"),
        ("SendTaskSuccess", {"taskToken": "x.y", "output": "no json"}, "InvalidOutput"),
        ("SendTaskSuccess", {"taskToken": "x.y"}, "InvalidOutput"),
        ("SendTaskFailure", {"taskToken": "é"}, "InvalidToken"),
        ("SendTaskHeartbeat", {"taskToken": 7}, "ValidationException"),
        ("StartExecution", {}, "UnknownOperationException"),
    ],
)
def test_what_is_not_a_callback_is_refused(
    work: Work, operation: str, body: dict[str, Any], kind: str
) -> None:
    # The port is open to everybody: only a token that we wrote counts.
    answer = send(work.requests, operation, **body)
    assert (answer.status_code, answer.json()["__type"]) == (400, kind)


def test_an_aborted_run_takes_no_callback(work: Work) -> None:
    # Its outputs are gone.
    execution_id, token = waiting(work, "aborted", "wait-flow")
    work.ok("POST", f"{work.base('aborted')}/executions/wait-flow/{execution_id}/abort")
    answer = send(work.requests, "SendTaskSuccess", taskToken=token, output="{}")
    assert answer.json()["__type"] == "TaskTimedOut"
    assert work.leftovers("aborted") == []


def test_without_a_heartbeat_the_run_times_out(work: Work) -> None:
    # A worker that has died must not hold its file for a day.
    execution_id, token = waiting(work, "silent", "beat-flow")
    service = work.service
    run = service.run_records.find("plant-one", "silent", execution_id)
    assert run is not None
    assert run.job_id is not None
    watch = service.store.get(Job.key(job_id=run.job_id))
    assert watch.due_at is not None
    seconds = (watch.due_at - service.now()).total_seconds()
    assert 20 < seconds <= 30
    end, reason = run_changes.deadline_of(run.steps[0], service.now())
    assert "no heartbeat came for 30 s" in reason
    real = service.clock
    try:
        service.clock = lambda: end.timestamp() + 1
        service.step_jobs.check_deadline(run, 0, 1)
    finally:
        service.clock = real
    done = work.execution("silent", "beat-flow", execution_id)
    assert (done["executionStatus"], done["error"]) == ("TIMED_OUT", reason)
    assert send(work.requests, "SendTaskHeartbeat", taskToken=token).status_code == 400


def test_the_login_still_answers_on_the_same_path(work: Work) -> None:
    # Both protocols share POST /.
    headers = {"X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"}
    answer = work.requests.client.post("/", content="{}", headers=headers)
    assert answer.json()["__type"] == "ResourceNotFoundException"
    answer = work.requests.client.post("/", content="{}", headers={"X-Amz-Target": "Other.X"})
    assert answer.json()["__type"] == "UnknownOperationException"


@contextmanager
def served(requests: Requests) -> Iterator[str]:
    """The routes on a port of this machine."""
    server = uvicorn.Server(uvicorn.Config(requests.host.app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


def test_amazons_own_client_ends_a_step(work: Work) -> None:
    # Workers that were written for Step Functions set one variable, and run unchanged.
    execution_id, token = waiting(work, "by-boto", "wait-flow")
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    with served(work.requests) as url:
        client: Any = boto3.client("stepfunctions", "us-east-1", endpoint_url=url, **keys)
        client.send_task_heartbeat(taskToken=token)
        client.send_task_success(taskToken=token, output='{"done": true}')
        with pytest.raises(client.exceptions.TaskTimedOut):
            client.send_task_success(taskToken=token, output="{}")
        with pytest.raises(client.exceptions.InvalidToken):
            client.send_task_failure(taskToken="forged")
    work.run_due()
    done = work.execution("by-boto", "wait-flow", execution_id)
    assert done["executionStatus"] == "SUCCEEDED", done


def test_of_many_callbacks_at_once_one_counts(work: Work) -> None:
    # A worker that hears nothing repeats itself. The next step must begin once.
    execution_id, token = waiting(work, "repeated", "wait-flow")
    body = {"taskToken": token, "output": "{}"}

    def call(_: int) -> bool:
        try:
            return work.service.callbacks.answer("SendTaskSuccess", body) == {}
        except CallbackRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(call, range(8))) == 1
    work.run_due()
    done = work.execution("repeated", "wait-flow", execution_id)
    assert done["executionStatus"] == "SUCCEEDED", done
