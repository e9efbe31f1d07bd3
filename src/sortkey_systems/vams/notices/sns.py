"""Notices to a topic of SNS. Attributes name the user and the asset, for the filters of its
subscriptions.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sortkey.errors import NotConfigured
from sortkey_systems.vams.notices.records import Notice

SNS_VARIABLE = "SORTKEY_VAMS_SNS_TOPIC"
SUBJECT_CHARACTERS_MAX = 100
"""What SNS takes, in ASCII."""


class SnsChannel:
    """A topic. `client` is a boto3 client; without one, it is made for the topic's region."""

    def __init__(self, topic_arn: str, client: Any | None = None) -> None:
        parts = topic_arn.split(":")
        if len(parts) != 6 or parts[2] != "sns":
            raise NotConfigured(f"{SNS_VARIABLE} must be the ARN of a topic: {topic_arn}")
        self._topic, self._client = topic_arn, client or _client(parts[3])

    def send(self, notice: Notice) -> None:
        subject = notice.subject.encode("ascii", "replace").decode()[:SUBJECT_CHARACTERS_MAX]
        attributes = {
            "userId": notice.user_id,
            "address": notice.address,
            "databaseId": notice.database_id,
            "assetId": notice.asset_id,
            "change": notice.change,
        }
        self._client.publish(
            TopicArn=self._topic,
            Subject=subject,
            Message=notice.text,
            MessageAttributes={
                name: {"DataType": "String", "StringValue": value}
                for name, value in attributes.items()
            },
        )


def _client(region: str) -> Any:
    try:
        boto3: Any = import_module("boto3")
    except ImportError:
        message = "notices to SNS need boto3: pip install 'sortkey[aws]'"
        raise NotConfigured(message) from None
    return boto3.client("sns", region_name=region)
