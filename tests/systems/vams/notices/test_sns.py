"""Notices to a topic of SNS, at the tests' own SNS server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from sortkey.errors import NotConfigured
from sortkey_systems.vams.access.outbox import Outbox
from sortkey_systems.vams.notices.channels import FolderChannel, open_channel
from sortkey_systems.vams.notices.sns import SnsChannel
from tests.contract.topics_adapters import moto_server
from tests.systems.vams.notices.test_smtp import NOTICE

pytestmark = [pytest.mark.xdist_group("moto"), pytest.mark.slow]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_server() as url:
        yield url


def client(endpoint: str, service: str) -> Any:
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=endpoint,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def test_a_notice_is_published_with_its_user_and_asset(endpoint: str) -> None:
    # A subscription of the topic filters by these attributes.
    sns, sqs = client(endpoint, "sns"), client(endpoint, "sqs")
    topic = sns.create_topic(Name="vams")["TopicArn"]
    queue = sqs.create_queue(QueueName="vams")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["QueueArn"])
    SnsChannel(topic, sns).send(NOTICE)
    (received,) = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=5)["Messages"]
    message = json.loads(received["Body"])
    assert message["Subject"] == "P?mpe has a new version"
    assert message["Message"] == NOTICE.text
    attributes = {name: each["Value"] for name, each in message["MessageAttributes"].items()}
    assert (attributes["userId"], attributes["assetId"]) == ("ada", "pump")


def test_environment_variables_choose_the_channel(tmp_path: Any) -> None:
    # Two of them would send everything twice.
    outbox, arn = Outbox(tmp_path), "arn:aws:sns:us-east-1:123456789012:vams"
    assert isinstance(open_channel({}, outbox), FolderChannel)
    assert isinstance(open_channel({"SORTKEY_VAMS_SNS_TOPIC": arn}, outbox), SnsChannel)
    both = {"SORTKEY_VAMS_SNS_TOPIC": arn, "SORTKEY_VAMS_SMTP": "smtp://localhost"}
    with pytest.raises(NotConfigured, match="not both"):
        open_channel(both, outbox)
    with pytest.raises(NotConfigured, match="ARN"):
        open_channel({"SORTKEY_VAMS_SNS_TOPIC": "vams"}, outbox)
