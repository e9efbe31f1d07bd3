"""/v1/sessions/{id}/downloads and /uploads, without a browser."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sortkey.systems import SharedResources
from sortkey_systems.wallcrawler.model import Session
from tests.systems.wallcrawler.browsers.fargate.ecs_emulator import EcsEmulator
from tests.systems.wallcrawler.served import ONE, Served, served

PATH = "/v1/sessions/sess_1"


def _add_session(running: Served) -> None:
    expires = datetime.now(UTC) + timedelta(hours=1)
    running.service.store.create(
        Session(session_id="sess_1", project_id=ONE, expires_at=expires, signing_key="a secret")
    )


@pytest.mark.parametrize(
    ("wanted", "status"), [("bytes=0-1", 206), ("bytes=999999-", 416), ("bytes=x", 400)]
)
def test_no_zip_stays_behind_whatever_range_is_asked_for(
    without_browsers: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wanted: str,
    status: int,
) -> None:
    # Anybody with a key could fill the disk with refused requests.
    _add_session(without_browsers)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    answer = without_browsers.one.get(f"{PATH}/downloads", headers={"Range": wanted})
    assert answer.status_code == status
    assert list(temporary.iterdir()) == []


def test_an_upload_to_a_browser_in_a_task_is_refused_with_the_reason(
    sortkey_shared: SharedResources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The folder of the session is in its task: a client that tries again would never succeed.
    ecs = EcsEmulator(tmp_path / "tasks", lambda event: None)
    ecs.start()
    variables = {
        "AWS_ENDPOINT_URL_ECS": ecs.url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "WALLCRAWLER_BROWSERS": "fargate",
        "WALLCRAWLER_ECS_CLUSTER": "wallcrawler",
        "WALLCRAWLER_ECS_TASK_DEFINITION": "browser:1",
        "WALLCRAWLER_ECS_SUBNETS": "subnet-1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    try:
        with served(sortkey_shared) as running:
            _add_session(running)
            answer = running.one.post(f"{PATH}/uploads", files={"file": ("a.txt", b"text")})
    finally:
        ecs.stop()
    assert answer.status_code == 501, answer.text
    assert "uploads" in answer.json()["message"]
    assert answer.headers["x-should-retry"] == "false"
