"""Pipelines by requests: what is refused, who may do what, and what stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sortkey_systems.vams.model import Pipeline
from tests.systems.vams.host import READER, Requests
from tests.systems.vams.workflows.work import Work

VALID = {
    "pipelineId": "web-copy",
    "databaseId": "plant-one",
    "pipelineType": "standardFile",
    "pipelineExecutionType": "Lambda",
    "description": "copies",
    "assetType": ".glb",
    "outputType": ".glb",
}


@pytest.fixture(scope="module")
def work(requests: Requests) -> Work:
    return Work(requests)


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        ({"pipelineId": "abc"}, 400, "pipelineId"),
        ({"pipelineId": "a b c d"}, 400, "pipelineId"),
        ({"pipelineId": "executions"}, 400, "part of a path"),
        ({"databaseId": "no-such-database"}, 404, "does not exist"),
        ({"databaseId": "global"}, 404, "does not exist"),
        ({"pipelineType": "other"}, 400, "pipelineType"),
        ({"pipelineExecutionType": "Batch"}, 400, "pipelineExecutionType"),
        ({"pipelineExecutionType": "SQS"}, 400, "needs sqsQueueUrl"),
        ({"pipelineExecutionType": "SQS", "sqsQueueUrl": "http://x"}, 400, "not registered"),
        ({"description": "abc"}, 400, "description"),
        ({"lambdaName": "unknown"}, 400, "not registered"),
        ({"taskTimeout": "604801"}, 400, "taskTimeout"),
        ({"taskTimeout": "0"}, 400, "taskTimeout"),
        ({"taskTimeout": "60", "taskHeartbeatTimeout": "60"}, 400, "less than taskTimeout"),
        ({"inputParameters": "not json"}, 400, "must be JSON text"),
        ({"inputParameters": "[1]"}, 400, "JSON object"),
        ({"inputParameters": "[" * 5000}, 400, "must be JSON text"),
        ({"waitForCallback": "Maybe"}, 400, "waitForCallback"),
    ],
)
def test_what_cannot_be_a_pipeline_is_refused(
    work: Work, change: dict[str, Any], status: int, reason: str
) -> None:
    # A wrong value would only show when a run fails, hours later.
    answer = work.refused("PUT", "/pipelines", {**VALID, **change})
    assert answer.status_code == status
    assert reason in answer.json()["message"]


def test_a_pipeline_reads_back_as_it_was_written(work: Work) -> None:
    # Clients copy these values into workflows.
    more = {"lambdaName": "vams-checksum", "taskTimeout": "600", "taskHeartbeatTimeout": 60}
    parameters = {"inputParameters": '{"size": 5}', "waitForCallback": "Enabled"}
    work.ok("PUT", "/pipelines", {**VALID, **more, **parameters})
    found = work.ok("GET", "/database/plant-one/pipelines/web-copy")["message"]
    for name, value in {**VALID, **parameters}.items():
        assert found[name] == value
    assert (found["taskTimeout"], found["taskHeartbeatTimeout"]) == ("600", "60")
    assert found["enabled"] is True
    assert json.loads(found["userProvidedResource"]) == {
        "isProvided": True,
        "resourceType": "Lambda",
        "resourceId": "vams-checksum",
    }
    for path in ("/pipelines", "/database/plant-one/pipelines"):
        assert found in work.ok("GET", path)["message"]["Items"]


def test_the_execution_type_never_changes_and_the_rest_does(work: Work) -> None:
    # Runs that are underway rely on it.
    work.pipeline("typed", "vams-copy")
    body = {**VALID, "pipelineId": "typed", "pipelineExecutionType": "EventBridge"}
    answer = work.refused("PUT", "/pipelines", body)
    assert answer.status_code == 400
    work.pipeline("typed", "vams-copy", description="another text", enabled=False)
    found = work.ok("GET", "/database/plant-one/pipelines/typed")["message"]
    assert (found["description"], found["enabled"]) == ("another text", False)
    work.pipeline("typed", "vams-copy")
    found = work.ok("GET", "/database/plant-one/pipelines/typed")["message"]
    assert found["enabled"] is False  # what is not given stays


def test_a_pipeline_in_use_cannot_be_deleted(work: Work) -> None:
    # The workflow could not run any more.
    work.pipeline("used", "vams-copy")
    work.workflow("user-of-it", "used")
    path = "/database/plant-one/pipelines/used"
    answer = work.refused("DELETE", path)
    assert answer.status_code == 400
    assert "user-of-it uses the pipeline" in answer.json()["message"]
    work.ok("DELETE", "/database/plant-one/workflows/user-of-it")
    work.ok("DELETE", path)
    assert work.refused("GET", path).status_code == 404
    assert work.refused("DELETE", path).status_code == 404
    assert work.ok("GET", f"{path}?showDeleted=yes")["message"]["isDeleted"] is True
    names = [each["pipelineId"] for each in work.ok("GET", "/pipelines")["message"]["Items"]]
    assert "used" not in names
    work.pipeline("used", "vams-copy")  # the name is free again
    work.ok("DELETE", path)


def test_a_deletion_notices_a_workflow_that_comes_in_between(work: Work) -> None:
    # Both look at the same time, and each sees the other too late.
    work.pipeline("raced", "vams-copy")
    pipelines = work.service.pipelines
    seen = pipelines.find("plant-one", "raced")
    assert seen is not None
    work.workflow("racer", "raced")
    changed = pipelines.find("plant-one", "raced")
    assert changed is not None
    assert changed.usage_mark != seen.usage_mark


def test_associated_workflows_change_when_that_is_wanted(work: Work) -> None:
    # A workflow has the settings of the time it was made, until somebody wants otherwise.
    work.pipeline("tuned", "vams-copy", inputParameters={"suffix": "-a"})
    work.workflow("tuned-flow", "tuned")

    def parameters() -> str:
        found = work.ok("GET", "/database/plant-one/workflows/tuned-flow")["message"]
        return found["specifiedPipelines"]["functions"][0]["inputParameters"]

    work.pipeline("tuned", "vams-copy", inputParameters={"suffix": "-b"})
    assert parameters() == '{"suffix": "-a"}'
    work.pipeline(
        "tuned", "vams-copy", inputParameters={"suffix": "-c"}, updateAssociatedWorkflows=True
    )
    assert parameters() == '{"suffix": "-c"}'


def test_a_pipeline_changes_and_names_only_workflows_that_its_writer_may_use(work: Work) -> None:
    # Who may write pipelines alone could rewrite the workflows of others, or learn their names.
    work.pipeline("shared", "vams-copy", inputParameters={"suffix": "-a"})
    work.workflow("not-theirs", "shared")
    user = "piper@example.com"
    work.requests.permit("pipers", "api", "GET PUT DELETE", route__path=".*")
    work.requests.permit("pipers", "pipeline", "GET PUT DELETE", pipelineId="shared")
    work.requests.add_user(user, "pipers")
    body = {**VALID, "pipelineId": "shared", "inputParameters": '{"suffix": "-b"}'}
    both = {**body, "updateAssociatedWorkflows": True}
    assert work.refused("PUT", "/pipelines", both, user=user).status_code == 403
    stored = work.ok("GET", "/database/plant-one/workflows/not-theirs")["message"]
    assert stored["specifiedPipelines"]["functions"][0]["inputParameters"] == '{"suffix": "-a"}'
    work.ok("PUT", "/pipelines", body, user=user)
    answer = work.refused("DELETE", "/database/plant-one/pipelines/shared", user=user)
    assert answer.status_code == 400
    assert "not-theirs" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/pipelines", {**VALID, "pipelineId": "mine-own"}),
        ("DELETE", "/database/plant-one/pipelines/web-copy", None),
    ],
)
def test_who_may_only_read_writes_nothing(
    work: Work, method: str, path: str, body: dict[str, Any] | None
) -> None:
    # A pipeline runs programs.
    assert work.refused(method, path, body, user=READER).status_code == 403
    key = Pipeline.key(database_id="plant-one", pipeline_id="mine-own")
    assert work.service.store.find(key) is None


def test_lists_show_what_a_caller_may_see(work: Work) -> None:
    # The names of pipelines tell what a company does.
    work.pipeline("seen-here", "vams-copy")
    work.pipeline("not-seen", "vams-copy")
    work.requests.permit("watchers", "api", "GET", route__path=".*")
    work.requests.permit("watchers", "pipeline", "GET", pipelineId="^seen")
    work.requests.add_user("watcher@example.com", "watchers")
    items = work.ok("GET", "/pipelines", user="watcher@example.com")["message"]["Items"]
    assert [each["pipelineId"] for each in items] == ["seen-here"]
    path = "/database/plant-one/pipelines/"
    assert work.refused("GET", f"{path}not-seen", user="watcher@example.com").status_code == 403
    assert work.refused("GET", f"{path}missing", user="watcher@example.com").status_code == 404


def test_pages_are_whole_and_in_order(work: Work) -> None:
    # A page of two has two, until nothing follows.
    for number in range(5):
        work.pipeline(f"page-{number}", "vams-copy")
    found: list[str] = []
    token = ""
    for _ in range(20):
        path = f"/database/plant-one/pipelines?pageSize=2&startingToken={token}"
        page = work.ok("GET", path)["message"]
        found += [each["pipelineId"] for each in page["Items"]]
        token = page["NextToken"]
        if token is None:
            break
        assert len(page["Items"]) == 2
    assert found == sorted(found)
    assert {f"page-{number}" for number in range(5)} <= set(found)
    assert work.refused("GET", "/pipelines?startingToken=bm9uZQ==").status_code == 400
