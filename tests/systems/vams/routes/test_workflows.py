"""Workflows by requests: which pipelines they may use, and who may do what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.vams.host import READER, Requests
from tests.systems.vams.workflows.work import Work


@pytest.fixture(scope="module")
def work(requests: Requests) -> Work:
    made = Work(requests)
    Work(requests, "plant-two").pipeline("elsewhere", "vams-copy")
    made.pipeline("local-copy", "vams-copy", inputParameters={"suffix": "-x"})
    made.pipeline("global-copy", "vams-copy", databaseId="GLOBAL")
    return made


def body(*functions: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {
        "workflowId": "flow-one",
        "databaseId": "plant-one",
        "description": "of a test",
        "specifiedPipelines": {
            "functions": [{"name": name, "databaseId": where} for name, where in functions]
        },
        "autoTriggerOnFileExtensionsUpload": "",
        **more,
    }


LOCAL, GLOBAL = ("local-copy", "plant-one"), ("global-copy", "GLOBAL")


@pytest.mark.parametrize(
    ("wanted", "status", "reason"),
    [
        (body(), 400, "functions"),
        (body(*[LOCAL] * 21), 400, "functions"),
        (body(("missing-one", "plant-one")), 404, "missing-one does not exist"),
        (body(("elsewhere", "plant-two")), 400, "GLOBAL and of plant-one only"),
        (body(LOCAL, databaseId="GLOBAL"), 400, "of GLOBAL only"),
        (body(LOCAL, databaseId="nowhere-at-all"), 404, "database"),
        (body(LOCAL, workflowId="executions"), 400, "part of a path"),
        (body(LOCAL, workflowId="x"), 400, "workflowId"),
        (body(LOCAL, description=""), 400, "description"),
    ],
)
def test_what_cannot_be_a_workflow_is_refused(
    work: Work, wanted: dict[str, Any], status: int, reason: str
) -> None:
    # What is stored must be able to run.
    answer = work.refused("PUT", "/workflows", wanted)
    assert answer.status_code == status
    assert reason in answer.json()["message"]


def test_a_workflow_of_a_database_may_use_global_pipelines(work: Work) -> None:
    # In the original such a workflow can be stored, and never run.
    work.ok("PUT", "/workflows", body(LOCAL, GLOBAL, autoTriggerOnFileExtensionsUpload=".GLB, obj"))
    found = work.ok("GET", "/database/plant-one/workflows/flow-one")["message"]
    functions = found["specifiedPipelines"]["functions"]
    assert [(each["name"], each["databaseId"]) for each in functions] == [LOCAL, GLOBAL]
    assert functions[0]["inputParameters"] == '{"suffix": "-x"}'  # of the pipeline
    assert found["autoTriggerOnFileExtensionsUpload"] == "glb,obj"
    assert found["workflow_arn"].startswith("arn:")
    assert found["dateCreated"]
    for path in ("/workflows", "/database/plant-one/workflows"):
        assert found in work.ok("GET", path)["message"]["Items"]


def test_what_runs_a_step_is_the_pipelines_and_not_the_callers(work: Work) -> None:
    # Who may write a workflow must not name a program.
    wanted = body(LOCAL)
    wanted["specifiedPipelines"]["functions"][0]["userProvidedResource"] = '{"resourceId": "rm"}'
    work.ok("PUT", "/workflows", {**wanted, "workflowId": "sly-flow"})
    found = work.ok("GET", "/database/plant-one/workflows/sly-flow")["message"]
    assert "vams-copy" in found["specifiedPipelines"]["functions"][0]["userProvidedResource"]


def test_a_deleted_workflow_is_shown_only_on_request(work: Work) -> None:
    # Its runs name it still.
    work.ok("PUT", "/workflows", body(LOCAL, workflowId="going"))
    path = "/database/plant-one/workflows/going"
    for _ in range(2):  # the same id may be deleted again
        work.ok("PUT", "/workflows", body(LOCAL, workflowId="going"))
        work.ok("DELETE", path)
    assert work.refused("GET", path).status_code == 404
    assert work.refused("DELETE", path).status_code == 404
    assert work.ok("GET", f"{path}?showDeleted=true")["message"]["isDeleted"] is True


def test_reading_is_not_writing(work: Work) -> None:
    # And a pipeline that somebody may not see cannot be put into a workflow.
    work.ok("PUT", "/workflows", body(LOCAL, workflowId="kept-flow"))
    for method, path, wanted in (
        ("PUT", "/workflows", body(LOCAL)),
        ("DELETE", "/database/plant-one/workflows/kept-flow", None),
    ):
        assert work.refused(method, path, wanted, user=READER).status_code == 403
    requests = work.requests
    requests.permit("builders", "api", "GET PUT", route__path=".*")
    requests.permit("builders", "workflow", "GET PUT", databaseId="plant-one")
    requests.permit("builders", "pipeline", "GET", pipelineId="^local")
    requests.add_user("builder@example.com", "builders")
    user = "builder@example.com"
    work.ok("PUT", "/workflows", body(LOCAL, workflowId="builders-own"), user=user)
    denied = work.refused("PUT", "/workflows", body(GLOBAL, workflowId="more-flow"), user=user)
    assert denied.status_code == 403
