"""Pipeline Storage Table, Workflow Storage Table, Workflow Executions Storage Table."""

from typing import Annotated, Literal

from pydantic import Field

from sortkey import GSI, LSI, CamelPart, Entity, Instant, Named, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import AssetId, DatabaseId, Identifier, WorkflowId

PipelineType = Literal["standardFile", "previewFile"]
ExecutionType = Literal["Lambda", "SQS", "EventBridge"]
Switch = Literal["Enabled", "Disabled"]
ExecutionStatus = Literal["NEW", "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"]
StepStatus = Literal["NEW", "RUNNING", "WAITING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"]

pipeline_storage = Table(
    "PipelineStorageTable",
    key=("databaseId", "pipelineId"),
    doc="Stores pipeline definitions scoped to a database.",
)

workflow_storage = Table(
    "WorkflowStorageTable",
    key=("databaseId", "workflowId"),
    doc="Stores workflow definitions scoped to a database.",
)

workflow_executions_storage = Table(
    "WorkflowExecutionsStorageTable",
    key=("databaseId:assetId", "executionId"),
    indexes=[
        LSI("WorkflowLSI", "workflowDatabaseId:workflowId", projection="ALL"),
        GSI("WorkflowGSI", "workflowDatabaseId:workflowId", "executionId", projection="KEYS_ONLY"),
        GSI("ExecutionIdGSI", "workflowId", "executionId", projection="KEYS_ONLY"),
    ],
    doc="Stores individual workflow execution records.",
)


class Pipeline(Entity, table=pipeline_storage, names=camel, archive="#deleted"):
    """A pipeline definition, scoped to a database. A deleted one is in the partition
    `my-database#deleted`.
    """

    database_id: DatabaseId
    pipeline_id: Annotated[Identifier, Field(examples=["step-to-glb"])]
    description: str | None = None
    pipeline_type: PipelineType | None = None
    pipeline_execution_type: ExecutionType | None = None
    asset_type: str | None = None
    output_type: str | None = None
    wait_for_callback: Switch | None = None
    task_timeout: int | None = None
    task_heartbeat_timeout: int | None = None
    user_provided_resource: str | None = None
    """What runs it, as JSON text: isProvided, resourceType, resourceId, and more for events."""
    input_parameters: str | None = None
    enabled: bool | None = None
    date_created: str | None = None
    date_modified: str | None = None
    usage_mark: str | None = None
    """Changes whenever a workflow begins or ceases to use it, so that a deletion notices."""

    @key("{databaseId}", "{pipelineId}")
    def key(*, database_id: str, pipeline_id: str):
        """A pipeline of a database."""

    @query(key)
    def of_database(*, database_id: str):
        """Pipelines of a database; with `.archived()` the deleted ones."""


class WorkflowFunction(CamelPart):
    """One step of a workflow: a pipeline, and its settings at the time it was added."""

    name: str
    database_id: str
    pipeline_type: str | None = None
    pipeline_execution_type: str | None = None
    output_type: str | None = None
    wait_for_callback: Switch | None = None
    user_provided_resource: str | None = None
    task_timeout: int | None = None
    task_heartbeat_timeout: int | None = None
    input_parameters: str | None = None


class Workflow(Entity, table=workflow_storage, names=camel, archive="#deleted"):
    """A workflow definition, scoped to a database. A deleted one is in the partition
    `my-database#deleted`.
    """

    database_id: DatabaseId
    workflow_id: WorkflowId
    description: str | None = None
    stored_functions: Annotated[tuple[WorkflowFunction, ...] | None, Named("functions")] = None
    auto_trigger_on_file_extensions_upload: str | None = None
    date_created: str | None = None
    date_modified: str | None = None

    @key("{databaseId}", "{workflowId}")
    def key(*, database_id: str, workflow_id: str):
        """A workflow of a database."""

    @query(key)
    def of_database(*, database_id: str):
        """Workflows of a database; with `.archived()` the deleted ones."""

    @property
    def functions(self) -> tuple[WorkflowFunction, ...]:
        """Its steps, in order."""
        return self.stored_functions or ()


class ExecutionStep(CamelPart):
    """One step of a run: what it does, copied when the run began, and how far it is."""

    name: str
    database_id: str
    pipeline_type: PipelineType = "standardFile"
    execution_type: ExecutionType = "Lambda"
    output_type: str = ""
    waits: bool = False
    """Whether it ends by a callback with its token."""
    timeout_seconds: int
    heartbeat_seconds: int | None = None
    resource: str
    input_parameters: str = ""
    status: StepStatus = "NEW"
    attempt: int = 1
    start_date: Instant | None = None
    stop_date: Instant | None = None
    heartbeat_at: Instant | None = None
    nonce: str | None = None
    """Part of the token of this attempt."""
    job_ids: tuple[str, ...] = ()
    """The jobs of its attempts, whose logs are the log of the step."""
    message: str | None = None


class WorkflowExecution(Entity, table=workflow_executions_storage, names=camel):
    """A run of a workflow on an asset. The workflow may belong to another database than
    the asset.
    """

    database_id: DatabaseId
    asset_id: AssetId
    execution_id: Annotated[Identifier, Field(examples=["run-0140"])]
    workflow_database_id: DatabaseId
    workflow_id: WorkflowId
    execution_status: ExecutionStatus | None = None
    start_date: Instant | None = None
    stop_date: Instant | None = None
    input_asset_file_key: str | None = None
    executed_by: str | None = None
    has_mfa: bool | None = None
    """Whether the session that began it had MFA: outputs enter with the same roles."""
    stored_steps: Annotated[tuple[ExecutionStep, ...] | None, Named("steps")] = None
    current_step: int | None = None
    job_id: str | None = None
    """The job that carries it on now."""
    mark: str | None = None
    """Changes with every write, so that of two writers one notices."""
    error: str | None = None
    after_workflows: tuple[str, ...] | None = None
    """The workflows whose outputs began this run, as `database/workflow`, the first one first."""

    @key("{databaseId}:{assetId}", "{executionId}")
    def key(*, database_id: str, asset_id: str, execution_id: str):
        """A workflow execution on an asset."""

    @query(key)
    def of_asset(*, database_id: str, asset_id: str):
        """Workflow executions on an asset."""

    @index("WorkflowLSI", "{databaseId}:{assetId}", "{workflowDatabaseId}:{workflowId}")
    def of_asset_by_workflow(
        *,
        database_id: str,
        asset_id: str,
        workflow_database_id: str | None = None,
        workflow_id: str | None = None,
    ):
        """Executions of a workflow on an asset."""

    @index("WorkflowGSI", "{workflowDatabaseId}:{workflowId}", "{executionId}")
    def of_workflow(
        *, workflow_database_id: str, workflow_id: str, execution_id: str | None = None
    ):
        """Executions of a workflow, on every asset."""

    @index("ExecutionIdGSI", "{workflowId}", "{executionId}")
    def by_execution_id(*, workflow_id: str, execution_id: str | None = None):
        """An execution by its id; the index needs the workflow's id too, but neither database nor
        asset.
        """

    @property
    def steps(self) -> tuple[ExecutionStep, ...]:
        """Its steps, in order."""
        return self.stored_steps or ()
