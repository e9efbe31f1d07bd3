"""Runs from their start to their outputs, with real functions in real processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sortkey_systems.vams.model import AuthEntity
from sortkey_systems.vams.workflows.run_records import LOCK
from tests.systems.vams.host import ADMIN, hosted
from tests.systems.vams.workflows.work import Work

pytestmark = pytest.mark.slow  # each starts processes


def test_a_run_stores_what_its_function_makes(work: Work) -> None:
    # The output is beside the input, under the rules of uploads.
    work.asset("notes", a__txt=b"hello")
    work.put("notes", "/deep/b c+d.txt", b"two")
    work.made("shout-flow", "shout")
    done = work.run("notes", "shout-flow", "/deep/b c+d.txt")
    assert done["executionStatus"] == "SUCCEEDED", done
    assert work.read("notes", "/deep/b c+d-loud.txt") == b"TWO"
    assert work.read("notes", "/a-loud.txt") is None
    assert done["progress"] == 100
    assert done["stopDate"] >= done["startDate"]
    assert [step["status"] for step in done["steps"]] == ["SUCCEEDED"]
    assert work.leftovers("notes") == []
    path = f"{work.base('notes')}/executions/shout-flow/{done['executionId']}/logs"
    lines = [each["message"] for each in work.ok("GET", path)["message"]["Items"]]
    assert "shouted deep/b c+d.txt" in lines
    assert lines[-1].startswith("stored 1 files")


def test_a_run_on_the_asset_reads_all_of_its_files(work: Work) -> None:
    # Without a file key.
    work.asset("all-of-it", a__txt=b"one", b__txt=b"two", c__bin=b"no text")
    done = work.run("all-of-it", work.made("shout-all", "shout"))
    assert done["executionStatus"] == "SUCCEEDED", done
    assert work.paths("all-of-it") == ["/a-loud.txt", "/a.txt", "/b-loud.txt", "/b.txt", "/c.bin"]


def test_the_second_step_reads_what_the_first_has_made(work: Work) -> None:
    # And the message has the names that pipelines of the original read.
    work.asset("chain", a__txt=b"hello")
    work.pipeline("one-step", "shout")
    work.pipeline("two-step", "keep_message", inputParameters={"n": 1}, outputType=".json")
    work.workflow("two-flow", "one-step", "two-step")
    done = work.run("chain", "two-flow", "/a.txt")
    assert done["executionStatus"] == "SUCCEEDED", done
    assert work.read("chain", "/a-loud.txt") == b"HELLO"
    message = json.loads(work.read("chain", "/message.json") or b"{}")
    prefix = f"pipelines/one-step/job-{done['executionId'][-12:]}/output/{done['executionId']}/"
    bucket = message["bucketAsset"]
    assert message["inputS3AssetFilePath"] == f"s3://{bucket}/{prefix}files/"
    assert message["outputS3AssetFilesPath"] == f"s3://{bucket}/{prefix}files/"
    assert message["outputS3AssetPreviewPath"] == f"s3://{bucket}/{prefix}previews/"
    assert message["outputS3AssetMetadataPath"] == f"s3://{bucket}/{prefix}metadata/"
    auxiliary = f"s3://{message['bucketAssetAuxiliary']}/chain/a.txt/pipelines/two-step/"
    assert message["inputOutputS3AssetAuxiliaryFilesPath"] == auxiliary
    assert (message["inputAssetFileKey"], message["inputAssetLocationKey"]) == (
        "chain/a.txt",
        "chain/",
    )
    assert json.loads(message["inputParameters"]) == {"n": 1}
    assert message["executingUserName"] == ADMIN
    known = json.loads(message["inputMetadata"])["VAMS"]
    assert known["assetData"]["assetName"] == "chain"
    assert set(known) == {"assetData", "assetMetadata", "fileMetadata", "fileAttributes"}
    assert "TaskToken" not in message


def test_metadata_preview_and_auxiliary_files_enter_the_asset(work: Work) -> None:
    # Metadata of pipelines passes the schemas; an attribute is one of the file.
    work.asset("described", a__txt=b"hello")
    done = work.run("described", work.made("describe-flow", "describe"), "/a.txt")
    assert done["executionStatus"] == "SUCCEEDED", done
    asset, metadata = work.found("described"), work.service.metadata
    assert metadata.of_file(asset, "/a.txt")["colour"] == "red"
    assert metadata.attributes_of_file(asset, "/a.txt")["hash"] == "abc"
    assert metadata.of_asset(asset)["checked"] == "yes"
    assert asset.preview_location is not None
    assert asset.preview_location.key == "described/preview.svg"
    auxiliary = work.service.buckets.auxiliary
    key = "described/a.txt/pipelines/describe-flow/octree/hierarchy.bin"
    assert auxiliary.read(key) == b"\0\1"


def test_a_step_is_tried_three_times(work: Work, tmp_path: Path) -> None:
    # A converter that is out of memory for a moment should not cost the run.
    work.asset("patient", a__txt=b"x")
    tries = tmp_path / "tries"
    parameters = {"tries": str(tries)}
    work.made("patient-flow", "fail_twice", inputParameters=parameters)
    done = work.run("patient", "patient-flow", "/a.txt")
    assert done["executionStatus"] == "SUCCEEDED", done
    assert tries.read_text() == "try\n" * 3
    assert done["steps"][0]["attempt"] == 3
    failed = work.run("patient", work.made("hopeless", "fail"), "/a.txt")
    assert failed["executionStatus"] == "FAILED"
    assert failed["error"] == "ValueError: this model cannot be read"
    assert (failed["steps"][0]["status"], failed["steps"][0]["attempt"]) == ("FAILED", 3)
    path = f"{work.base('patient')}/executions/hopeless/{failed['executionId']}/logs"
    lines = [each["message"] for each in work.ok("GET", path)["message"]["Items"]]
    assert lines.count("ValueError: this model cannot be read") == 3


def test_an_output_that_is_refused_fails_the_run_and_says_why(work: Work) -> None:
    # The original reports success, and the file is nowhere.
    work.asset("strict", a__txt=b"x")
    done = work.run("strict", work.made("forbidden-flow", "forbidden"), "/a.txt")
    assert done["executionStatus"] == "FAILED"
    assert "virus.exe" in done["error"]
    assert work.paths("strict") == ["/a.txt"]
    assert work.leftovers("strict") == []


def test_metadata_that_is_not_valid_fails_the_run_before_a_file_enters(work: Work) -> None:
    # Who writes the pipeline learns which field is wrong, and the asset stays as it was.
    work.asset("exact", a__txt=b"x")
    done = work.run("exact", work.made("wrong-flow", "describe_wrongly"), "/a.txt")
    assert done["executionStatus"] == "FAILED"
    assert "metadataValue: Input should be a valid string" in done["error"]
    assert work.paths("exact") == ["/a.txt"]


def test_a_link_among_the_outputs_is_refused(work: Work) -> None:
    # It would copy a file of the server into an asset.
    work.asset("sly", a__txt=b"x")
    done = work.run("sly", work.made("link-flow", "link"), "/a.txt")
    assert (done["executionStatus"], "not a plain file" in done["error"]) == ("FAILED", True)
    assert work.paths("sly") == ["/a.txt"]


def test_more_outputs_than_an_upload_takes(work: Work) -> None:
    # A point cloud has thousands of tiles. Their names may need care in URLs.
    work.asset("tiles", a__txt=b"x")
    work.made("many-flow", "many", inputParameters={"count": 1001})
    done = work.run("tiles", "many-flow", "/a.txt")
    assert done["executionStatus"] == "SUCCEEDED", done
    assert len(work.paths("tiles")) == 1002
    assert work.read("tiles", "/parts/a b+c&d=00007.txt") == b"7"


def test_a_step_that_takes_too_long_ends_the_run(work: Work) -> None:
    # It is not tried again: it would take as long.
    work.asset("slow", a__txt=b"x")
    work.made("sleep-flow", "sleep", taskTimeout="1")
    done = work.run("slow", "sleep-flow", "/a.txt")
    assert (done["executionStatus"], done["steps"][0]["attempt"]) == ("TIMED_OUT", 1)
    assert "longer than 1 s" in done["error"]


def test_outputs_enter_with_the_rights_of_who_began_the_run(work: Work) -> None:
    # Who may not write the asset must not do it through a pipeline.
    work.asset("guarded", a__txt=b"x")
    work.made("shout-guarded", "shout")
    user, requests = "writer@example.com", work.requests
    requests.permit("writers", "api", "GET POST", route__path=".*")
    requests.permit("writers", "asset", "GET POST", databaseId="plant-one")
    requests.permit("writers", "workflow", "GET POST", databaseId="plant-one")
    requests.permit("writers", "pipeline", "GET POST", databaseId="plant-one")
    requests.add_user(user, "writers")
    body = {"workflowDatabaseId": "plant-one", "fileKey": "/a.txt"}
    path = f"{work.base('guarded')}/shout-guarded"
    execution_id = work.ok("POST", path, body, user=user)["message"]
    work.run_due()
    done = work.execution("guarded", "shout-guarded", execution_id)
    assert (done["executionStatus"], done["executedBy"]) == ("FAILED", user)
    assert "Not Authorized" in done["error"]
    assert work.paths("guarded") == ["/a.txt"]


def test_an_asset_that_is_archived_meanwhile_fails_the_run(work: Work) -> None:
    # Its outputs have no place any more.
    work.asset("leaving", a__txt=b"x")
    execution_id = work.start("leaving", work.made("shout-late", "shout"), "/a.txt")
    base = f"/database/{work.database_id}/assets/leaving"
    work.ok("DELETE", f"{base}/archiveAsset", {})
    work.run_due()
    done = work.execution("leaving", "shout-late", execution_id)
    assert done["executionStatus"] == "FAILED"
    assert "archived" in done["error"]


def test_a_deleted_asset_leaves_no_run_no_lock_and_no_output(work: Work) -> None:
    # Permanent means all of it.
    work.asset("doomed", a__txt=b"x")
    work.run("doomed", work.made("shout-doomed", "shout"), "/a.txt")
    underway = work.start("doomed", "shout-doomed", "/a.txt")
    service = work.service
    work.ok(
        "DELETE",
        f"/database/{work.database_id}/assets/doomed/deleteAsset",
        {"confirmPermanentDelete": True},
    )
    work.run_due()
    records = service.run_records.of_asset(work.database_id, "doomed")
    assert list(records) == []
    locks = service.store.query(AuthEntity.of_type(entity_type=LOCK))
    assert underway not in [(each.definition or {}).get("executionId") for each in locks]


def test_a_run_goes_on_after_its_server_was_killed(tmp_path: Path) -> None:
    # A server that is killed in the middle of a step loses no run.
    folder, marker = tmp_path / "data", tmp_path / "marker"
    with hosted(folder) as requests:
        work = Work(requests)
        work.asset("hardy", a__txt=b"x")
        work.made("hardy-flow", "sleep_once", inputParameters={"marker": str(marker)})
        execution_id = work.start("hardy", "hardy-flow", "/a.txt")
    command = [sys.executable, "-m", "tests.systems.vams.workflows.worker_process", str(folder)]
    killed = subprocess.Popen(command)
    try:
        wait_for(marker.exists)
    finally:
        killed.kill()
        killed.wait()
    with hosted(folder) as requests:
        work = Work(requests)
        state = work.execution("hardy", "hardy-flow", execution_id)
        assert state["executionStatus"] == "RUNNING"
        worker = work.service.workflow_worker()
        wait_for(lambda: worker.run_once() is not None)  # when the lease is over
        work.run_due()
        done = work.execution("hardy", "hardy-flow", execution_id)
        assert (done["executionStatus"], done["steps"][0]["attempt"]) == ("SUCCEEDED", 1)
        assert work.read("hardy", "/second.txt") == b"done"
        assert work.leftovers("hardy") == []


def test_a_run_is_aborted_while_its_step_works(work: Work) -> None:
    # Who aborts gets the processor back, and the file.
    work.asset("stopped", a__txt=b"x")
    execution_id = work.start("stopped", work.made("sleep-long", "sleep"), "/a.txt")
    path = f"{work.base('stopped')}/executions/sleep-long/{execution_id}"
    with work.service.workflow_worker(poll_seconds=0.05):

        def is_asleep() -> bool:
            lines = work.ok("GET", f"{path}/logs")["message"]["Items"]
            state = work.execution("stopped", "sleep-long", execution_id)
            return state["steps"][0]["status"] == "RUNNING" and lines is not None

        wait_for(is_asleep)
        began = time.monotonic()
        work.ok("POST", f"{path}/abort")
    assert time.monotonic() - began < 10  # the worker stops when the step has ended
    done = work.execution("stopped", "sleep-long", execution_id)
    assert done["executionStatus"] == "ABORTED"
    assert done["error"] == f"aborted by {ADMIN}"
    assert work.leftovers("stopped") == []
    work.start("stopped", "sleep-long", "/a.txt")  # the file is free
    again = work.ok("GET", f"{work.base('stopped')}/executions")["message"]["Items"][0]
    abort = f"{work.base('stopped')}/executions/sleep-long/{again['executionId']}/abort"
    work.ok("POST", abort)


def test_nothing_is_locked_when_all_runs_have_ended(work: Work) -> None:
    # A lock that stays would keep the workflow from the file for ever.
    work.run_due()
    locks = work.service.store.query(AuthEntity.of_type(entity_type=LOCK))
    assert locks == []


def wait_for(is_so: Callable[[], bool]) -> None:
    """Wait for something, at most 20 seconds."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end, "it did not happen within 20 s"
        time.sleep(0.02)
