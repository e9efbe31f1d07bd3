"""Runs by requests: starting, listing, aborting and repeating them, and who may."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sortkey import Job
from sortkey_systems.vams.model import WorkflowExecution
from sortkey_systems.vams.workflows.executions import Busy
from sortkey_systems.vams.workflows.values import StartValues
from tests.systems.vams.host import ADMIN, READER, Requests
from tests.systems.vams.workflows.work import Work


@pytest.fixture(scope="module")
def work(requests: Requests) -> Work:
    made = Work(requests)
    made.asset("pump", a__txt=b"hello", b__txt=b"world")
    made.made("copy-flow", "vams-copy")
    made.made("other-flow", "vams-copy")
    return made


def listed(work: Work, path: str, **more: Any) -> list[str]:
    items = work.ok("GET", work.base("pump") + path, **more)["message"]["Items"]
    return [each["executionId"] for each in items]


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("/database/plant-one/assets/none/workflows/copy-flow", {}, 404, "Asset not found"),
        ("/database/nowhere/assets/pump/workflows/copy-flow", {}, 404, "not found"),
        ("/database/plant-one/assets/pump/workflows/no-flow", {}, 404, "does not exist"),
        (
            "/database/plant-one/assets/pump/workflows/copy-flow",
            {"workflowDatabaseId": "GLOBAL"},
            404,
            "does not exist",
        ),
        (
            "/database/plant-one/assets/pump/workflows/copy-flow",
            {"workflowDatabaseId": "plant-two"},
            400,
            "must be GLOBAL or the asset's",
        ),
        (
            "/database/plant-one/assets/pump/workflows/copy-flow",
            {"fileKey": "/missing.txt"},
            404,
            "File not found",
        ),
        (
            "/database/plant-one/assets/pump/workflows/copy-flow",
            {"fileKey": "/../other/secret.txt"},
            404,
            "File not found",
        ),
    ],
)
def test_what_cannot_start_is_refused(
    work: Work, path: str, body: dict[str, Any], status: int, reason: str
) -> None:
    # Each with the status that says what to correct.
    answer = work.refused("POST", path, body)
    assert answer.status_code == status
    assert reason in answer.json()["message"]


def test_lists_are_the_newest_first_by_get_and_by_post(work: Work) -> None:
    # The command line tool lists by POST. The original then runs a workflow named "executions".
    first = work.start("pump", "copy-flow", "/a.txt")
    second = work.start("pump", "other-flow", "a.txt")
    third = work.start("pump", "copy-flow", "/b.txt")
    assert listed(work, "/executions")[:3] == [third, second, first]
    assert listed(work, "/executions/copy-flow")[:2] == [third, first]
    assert listed(work, "/executions/copy-flow?workflowDatabaseId=plant-one")[:2] == [third, first]
    assert listed(work, "/executions/copy-flow?workflowDatabaseId=GLOBAL") == []
    before = len(listed(work, "/executions"))
    answer = work.ok(
        "POST",
        f"{work.base('pump')}/executions/copy-flow",
        {"workflowDatabaseId": "plant-one", "pageSize": 1},
    )["message"]
    assert [each["executionId"] for each in answer["Items"]] == [third]
    more = {"pageSize": 1, "startingToken": answer["NextToken"]}
    answer = work.ok("POST", f"{work.base('pump')}/executions/copy-flow", more)["message"]
    assert [each["executionId"] for each in answer["Items"]] == [first]
    assert work.ok("POST", f"{work.base('pump')}/executions")["message"]["Items"]
    assert len(listed(work, "/executions")) == before
    shown = answer["Items"][0]
    assert set(shown) == {
        "workflowDatabaseId",
        "workflowId",
        "executionId",
        "executionStatus",
        "startDate",
        "stopDate",
        "inputAssetFileKey",
    }
    assert shown["executionStatus"] in ("NEW", "RUNNING")
    assert shown["inputAssetFileKey"].endswith("/a.txt")
    for name, execution in (("copy-flow", first), ("other-flow", second), ("copy-flow", third)):
        work.ok("POST", f"{work.base('pump')}/executions/{name}/{execution}/abort")


def test_a_page_has_at_most_fifty(work: Work) -> None:
    # The rule of the interface; older runs follow by the token.
    work.asset("often")
    rows = [
        WorkflowExecution(
            database_id="plant-one",
            asset_id="often",
            execution_id=f"run-{number:04d}",
            workflow_database_id="plant-one",
            workflow_id="copy-flow",
            execution_status="SUCCEEDED",
        )
        for number in range(120)
    ]
    work.service.store.batch_write(rows)
    path, found, token = f"{work.base('often')}/executions", list[str](), ""
    for count in (50, 50, 20):
        page = work.ok("GET", f"{path}?pageSize=500&startingToken={token}")["message"]
        assert len(page["Items"]) == count
        found += [each["executionId"] for each in page["Items"]]
        token = page["NextToken"]
    assert token is None
    assert found == [f"run-{number:04d}" for number in reversed(range(120))]


def test_one_run_at_a_time_per_workflow_and_file(work: Work) -> None:
    # Two at once would write the same outputs.
    work.asset("busy", a__txt=b"a", b__txt=b"b")
    first = work.start("busy", "copy-flow", "/a.txt")
    body = {"workflowDatabaseId": "plant-one", "fileKey": "/a.txt"}
    answer = work.refused("POST", f"{work.base('busy')}/copy-flow", body)
    assert answer.status_code == 400
    assert "already running" in answer.json()["message"]
    work.start("busy", "copy-flow", "/b.txt")
    work.start("busy", "other-flow", "/a.txt")
    work.start("busy", "copy-flow")  # the asset as a whole is not the file
    abort = f"{work.base('busy')}/executions/copy-flow/{first}/abort"
    assert work.ok("POST", abort)["success"] is True
    assert work.execution("busy", "copy-flow", first)["executionStatus"] == "ABORTED"
    assert work.refused("POST", abort).status_code == 400
    again = work.ok("POST", f"{work.base('busy')}/executions/copy-flow/{first}/rerun")["message"]
    assert again != first
    found = work.execution("busy", "copy-flow", again)
    assert found["inputAssetFileKey"].endswith("busy/a.txt")


def test_a_pipeline_that_is_not_enabled_does_not_run(work: Work) -> None:
    # The original cannot disable one at all.
    work.made("off-flow", "vams-copy", enabled=False)
    answer = work.refused("POST", f"{work.base('pump')}/off-flow", {})
    assert (answer.status_code, "not enabled" in answer.json()["message"]) == (400, True)


def test_a_run_needs_asset_workflow_and_pipelines(work: Work) -> None:
    # Each permission by itself is not enough; all three are.
    requests, path = work.requests, f"{work.base('pump')}/copy-flow"
    user = "runner@example.com"
    requests.permit("runners", "api", "GET POST", route__path=".*")
    requests.add_user(user, "runners")
    body = {"workflowDatabaseId": "plant-one", "fileKey": "/b.txt"}
    for object_type in ("asset", "workflow", "pipeline"):
        assert work.refused("POST", path, body, user=user).status_code == 403
        requests.permit("runners", object_type, "POST", databaseId="plant-one")
    execution_id = work.ok("POST", path, body, user=user)["message"]
    one = f"{work.base('pump')}/executions/copy-flow/{execution_id}"
    for method, place in (("GET", one), ("GET", f"{one}/logs")):
        assert work.refused(method, place, user=user).status_code == 403
    for place in ("abort", "rerun"):
        assert work.refused("POST", f"{one}/{place}", user=READER).status_code == 403
    work.ok("POST", f"{one}/abort", user=user)


def test_runs_of_workflows_that_a_caller_may_not_see_are_not_listed(work: Work) -> None:
    # Also not by their number: pages are filled with visible ones.
    requests, user = work.requests, "lister@example.com"
    requests.permit("listers", "api", "GET POST", route__path=".*")
    requests.permit("listers", "asset", "GET", databaseId="plant-one")
    requests.permit("listers", "workflow", "GET", workflowId="^other")
    requests.add_user(user, "listers")
    hidden = work.start("pump", "copy-flow", "/a.txt")
    shown = work.start("pump", "other-flow", "/a.txt")
    items = work.ok("GET", f"{work.base('pump')}/executions", user=user)["message"]["Items"]
    assert {each["workflowId"] for each in items} == {"other-flow"}
    assert shown in [each["executionId"] for each in items]
    place = f"{work.base('pump')}/executions/copy-flow"
    denied = work.refused("GET", f"{place}?workflowDatabaseId=plant-one", user=user)
    assert denied.status_code == 403
    assert work.refused("GET", f"{place}/{hidden}", user=user).status_code == 403
    assert work.refused("GET", f"{place}/missing", user=user).status_code == 404


def test_of_many_starts_at_once_one_succeeds(work: Work) -> None:
    # Two people press the same button.
    work.asset("pressed", a__txt=b"x")
    caller = work.service.access.caller(ADMIN)
    wanted = StartValues(workflowDatabaseId="plant-one", fileKey="/a.txt")

    def start(_: int) -> bool:
        try:
            work.service.executions.start(caller, "plant-one", "pressed", "copy-flow", wanted)
        except Busy:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(start, range(16))) == 1
    items = work.ok("GET", f"{work.base('pressed')}/executions")["message"]["Items"]
    assert len(items) == 1


def test_a_run_whose_job_was_lost_is_not_underway_for_ever(work: Work) -> None:
    # Its file would stay locked.
    work.asset("orphan", a__txt=b"x")
    execution_id = work.start("orphan", "copy-flow", "/a.txt")
    run = work.service.run_records.find("plant-one", "orphan", execution_id)
    assert run is not None
    assert run.job_id is not None
    work.service.store.delete(Job.key(job_id=run.job_id))
    again = work.start("orphan", "copy-flow", "/a.txt")
    lost = work.execution("orphan", "copy-flow", execution_id)
    assert (lost["executionStatus"], "its job was lost" in lost["error"]) == ("FAILED", True)
    work.ok("POST", f"{work.base('orphan')}/executions/copy-flow/{again}/abort")
