"""Pipeline Storage Table, Workflow Storage Table, Workflow Executions Storage Table."""

from typing import Annotated

from pydantic import Field

from sortkey import GSI, LSI, Entity, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import AssetId, DatabaseId, Identifier, WorkflowId

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


class Pipeline(Entity, table=pipeline_storage, names=camel):
    """A pipeline definition, scoped to a database."""

    database_id: DatabaseId
    pipeline_id: Annotated[Identifier, Field(examples=["step-to-glb"])]

    @key("{databaseId}", "{pipelineId}")
    def key(*, database_id: str, pipeline_id: str):
        """A pipeline of a database."""

    @query(key)
    def of_database(*, database_id: str):
        """Pipelines of a database."""


class Workflow(Entity, table=workflow_storage, names=camel):
    """A workflow definition, scoped to a database."""

    database_id: DatabaseId
    workflow_id: WorkflowId

    @key("{databaseId}", "{workflowId}")
    def key(*, database_id: str, workflow_id: str):
        """A workflow of a database."""

    @query(key)
    def of_database(*, database_id: str):
        """Workflows of a database."""


class WorkflowExecution(Entity, table=workflow_executions_storage, names=camel):
    """A run of a workflow on an asset. The workflow may belong to another database than
    the asset.
    """

    database_id: DatabaseId
    asset_id: AssetId
    execution_id: Annotated[Identifier, Field(examples=["run-0140"])]
    workflow_database_id: DatabaseId
    workflow_id: WorkflowId

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
