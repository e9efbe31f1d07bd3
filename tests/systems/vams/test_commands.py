"""`sortkey vams` as a user types it, against a server, and beside it on its folder."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from sortkey.cli import main
from tests.systems.vams.command_runs import Commands

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("vams commands")]
PUMP = ("plant-rotterdam", "pump-p101")


def ids(rows: list[dict[str, str]], name: str) -> set[str]:
    return {row[name] for row in rows}


def test_everybody_sees_the_databases_they_may_see(run: Commands) -> None:
    # A command acts for a user, with the same checks as a request.
    every = ids(run("databases", "--json"), "databaseId")
    assert every >= {"hangar-4", "museum-scans", "plant-rotterdam"}
    jan = ids(run("databases", "--json", user="jan@example.com"), "databaseId")
    assert jan == {"hangar-4", "plant-rotterdam"}
    beside = run.beside("databases", "--as", "sofia@example.com", "--json")
    sofia = ids(run("databases", "--json", user="sofia@example.com"), "databaseId")
    assert sofia == ids(beside, "databaseId") == {"museum-scans"}


def test_a_database_is_created_changed_and_deleted(run: Commands) -> None:
    # The whole life of a database without a client of anybody.
    run("databases", "create", "annex-1", "--description", "The first annex")
    run("databases", "change", "annex-1", "--description", "The annex")
    (row,) = [row for row in run("databases", "--json") if row["databaseId"] == "annex-1"]
    assert (row["description"], row["assetCount"]) == ("The annex", 0)
    run("databases", "delete", "annex-1", "--yes")
    assert "annex-1" not in ids(run("databases", "--json"), "databaseId")
    assert (
        "not found"
        in run.refused("databases", "change", "annex-1", "--description", "gone").lower()
    )


def test_options_before_a_command_of_a_group_are_refused(run: Commands) -> None:
    # Typer would ignore them, and the command would act for somebody else.
    message = run.refused("databases", "--json", "delete", "annex-1", "--yes")
    assert "write options after" in message


def test_an_asset_is_created_archived_brought_back_and_deleted(run: Commands) -> None:
    # Unarchive is what users of the original missed in its tool.
    place = ("plant-rotterdam", "pump-p102")
    run("assets", "create", *place, "--name", "Pump P-102", "--tag", "pump", "--distributable")
    assert json.loads(run("assets", "show", *place))["assetName"] == "Pump P-102"
    run("assets", "archive", *place, "--reason", "a test")
    live = run("assets", "--database", place[0], "--json")
    assert place[1] not in ids(live, "assetId")
    every = run("assets", "--database", place[0], "--archived", "--json")
    assert place[1] in ids(every, "assetId")
    run("assets", "unarchive", *place)
    assert place[1] in ids(run("assets", "--database", place[0], "--json"), "assetId")
    run("assets", "delete", *place, "--yes")
    assert "(404)" in run.refused("assets", "show", *place)


def test_deleting_asks_first(run: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    # What cannot be undone is never done by a slip.
    monkeypatch.setattr("typer.confirm", lambda question: False)
    assert "nothing was changed" in run.refused("assets", "delete", *PUMP)


def test_files_are_uploaded_listed_and_downloaded(run: Commands, tmp_path: Path) -> None:
    # A round trip through the command line.
    source, target = tmp_path / "note.txt", tmp_path / "down"
    source.write_text("the flange is fine")
    target.mkdir()
    run("files", "upload", *PUMP, str(source), "--to", "/notes")
    listed = ids(run("files", "list", *PUMP, "--json"), "relativePath")
    assert "/notes/note.txt" in listed
    run("files", "download", *PUMP, "/notes/note.txt", "--to", str(target))
    assert (target / "note.txt").read_text() == "the flange is fine"
    old = run("files", "list", *PUMP, "--version", "1", "--json")
    assert ids(old, "relativePath") == {"/model/p101.glb", "/drawings/p101-sheet-1.pdf"}


def test_versions_are_listed_and_created(run: Commands) -> None:
    # The newest comes first.
    place = ("museum-scans", "amphora")
    number = run("versions", "create", *place, "Checked", "--alias", "checked").strip()
    rows = run("versions", "list", *place, "--json")
    assert (rows[0]["Version"], rows[0]["versionAlias"]) == (number, "checked")
    assert rows[-1]["Version"] == "0"


def test_comments_are_written_and_deleted_by_their_owner(run: Commands) -> None:
    # Not in the original's tool, and wanted by its users.
    name = run("comments", "add", *PUMP, "Looks good to me", user="ines@example.com").strip()
    rows = run("comments", "list", *PUMP, "--json")
    (row,) = [row for row in rows if row["assetVersionId:commentId"] == name]
    assert (row["commentBody"], row["commentOwnerID"]) == ("Looks good to me", "ines@example.com")
    assert "(403)" in run.refused("comments", "delete", *PUMP, name)
    run("comments", "delete", *PUMP, name, user="ines@example.com")


def test_subscribers_are_added_and_removed(run: Commands) -> None:
    # Who gets a notice when an asset changes.
    place = ("plant-rotterdam", "valve-v22")
    run("subscriptions", "add", *place, "jan@example.com", "ines@example.com")
    run("subscriptions", "remove", *place, "ines@example.com")
    rows = run("subscriptions", "--json")
    (row,) = [row for row in rows if row["entityId"] == "valve-v22"]
    assert row["subscribers"] == ["jan@example.com"]


def test_pipelines_and_workflows_are_shown_written_run_and_deleted(
    run: Commands, tmp_path: Path
) -> None:
    # A definition that was shown can be written under another name.
    pipeline = json.loads(run("pipelines", "show", "GLOBAL", "checksums"))
    pipeline |= {"pipelineId": "fingerprint-2", "lambdaName": "vams-checksum"}
    file = tmp_path / "definition.json"
    file.write_text(json.dumps(pipeline))
    run("pipelines", "put", str(file))
    workflow = json.loads(run("workflows", "show", "GLOBAL", "fingerprints"))
    workflow["workflowId"] = "fingerprints-2"
    workflow["specifiedPipelines"]["functions"][0]["name"] = "fingerprint-2"
    file.write_text(json.dumps(workflow))
    run("workflows", "put", str(file))
    assert "fingerprints-2" in ids(run("workflows", "--json"), "workflowId")
    words = ("workflows", "run", *PUMP, "fingerprints-2", "--file", "/drawings/p101-sheet-1.pdf")
    run_id = run(*words).strip()
    assert run_id in ids(run("workflows", "runs", *PUMP, "--json"), "executionId")
    run("workflows", "delete", "GLOBAL", "fingerprints-2", "--yes")
    run("pipelines", "delete", "GLOBAL", "fingerprint-2", "--yes")
    assert "fingerprint-2" not in ids(run("pipelines", "--json"), "pipelineId")


def test_the_workflows_of_the_sample_have_run_and_left_their_outputs(run: Commands) -> None:
    # A converted model beside its scan, and hashes as attributes: real work, not rows.
    end = time.monotonic() + 60
    while True:
        rows = run("workflows", "runs", *PUMP, "--json")
        states = {row["workflowId"]: row["executionStatus"] for row in rows}
        if not {"NEW", "RUNNING"} & set(states.values()):
            break
        assert time.monotonic() < end, states
        time.sleep(0.2)
    assert (states["fingerprints"], states["web-model"]) == ("SUCCEEDED", "SUCCEEDED")
    listed = ids(run("files", "list", *PUMP, "--json"), "relativePath")
    assert "/scans/impeller-after-repair.glb" in listed


def test_a_server_elsewhere_needs_a_token_that_stands_on_no_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Arguments are seen by everybody on the machine.
    words = ["vams", "databases", "--url", "http://127.0.0.1:9"]
    monkeypatch.delenv("SORTKEY_VAMS_TOKEN", raising=False)
    assert main(words) == 2
    assert "SORTKEY_VAMS_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("SORTKEY_VAMS_TOKEN", "vams_secret")
    assert main(words) == 1
    message = capsys.readouterr().err
    assert "is the server running" in message
    assert "vams_secret" not in message
    assert main([*words, "--as", "jan@example.com"]) == 2
    assert "the token says who" in capsys.readouterr().err
