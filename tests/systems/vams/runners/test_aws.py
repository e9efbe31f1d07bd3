"""AWS as a runner, against moto's server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.vams.runners.aws import (
    AwsSettings,
    EventBridgeRunner,
    LambdaRunner,
    SqsRunner,
)
from sortkey_systems.vams.runners.events import EventNames
from sortkey_systems.vams.runners.port import StepFailed
from tests.contract.topics_adapters import moto_server
from tests.systems.vams.runners.steps import Trial

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("vams-aws")]


@pytest.fixture(scope="module")
def settings() -> Iterator[AwsSettings]:
    with pytest.MonkeyPatch.context() as patch, moto_server() as endpoint:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        yield AwsSettings("us-east-1", endpoint)


def received(client: Any, url: str) -> Any:
    (message,) = client.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"]
    return json.loads(message["Body"])


def test_a_message_is_sent_to_the_queue(settings: AwsSettings, tmp_path: Path) -> None:
    # A consumer on AWS reads the same body as a function would.
    client = settings.client("sqs")
    url = client.create_queue(QueueName="scans")["QueueUrl"]
    SqsRunner(url, settings).run(Trial(tmp_path / "step", assetId="pump").task())
    assert received(client, url)["body"]["assetId"] == "pump"


def test_an_event_reaches_who_has_a_rule_for_it(settings: AwsSettings, tmp_path: Path) -> None:
    # Source and detail type are what rules match.
    events, sqs = settings.client("events"), settings.client("sqs")
    url = sqs.create_queue(QueueName="events")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    events.put_rule(Name="r", EventPattern=json.dumps({"source": ["plant"]}))
    events.put_targets(Rule="r", Targets=[{"Id": "1", "Arn": arn["QueueArn"]}])
    trial = Trial(tmp_path / "step", assetId="pump")
    EventBridgeRunner("", EventNames("plant", "scan"), settings).run(trial.task())
    assert received(sqs, url)["detail"]["body"]["assetId"] == "pump"


def test_errors_of_aws_fail_the_step(settings: AwsSettings, tmp_path: Path) -> None:
    # The message of AWS says which function or queue is missing.
    with pytest.raises(StepFailed, match=r"ResourceNotFound|not found"):
        LambdaRunner("missing", settings).run(Trial(tmp_path / "a").task())
    with pytest.raises(StepFailed, match="queue"):
        SqsRunner("http://x/000000000000/missing", settings).run(Trial(tmp_path / "b").task())
