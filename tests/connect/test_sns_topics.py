"""Topics on SNS, beyond the contract: topics by ARN, queues that others left behind, and
addresses.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from sortkey.connect.local_topics import LocalTopics
from sortkey.connect.sns_topics import ALIVE_TAG, QUEUE_PREFIX, STALE_SECONDS, SnsTopics
from sortkey.connect.topics import open_topics
from sortkey.errors import ModelError
from sortkey.runtime.topic_hub import MemoryTopics
from sortkey.testing import FrozenClock
from tests.contract.topics_adapters import moto_server

PATIENCE = 10.0
KEYS = ("test", "test")
pytestmark = pytest.mark.xdist_group("moto")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_server() as url:
        yield url


def client(endpoint: str, service: str) -> Any:
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=endpoint,
        aws_access_key_id=KEYS[0],
        aws_secret_access_key=KEYS[1],
    )


def connect(endpoint: str, **settings: Any) -> SnsTopics:
    return SnsTopics("us-east-1", endpoint=endpoint, credentials=KEYS, poll_seconds=1, **settings)


def queues(endpoint: str) -> list[str]:
    return client(endpoint, "sqs").list_queues(QueueNamePrefix=QUEUE_PREFIX).get("QueueUrls", [])


def test_a_topic_that_somebody_else_made_is_named_by_its_arn(endpoint: str) -> None:
    # CloudFormation makes it, and the service has no permission to.
    arn = client(endpoint, "sns").create_topic(Name="made-elsewhere")["TopicArn"]
    with connect(endpoint) as topics, topics.subscribe(arn) as subscription:
        topics.publish(arn, {"n": 1})
        message = subscription.wait_for(timeout=PATIENCE)
    assert message is not None
    assert message.topic == arn


def test_what_listens_leaves_nothing_behind(endpoint: str) -> None:
    # A queue and a subscription for each start of a process would fill the account.
    with (
        connect(endpoint, prefix="tidy-") as topics,
        topics.subscribe("one"),
        topics.subscribe("two"),
    ):
        assert len(queues(endpoint)) == 1
    assert queues(endpoint) == []
    ours = [
        subscription
        for subscription in client(endpoint, "sns").list_subscriptions()["Subscriptions"]
        if "tidy-" in subscription["TopicArn"]
    ]
    assert ours == []


def test_the_queue_of_a_killed_process_is_removed_by_the_next(
    endpoint: str, sortkey_clock: FrozenClock
) -> None:
    # It could not do it itself; a queue that is alive is not touched.
    sqs, sns = client(endpoint, "sqs"), client(endpoint, "sns")
    dead = sqs.create_queue(
        QueueName=f"{QUEUE_PREFIX}dead", tags={ALIVE_TAG: str(int(sortkey_clock()))}
    )["QueueUrl"]
    sortkey_clock.advance(STALE_SECONDS + 1)
    alive = sqs.create_queue(
        QueueName=f"{QUEUE_PREFIX}alive", tags={ALIVE_TAG: str(int(sortkey_clock()))}
    )["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"][
        "QueueArn"
    ]
    topic = sns.create_topic(Name="stale")["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    with connect(endpoint, clock=sortkey_clock) as topics, topics.subscribe("stale"):
        assert dead not in queues(endpoint)
        assert alive in queues(endpoint)
        left = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
        assert [each for each in left if each["Endpoint"] == arn] == []
    sqs.delete_queue(QueueUrl=alive)


def test_what_others_publish_and_is_no_json_takes_no_other_message_with_it(endpoint: str) -> None:
    # Ten messages come at once; they are gone from the queue when they are looked at.
    with connect(endpoint) as topics, topics.subscribe("shared") as subscription:
        topic, stamp = topics._arn("shared"), "2026-01-01T00:00:00.000Z"
        envelope = {"TopicArn": topic, "MessageId": "1", "Timestamp": stamp, "Message": '{"n": 1}'}
        bodies = [
            "no envelope",
            json.dumps({**envelope, "Message": "plain text"}),
            json.dumps(envelope),
        ]
        (queue,) = queues(endpoint)
        entries = [{"Id": str(n), "MessageBody": body} for n, body in enumerate(bodies)]
        client(endpoint, "sqs").send_message_batch(QueueUrl=queue, Entries=entries)
        message = subscription.wait_for(timeout=PATIENCE)
    assert message is not None
    assert message.body == {"n": 1}


def test_an_address_says_where_topics_are(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The rest of a program does not know.
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    for address, kind in (
        (str(tmp_path), LocalTopics),
        (":memory:", MemoryTopics),
        (endpoint, SnsTopics),
    ):
        topics = open_topics(address)
        assert isinstance(topics, kind)
        topics.close()
    assert os.listdir(tmp_path / "topics")
    with pytest.raises(ModelError, match="is not an address"):
        open_topics("ftp://somewhere")
    with pytest.raises(ModelError, match="is not an address"):
        open_topics(f"{endpoint}?colour=blue")
