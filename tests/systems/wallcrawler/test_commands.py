"""`sortkey wallcrawler` as somebody types it, on a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey.cli import main
from sortkey_systems.wallcrawler.model import ApiKey, Session, api_key_hash, model
from sortkey_systems.wallcrawler.sample import load


@pytest.fixture
def folder(tmp_path: Path) -> str:
    with sortkey.open(tmp_path) as store:
        store.ensure(model)
        load(store)
    return str(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert main(["wallcrawler", *line]) == 0
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str], *line: str) -> Any:
    return json.loads(printed(capsys, *line, "--json"))


def test_a_key_is_created_printed_once_and_revoked(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Standard output is the key alone, so that a script can take it as it is.
    raw = printed(capsys, "keys", "create", "laptop", "--data", folder).strip()
    listed = as_json(capsys, "keys", "--project", "project_default", "--data", folder)
    made = next(each for each in listed if each.get("name") == "laptop")
    assert raw not in json.dumps(listed)
    assert api_key_hash(raw) not in json.dumps(listed)
    assert "is revoked" in printed(capsys, "keys", "revoke", made["keyId"], "--data", folder)
    with sortkey.open(folder) as store:
        assert store.get(ApiKey.key(api_key_hash=api_key_hash(raw))).status == "INACTIVE"


def test_a_project_is_created_and_changed(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "projects", "create", "project_new", "--concurrency", "3", "--data", folder)
    changed = printed(
        capsys, "projects", "change", "project_new", "--off", "--timeout", "60", "--data", folder
    )
    assert changed == "project_new is inactive: 3 sessions at once, 60 seconds each\n"
    assert "project_new" in printed(capsys, "projects", "--data", folder)


def test_sessions_are_listed_and_shown_without_their_secrets(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # The signing key drives the browser: what is printed ends up in logs and tickets.
    listed = as_json(capsys, "sessions", "--status", "ERROR", "--data", folder)
    assert {each["sessionId"] for each in listed} == {"sess_a3d8", "sess_a5b6", "sess_e203"}
    one = as_json(
        capsys, "sessions", "--project", "project_default", "--limit", "1", "--data", folder
    )
    assert [each["sessionId"] for each in one] == ["sess_4f2a"]
    shown = printed(capsys, "sessions", "show", "sess_4f2a", "--data", folder)
    assert "TERMINATING" in shown
    with sortkey.open(folder) as store:
        secret = store.get(Session.key(session_id="sess_4f2a")).signing_key
    everything = [
        shown,
        json.dumps(listed),
        printed(capsys, "sessions", "show", "sess_4f2a", "--data", folder, "--json"),
    ]
    assert all(secret not in text and "signingKey" not in text for text in everything)


def test_contexts_are_listed_by_project(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "contexts", "--project", "project_default", "--data", folder)
    assert [each["contextId"] for each in found] == ["ctx_77aa"]


def test_an_empty_folder_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, advice in (
        ("projects", "create"),
        ("keys", "create"),
        ("sessions", "run"),
        ("contexts", "POST"),
    ):
        assert advice in printed(capsys, command, "--data", str(tmp_path))


def test_options_before_a_command_are_refused(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # They belong to the list; taken silently, the key would be made in another folder.
    assert main(["wallcrawler", "keys", "--data", folder, "create", "x"]) == 2
    assert "write options after 'create'" in capsys.readouterr().err


def test_what_does_not_exist_is_one_line(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    for line in (
        ["sessions", "show", "sess_none"],
        ["keys", "revoke", "key_none"],
        ["projects", "change", "none"],
    ):
        assert main(["wallcrawler", *line, "--data", folder]) == 1
        assert capsys.readouterr().err.count("\n") == 1
