"""Which runner a pipeline gets, and who decides that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sortkey.errors import NotConfigured
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.runners.aws import EventBridgeRunner, LambdaRunner, SqsRunner
from sortkey_systems.vams.runners.commands import CommandRunner
from sortkey_systems.vams.runners.containers import ContainerRunner
from sortkey_systems.vams.runners.events import EventPost
from sortkey_systems.vams.runners.functions import FunctionRunner, load_function
from sortkey_systems.vams.runners.http_post import HttpRunner
from sortkey_systems.vams.runners.registry import FILE, SHIPPED, Runners

SETTINGS = """
[functions.decimate]
command = ["decimate", "{input}"]
memory_mb = 100
[functions.octree]
container = "octree:1"
arguments = ["{input}"]
[functions.shout]
function = "tests.systems.vams.runners.functions:shout"
[queues."https://queue.example/scans"]
url = "http://127.0.0.1:9/scans"
[buses."*"]
url = "http://127.0.0.1:9/events"
"""


def resource(name: str, **more: str) -> dict[str, Any]:
    return {"isProvided": bool(name), "resourceId": name, **more}


def test_what_the_operator_has_written_is_found_by_name(tmp_path: Path) -> None:
    # Callers choose a name. Only the operator says what a name does.
    (tmp_path / FILE).write_text(SETTINGS)
    runners = Runners(tmp_path, "http://127.0.0.1:8080")
    command = runners.find("Lambda", resource("decimate"))
    assert isinstance(command, CommandRunner)
    assert command.memory_bytes == 100_000_000
    assert isinstance(runners.find("Lambda", resource("octree")), ContainerRunner)
    assert isinstance(runners.find("Lambda", resource("shout")), FunctionRunner)
    queue = runners.find("SQS", resource("https://queue.example/scans"))
    assert isinstance(queue, HttpRunner)
    bus = runners.find("EventBridge", resource("any", eventSource="plant"))
    assert isinstance(bus, EventPost)
    assert bus.names.source == "plant"


def test_names_that_nobody_registered_are_refused(tmp_path: Path) -> None:
    # Otherwise whoever may write a pipeline could run any program of the server.
    runners = Runners(tmp_path, "")
    for kind, name in (
        ("Lambda", "/bin/sh"),
        ("Lambda", "os:system"),
        ("SQS", "http://169.254.169.254/"),
        ("EventBridge", "arn:aws:events:x"),
    ):
        with pytest.raises(Invalid, match="is not registered"):
            runners.check(kind, resource(name))


def test_without_a_name_it_is_the_copy(tmp_path: Path) -> None:
    # The original makes a sample function then, which copies.
    runner = Runners(tmp_path, "").find("Lambda", resource(""))
    assert isinstance(runner, FunctionRunner)
    assert runner.reference == SHIPPED["vams-copy"]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_name_has_its_function(name: str) -> None:
    # The names are texts, which no type checker follows.
    assert load_function(SHIPPED[name]).__doc__


def test_the_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    # The operator adds a runner without a restart.
    runners = Runners(tmp_path, "")
    assert "shout" not in runners.names()
    (tmp_path / FILE).write_text(SETTINGS)
    assert "shout" in runners.names()


def test_names_of_aws_are_taken_when_aws_is_configured(tmp_path: Path) -> None:
    # The same pipelines run there.
    (tmp_path / FILE).write_text('[aws]\nregion = "us-east-1"\n')
    runners = Runners(tmp_path, "")
    assert isinstance(runners.find("Lambda", resource("mine")), LambdaRunner)
    assert isinstance(runners.find("SQS", resource("https://sqs/q")), SqsRunner)
    assert isinstance(runners.find("EventBridge", resource("")), EventBridgeRunner)


@pytest.mark.parametrize(
    "text",
    [
        "[functions.x]\n",
        '[functions.x]\ncommand = ["a"]\nurl = "http://x"\n',
        '[functions.x]\nurl = "file:///etc/passwd"\n',
        "not toml",
    ],
)
def test_a_file_that_is_not_valid_is_named(tmp_path: Path, text: str) -> None:
    # Ignoring it would run something else.
    (tmp_path / FILE).write_text(text)
    with pytest.raises(NotConfigured, match=FILE):
        Runners(tmp_path, "").settings()
