"""What is behind the names that pipelines use: the shipped functions, and those of the operator.

The operator writes `runners.toml` into the private folder of the system, or names another file in
SORTKEY_VAMS_RUNNERS. It is read again when it has changed.

    [functions.decimate]                    # lambdaName
    command = ["decimate", "{input}", "{files}"]
    memory_mb = 2000
    seconds = 600

    [queues."https://queue.example/scans"]  # sqsQueueUrl
    url = "http://127.0.0.1:9000/scans"

    [buses."*"]                             # eventBridgeBusArn; "*" stands for every other
    url = "http://127.0.0.1:9000/events"

    [aws]                                   # names that are not listed are those of AWS
    region = "eu-central-1"

An entry has one of: `function` ("module:function"), `command`, `container`, `url`.
"""

from __future__ import annotations

import os
import threading
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sortkey.errors import NotConfigured
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.runners.aws import (
    AwsSettings,
    EventBridgeRunner,
    LambdaRunner,
    SqsRunner,
)
from sortkey_systems.vams.runners.commands import CommandRunner
from sortkey_systems.vams.runners.containers import ContainerRunner
from sortkey_systems.vams.runners.events import DETAIL_TYPE, SOURCE, EventNames, EventPost
from sortkey_systems.vams.runners.functions import FunctionRunner
from sortkey_systems.vams.runners.http_post import HttpRunner
from sortkey_systems.vams.runners.port import Runner, StepFailed

VARIABLE = "SORTKEY_VAMS_RUNNERS"
FILE = "runners.toml"
FILE_BYTES_MAX = 1 << 20
SECONDS = 3600.0
EVERY_OTHER = "*"
COPY = "vams-copy"
"""What a pipeline of type Lambda without a name runs."""
_PACKAGE = "sortkey_systems.vams.shipped"
SHIPPED: Mapping[str, str] = {
    COPY: f"{_PACKAGE}.copies:copy",
    "vams-checksum": f"{_PACKAGE}.checksums:checksum",
    "vams-thumbnail": f"{_PACKAGE}.pictures:thumbnail",
    "vams-exif": f"{_PACKAGE}.pictures:exif",
    "vams-mesh-facts": f"{_PACKAGE}.meshes:facts",
    "vams-mesh-convert": f"{_PACKAGE}.meshes:convert",
    "vams-mesh-preview": f"{_PACKAGE}.meshes:preview",
    "vams-video-preview": f"{_PACKAGE}.media:video_preview",
    "vams-pdf-preview": f"{_PACKAGE}.media:pdf_preview",
}
"""Functions that come with VAMS, by the name that pipelines give as lambdaName."""


class Entry(BaseModel):
    """One entry of the operator's file."""

    model_config = ConfigDict(extra="forbid")
    function: Annotated[str, Field(pattern=r"^[\w.]+:\w+$")] | None = None
    command: Annotated[list[str], Field(min_length=1)] | None = None
    container: str | None = None
    arguments: list[str] = []
    url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    headers: dict[str, str] = Field(default={}, repr=False)
    environment: dict[str, str] = Field(default={}, repr=False)
    memory_mb: Annotated[int, Field(ge=16)] = 4000
    seconds: Annotated[float, Field(gt=0)] = SECONDS
    network: str = "none"
    runtime: str | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        kinds = (self.function, self.command, self.container, self.url)
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError("needs one of function, command, container, url")
        return self

    def runner(self, endpoint: str, names: EventNames | None = None) -> Runner:
        """The runner of this entry; an event's if it has names."""
        memory_bytes = self.memory_mb * 1_000_000
        if self.function is not None:
            return FunctionRunner(self.function, memory_bytes, self.seconds)
        if self.command is not None:
            return CommandRunner(
                self.command, memory_bytes, self.seconds, self.environment, endpoint
            )
        if self.container is not None:
            return ContainerRunner(
                self.container,
                self.arguments,
                memory_bytes,
                self.seconds,
                self.environment,
                self.runtime,
                self.network,
            )
        assert self.url is not None
        if names is not None:
            return EventPost(self.url, names, self.headers, self.seconds)
        return HttpRunner(self.url, self.headers, self.seconds)


class AwsEntry(BaseModel):
    """How AWS is reached."""

    model_config = ConfigDict(extra="forbid")
    region: str | None = None
    endpoint: str | None = None
    profile: str | None = None


class RunnersFile(BaseModel):
    """The operator's file."""

    model_config = ConfigDict(extra="forbid")
    functions: dict[str, Entry] = {}
    queues: dict[str, Entry] = {}
    buses: dict[str, Entry] = {}
    aws: AwsEntry | None = None


class Runners:
    """Finds the runner of a step."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.path = Path(os.environ.get(VARIABLE) or folder / FILE)
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, int] | None, RunnersFile] = (None, RunnersFile())

    def check(self, execution_type: str, resource: Mapping[str, Any]) -> None:
        """Raise Invalid if a pipeline names what is not there."""
        try:
            self.find(execution_type, resource)
        except StepFailed as error:
            raise Invalid(str(error)) from None

    def names(self) -> list[str]:
        """The names that pipelines of type Lambda may use, without those of AWS."""
        return sorted({*SHIPPED, *self.settings().functions})

    def find(self, execution_type: str, resource: Mapping[str, Any]) -> Runner:
        """The runner of a resource. Raises StepFailed if there is none."""
        settings, resource_id = self.settings(), str(resource.get("resourceId") or "")
        if execution_type == "SQS":
            return self._queue(settings, resource_id)
        if execution_type == "EventBridge":
            return self._bus(settings, resource_id, resource)
        return self._function(settings, resource_id or COPY)

    def _function(self, settings: RunnersFile, name: str) -> Runner:
        entry = settings.functions.get(name)
        if entry is not None:
            return entry.runner(self._endpoint)
        if name in SHIPPED:
            return FunctionRunner(SHIPPED[name])
        if settings.aws is not None:
            return LambdaRunner(name, _aws(settings.aws))
        raise StepFailed(
            f"the function {name[:100]} is not registered: use one of {', '.join(self.names())}, "
            f"or add it to {FILE}"
        )

    def _queue(self, settings: RunnersFile, url: str) -> Runner:
        entry = settings.queues.get(url) or settings.queues.get(EVERY_OTHER)
        if entry is not None:
            return entry.runner(self._endpoint)
        if settings.aws is not None:
            return SqsRunner(url, _aws(settings.aws))
        raise StepFailed(f"the queue {url[:100]} is not registered: add it to {FILE}")

    def _bus(self, settings: RunnersFile, bus: str, resource: Mapping[str, Any]) -> Runner:
        source = str(resource.get("eventSource") or SOURCE)
        names = EventNames(source, str(resource.get("eventDetailType") or DETAIL_TYPE))
        entry = settings.buses.get(bus) or settings.buses.get(EVERY_OTHER)
        if entry is not None:
            return entry.runner(self._endpoint, names)
        if settings.aws is not None:
            return EventBridgeRunner(bus, names, _aws(settings.aws))
        raise StepFailed(f"the event bus {bus[:100]} is not registered: add it to {FILE}")

    def settings(self) -> RunnersFile:
        """The operator's file, or an empty one. Raises NotConfigured if it is not valid."""
        try:
            status = self.path.stat()
        except OSError:
            return RunnersFile()
        state = (status.st_mtime_ns, status.st_size)
        with self._lock:
            if self._read[0] != state:
                self._read = (state, self._parsed(status.st_size))
            return self._read[1]

    def _parsed(self, size: int) -> RunnersFile:
        if size > FILE_BYTES_MAX:
            raise NotConfigured(f"{self.path} is larger than {FILE_BYTES_MAX:,} bytes")
        try:
            return RunnersFile.model_validate(tomllib.loads(self.path.read_text("utf-8")))
        except ValidationError as error:
            places = ", ".join(".".join(map(str, each["loc"])) for each in error.errors()[:5])
            raise NotConfigured(f"{self.path} is not valid at {places}") from None
        except (OSError, ValueError) as error:
            raise NotConfigured(f"{self.path} cannot be read: {error}") from None


def _aws(entry: AwsEntry) -> AwsSettings:
    return AwsSettings(entry.region, entry.endpoint, entry.profile)
