"""AWS as a runner: Lambda functions, SQS queues and EventBridge buses, by boto3.

They read and write the buckets themselves, so they need an installation whose buckets are in S3.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sortkey.errors import NotConfigured
from sortkey_systems.vams.runners.events import EventNames
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut, Task

TEXT_CHARACTERS_MAX = 500
LAMBDA_SECONDS_MAX = 900


@dataclass(frozen=True, slots=True)
class AwsSettings:
    """How AWS is reached. Credentials are found as the AWS CLI finds them."""

    region: str | None = None
    endpoint: str | None = None
    profile: str | None = None

    def client(self, service: str, read_seconds: float = 60.0) -> Any:
        """A client of a service. Raises NotConfigured without boto3."""
        try:
            import boto3  # pyright: ignore[reportMissingTypeStubs]
            from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs]
        except ImportError:
            raise NotConfigured(
                "pipelines on AWS need boto3: install sortkey with the extra aws"
            ) from None
        session: Any = boto3.Session(region_name=self.region, profile_name=self.profile)
        config = Config(read_timeout=read_seconds, retries={"max_attempts": 2})
        return session.client(service, endpoint_url=self.endpoint, config=config)


@dataclass(frozen=True, slots=True)
class LambdaRunner:
    """Invokes a function, and waits for it unless the step ends by a callback."""

    name: str
    settings: AwsSettings = field(default_factory=AwsSettings)

    def run(self, task: Task) -> None:
        """Invoke the function."""
        is_awaited = "TaskToken" not in task.body
        client = self.settings.client("lambda", min(task.seconds, LAMBDA_SECONDS_MAX))
        answer = _call(
            client.invoke,
            FunctionName=self.name,
            InvocationType="RequestResponse" if is_awaited else "Event",
            Payload=_text(task).encode(),
        )
        if answer.get("FunctionError"):
            text = answer["Payload"].read(TEXT_CHARACTERS_MAX).decode("utf-8", "replace")
            raise StepFailed(f"the function {self.name} failed: {text}")


@dataclass(frozen=True, slots=True)
class SqsRunner:
    """Sends the message to a queue."""

    url: str
    settings: AwsSettings = field(default_factory=AwsSettings)

    def run(self, task: Task) -> None:
        """Send the message."""
        client = self.settings.client("sqs")
        _call(client.send_message, QueueUrl=self.url, MessageBody=_text(task))


@dataclass(frozen=True, slots=True)
class EventBridgeRunner:
    """Puts an event on a bus; on the default one if it has no name."""

    bus: str
    names: EventNames
    settings: AwsSettings = field(default_factory=AwsSettings)

    def run(self, task: Task) -> None:
        """Put the event."""
        entry = {
            "Source": self.names.source,
            "DetailType": self.names.detail_type,
            "Detail": _text(task),
            **({"EventBusName": self.bus} if self.bus else {}),
        }
        answer = _call(self.settings.client("events").put_events, Entries=[entry])
        if answer.get("FailedEntryCount"):
            reason = answer["Entries"][0].get("ErrorMessage", "without a reason")
            raise StepFailed(f"the event was refused: {reason}")


def _text(task: Task) -> str:
    return json.dumps({"body": dict(task.body)})


def _call(operation: Any, **arguments: Any) -> dict[str, Any]:
    """Call AWS. Its errors become those of steps."""
    from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
        BotoCoreError,
        ClientError,
        ReadTimeoutError,
    )

    try:
        return operation(**arguments)
    except ReadTimeoutError as error:
        raise StepTimedOut(str(error)[:TEXT_CHARACTERS_MAX]) from None
    except (BotoCoreError, ClientError) as error:
        raise StepFailed(str(error)[:TEXT_CHARACTERS_MAX]) from None
