"""Workflows that begin by themselves."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sortkey_systems.vams.access.callers import SYSTEM_USER
from sortkey_systems.vams.changes import FilesArrived
from sortkey_systems.vams.model import Workflow
from sortkey_systems.vams.workflows.auto_trigger import can_start, is_started_by
from tests.systems.vams.host import ADMIN
from tests.systems.vams.upload_client import upload
from tests.systems.vams.workflows.work import Work


@pytest.mark.parametrize(
    ("extensions", "path", "is_started"),
    [
        ("glb,obj", "/a/b.GLB", True),
        ("glb,obj", "/a/b.stl", False),
        ("glb", "/a/b.glb.txt", False),
        ("glb", "/glb", True),
        ("all", "/x", True),
        ("", "/a.glb", False),
    ],
)
def test_extensions_decide(extensions: str, path: str, is_started: bool) -> None:
    # In any case of letters, by the end of the name alone.
    workflow = Workflow(
        database_id="plant-one",
        workflow_id="flow",
        auto_trigger_on_file_extensions_upload=extensions,
    )
    assert is_started_by(workflow, path) is is_started


@pytest.mark.parametrize(
    ("path", "key", "may"),
    [
        ("/a.glb", "pump/a.glb", True),
        ("/a.glb.previewFile.png", "pump/a.glb.previewFile.png", False),
        ("/x/a.glb", "pipelines/x/a.glb", False),
        ("/a.glb", "previews/a.glb", False),
    ],
)
def test_previews_and_reserved_folders_start_nothing(path: str, key: str, may: bool) -> None:
    # A preview is made by a workflow: it would start itself.
    assert can_start(path, key) is may


def arrive(
    work: Work, asset_id: str, *paths: str, origin: str = "upload", change: str = ""
) -> None:
    arrival = FilesArrived(work.database_id, asset_id, paths, origin, ADMIN, change)
    work.service.auto_trigger.files_arrived(arrival)


def runs(work: Work, asset_id: str) -> list[dict[str, Any]]:
    return work.ok("GET", f"{work.base(asset_id)}/executions")["message"]["Items"]


@pytest.mark.slow
def test_a_file_starts_the_workflows_of_its_database_and_of_global(work: Work) -> None:
    # As SYSTEM_USER, once for each content, and not for other extensions.
    work.pipeline("auto-copy", "vams-copy")
    work.workflow("auto-local", "auto-copy", autoTriggerOnFileExtensionsUpload="scan")
    work.pipeline("auto-global", "vams-checksum", databaseId="GLOBAL")
    functions = [{"name": "auto-global", "databaseId": "GLOBAL"}]
    work.workflow(
        "auto-all",
        databaseId="GLOBAL",
        specifiedPipelines={"functions": functions},
        autoTriggerOnFileExtensionsUpload=".SCAN",
    )
    work.asset("scanned", a__scan=b"points", b__txt=b"text")
    arrive(work, "scanned", "/a.scan", "/b.txt", change="change-1")
    arrive(work, "scanned", "/a.scan", "/b.txt", change="change-1")  # the same change, again
    work.run_due()
    found = runs(work, "scanned")
    # The copy that the one has made is a new file for the other.
    assert sorted(each["workflowId"] for each in found) == ["auto-all", "auto-all", "auto-local"]
    assert {each["executionStatus"] for each in found} == {"SUCCEEDED"}
    assert work.read("scanned", "/a-copy.scan") == b"points"
    attributes = work.service.metadata.attributes_of_file(work.found("scanned"), "/a.scan")
    assert attributes["size_bytes"] == "6"
    for each in found:
        execution = work.execution("scanned", each["workflowId"], each["executionId"])
        assert execution["executedBy"] == SYSTEM_USER


@pytest.mark.slow
def test_outputs_do_not_start_their_own_workflow(work: Work) -> None:
    # It would never end. They start others, which do not come back either.
    work.asset("looped", a__loop=b"x")
    for name, other in (("loop-a", "-a"), ("loop-b", "-b")):
        work.pipeline(name, "vams-copy", inputParameters={"suffix": other})
        work.workflow(name, name, autoTriggerOnFileExtensionsUpload="loop")
    arrive(work, "looped", "/a.loop", change="change-2")
    work.run_due()
    assert work.paths("looped") == [
        "/a-a-b.loop",
        "/a-a.loop",
        "/a-b-a.loop",
        "/a-b.loop",
        "/a.loop",
    ]
    for name in ("loop-a", "loop-b"):
        work.ok("DELETE", f"/database/{work.database_id}/workflows/{name}")


@pytest.mark.slow
def test_new_content_waits_for_the_run_on_the_old_one(work: Work) -> None:
    # Otherwise the newest content would never be processed.
    work.pipeline("wait-copy", "vams-copy", waitForCallback="Enabled")
    work.workflow("wait-auto", "wait-copy", autoTriggerOnFileExtensionsUpload="wait")
    work.asset("twice", a__wait=b"old")
    first = work.start("twice", "wait-auto", "/a.wait")
    arrive(work, "twice", "/a.wait", change="change-3")
    work.run_due()
    assert [each["executionId"] for each in runs(work, "twice")] == [first]
    work.ok("POST", f"{work.base('twice')}/executions/wait-auto/{first}/abort")
    for _ in range(100):  # the automatic start is tried again after a second or two
        work.run_due()
        if len(runs(work, "twice")) == 2:
            break
        time.sleep(0.05)
    assert {each["executionStatus"] for each in runs(work, "twice")} == {"ABORTED", "RUNNING"}


@pytest.mark.slow
def test_an_upload_starts_a_workflow(work: Work) -> None:
    # From the request of a client to the result, with nothing in between left out.
    work.pipeline("sum-upload", "vams-checksum")
    work.workflow("sum-auto", "sum-upload", autoTriggerOnFileExtensionsUpload="part")
    work.asset("uploaded")
    done = upload(
        work.requests, "uploaded", {"/in/a b.PART": b"1234"}, database_id=work.database_id
    )
    assert done["overallSuccess"] is True
    work.run_due()
    (run,) = runs(work, "uploaded")
    assert (run["workflowId"], run["executionStatus"]) == ("sum-auto", "SUCCEEDED")
    attributes = work.service.metadata.attributes_of_file(work.found("uploaded"), "/in/a b.PART")
    assert attributes["size_bytes"] == "4"
