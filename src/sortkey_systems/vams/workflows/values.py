"""What requests say of pipelines and workflows, checked."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from sortkey_systems.vams.model.workflows import ExecutionType, PipelineType, Switch

GLOBAL = "GLOBAL"
"""The database of pipelines and workflows that all databases may use."""
TIMEOUT_SECONDS = 86_400
TIMEOUT_SECONDS_MAX = 604_800
PARAMETERS_CHARACTERS_MAX = 10_000
STEPS_MAX = 20
"""Each step of a run carries its parameters, and the run is one item."""
RESERVED = frozenset({"executions"})
"""Names that are parts of paths."""


def _blank_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _is_json_object(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("must be JSON text") from None
    if not isinstance(value, dict):
        raise ValueError('must be the text of a JSON object, as {"size": 512}')
    return text


def _is_free(name: str) -> str:
    if name.lower() in RESERVED:
        raise ValueError(f"{name} is part of a path of the interface: choose another id")
    return name


DatabaseName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{4,63}$")]
ResourceId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{4,63}$"), AfterValidator(_is_free)]
Description = Annotated[str, Field(min_length=4, max_length=256)]
Text = Annotated[str | None, Field(max_length=256), BeforeValidator(_blank_is_none)]
Seconds = Annotated[
    int | None, Field(ge=1, le=TIMEOUT_SECONDS_MAX), BeforeValidator(_blank_is_none)
]
Parameters = Annotated[
    str | None,
    Field(max_length=PARAMETERS_CHARACTERS_MAX),
    AfterValidator(_is_json_object),
    BeforeValidator(_blank_is_none),
]


class PipelineValues(BaseModel):
    """A pipeline as it is written."""

    pipelineId: ResourceId
    databaseId: DatabaseName
    pipelineType: PipelineType
    pipelineExecutionType: ExecutionType
    description: Description
    assetType: Annotated[str, Field(max_length=64)] = ".all"
    outputType: Annotated[str, Field(max_length=64)] = ".all"
    waitForCallback: Switch = "Disabled"
    taskTimeout: Seconds = None
    taskHeartbeatTimeout: Seconds = None
    lambdaName: Text = None
    sqsQueueUrl: Text = None
    eventBridgeBusArn: Text = None
    eventBridgeSource: Text = None
    eventBridgeDetailType: Text = None
    inputParameters: Parameters = None
    updateAssociatedWorkflows: bool = False
    enabled: bool | None = None

    @model_validator(mode="after")
    def _times(self) -> Self:
        check_times(self.taskTimeout, self.taskHeartbeatTimeout)
        if self.pipelineExecutionType == "SQS" and self.sqsQueueUrl is None:
            raise ValueError("a pipeline of type SQS needs sqsQueueUrl")
        return self

    def resource(self) -> dict[str, Any]:
        """What runs it, in the shape that clients read."""
        if self.pipelineExecutionType == "SQS":
            return _resource("SQS", self.sqsQueueUrl)
        if self.pipelineExecutionType == "EventBridge":
            return {
                **_resource("EventBridge", self.eventBridgeBusArn),
                "eventSource": self.eventBridgeSource,
                "eventDetailType": self.eventBridgeDetailType,
            }
        return _resource("Lambda", self.lambdaName)


def _resource(kind: str, resource_id: str | None) -> dict[str, Any]:
    return {
        "isProvided": resource_id is not None,
        "resourceType": kind,
        "resourceId": resource_id or "",
    }


def check_times(timeout: int | None, heartbeat: int | None) -> None:
    """Raise ValueError unless heartbeats are more frequent than the timeout."""
    if heartbeat is not None and heartbeat >= (timeout or TIMEOUT_SECONDS):
        raise ValueError("taskHeartbeatTimeout must be less than taskTimeout")


class FunctionValues(BaseModel):
    """A step of a workflow as it is written."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{4,63}$")]
    databaseId: DatabaseName
    pipelineType: Text = None
    pipelineExecutionType: Text = None
    outputType: Text = None
    waitForCallback: Annotated[Switch | None, BeforeValidator(_blank_is_none)] = None
    userProvidedResource: Annotated[str | None, Field(max_length=4096)] = None
    taskTimeout: Seconds = None
    taskHeartbeatTimeout: Seconds = None
    inputParameters: Parameters = None

    @model_validator(mode="after")
    def _times(self) -> Self:
        check_times(self.taskTimeout, self.taskHeartbeatTimeout)
        return self


class SpecifiedPipelines(BaseModel):
    """The steps of a workflow, in order."""

    functions: Annotated[list[FunctionValues], Field(min_length=1, max_length=STEPS_MAX)]


class WorkflowValues(BaseModel):
    """A workflow as it is written."""

    workflowId: ResourceId
    databaseId: DatabaseName
    description: Description
    specifiedPipelines: SpecifiedPipelines
    autoTriggerOnFileExtensionsUpload: Annotated[str, Field(max_length=1024)] = ""


class StartValues(BaseModel):
    """What starts a run."""

    workflowDatabaseId: DatabaseName | None = None
    fileKey: Annotated[str | None, Field(max_length=1024), BeforeValidator(_blank_is_none)] = None


class ListValues(BaseModel):
    """What a list of runs is limited to."""

    workflowDatabaseId: Annotated[DatabaseName | None, BeforeValidator(_blank_is_none)] = None
    pageSize: Annotated[int | None, BeforeValidator(_blank_is_none)] = None
    maxItems: Annotated[int | None, BeforeValidator(_blank_is_none)] = None
    startingToken: str | None = None


ALL_EXTENSIONS: Literal["all"] = "all"


def extensions_of(text: str | None) -> frozenset[str]:
    """The extensions that start a workflow: lower case, without dots. `all` stands for any."""
    parts = (part.strip().lower().lstrip(".") for part in (text or "").split(","))
    return frozenset(part for part in parts if part)


def extensions_text(text: str) -> str:
    """The same as text, in the order in which they were given."""
    known = extensions_of(text)
    if ALL_EXTENSIONS in known:
        return ALL_EXTENSIONS
    parts = (part.strip().lower().lstrip(".") for part in text.split(","))
    return ",".join(dict.fromkeys(part for part in parts if part))
