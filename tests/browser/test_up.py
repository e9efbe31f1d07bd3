"""`sortkey up` as a program: what it says, how it stops, what survives, who gets in."""

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Up, client


@pytest.fixture
def start(tmp_path: Path):
    """Starts programs that are gone after the test."""
    started: list[Up] = []

    def start(*arguments: str, folder: Path = tmp_path / "data") -> Up:
        started.append(Up(folder, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


def test_it_says_where_everything_is(up: Up):
    # The summary is the first thing a newcomer reads.
    assert f"http://127.0.0.1:{up.port}/console/" in up.said
    assert f"http://127.0.0.1:{up.dynamodb_port}" in up.said
    assert "TransformationSystem" in client(up).list_tables()["TableNames"]


def test_a_folder_in_use_and_a_taken_port_are_reported_with_what_to_do(
    up: Up, start: Any, tmp_path: Path
):
    second, third = (
        start(folder=up.folder),
        start("--port", str(up.port), folder=tmp_path / "other"),
    )
    assert second.ended() == 1
    assert f"in use by process {up.process.pid}" in second.said
    assert third.ended() == 1
    assert re.search(rf"port {up.port} .* is in use: .* --port", third.said)


def test_nothing_that_was_answered_is_lost_with_kill_9_and_ctrl_c_stops_it(start: Any):
    first = start("--no-sample", "--systems", "applens")
    first.wait_for("Ctrl-C stops it")
    item = {"PK": {"S": "USER#1"}, "SK": {"S": "NOTE#1"}}
    client(first).put_item(TableName="applens-graph-metadata", Item=item)
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    second = start("--no-sample", "--systems", "applens")
    second.wait_for("Ctrl-C stops it")
    assert client(second).get_item(TableName="applens-graph-metadata", Key=item)["Item"] == item
    assert second.stop() == 0


def test_with_a_password_nobody_sees_a_page_without_it(start: Any, wide: Page):
    up = start("--no-sample", "--systems", "applens", "--password", "correct horse")
    up.wait_for("Ctrl-C stops it")
    assert "correct horse" not in up.said  # what a program prints stands in logs
    wide.emulate_media(color_scheme="dark")
    wide.goto(f"{up.console}/data")
    expect(wide.get_by_label("Password")).to_be_visible()
    expect(wide.locator("body")).to_have_class(re.compile("body--dark"))
    expect(wide.get_by_role("main")).to_have_count(1)
    assert "applens-graph-metadata" not in wide.content()
    wide.get_by_label("Password").fill("wrong")
    wide.get_by_role("button", name="Sign in").click()
    expect(wide.get_by_text("Wrong password.")).to_be_visible()
    wide.get_by_label("Password").fill("correct horse")
    wide.get_by_role("button", name="Sign in").click()
    expect(wide.get_by_role("heading", name="Your data models, running")).to_be_visible()


def test_who_starts_it_for_other_machines_is_given_a_password(start: Any):
    up = start("--no-sample", "--systems", "applens", "--host", "0.0.0.0")
    up.wait_for("Ctrl-C stops it")
    assert re.search(r"password  \S{12,}", up.said)
