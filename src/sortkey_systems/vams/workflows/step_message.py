"""The message of a step: what the interface of pipelines gives to what runs them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sortkey_systems.vams.model import Asset, WorkflowExecution
from sortkey_systems.vams.model.workflows import ExecutionStep

FOLDER = "pipelines"
"""The first folder of a bucket under which outputs are collected."""


@dataclass(frozen=True, slots=True)
class RunPlaces:
    """Where a run reads and writes: keys in the bucket of the asset, and prefixes in both."""

    bucket: str
    auxiliary_bucket: str
    location_key: str
    """The prefix of the asset's files."""
    input_key: str
    """The key of the file, or the prefix of the asset."""
    outputs: str
    """The prefix of the outputs of all steps."""

    def output(self, name: str) -> str:
        """The prefix of one kind of outputs."""
        return f"{self.outputs}{name}/"

    def auxiliary(self, step: ExecutionStep) -> str:
        """The prefix of what a step stores in the auxiliary bucket."""
        kind = "preview" if step.pipeline_type == "previewFile" else FOLDER
        return f"{self.input_key.rstrip('/')}/{kind}/{step.name}/"


def outputs_prefix(run: WorkflowExecution) -> str:
    """Under which the outputs of a run are collected."""
    first = run.steps[0].name if run.steps else run.workflow_id
    job = f"job-{run.execution_id.rpartition('-')[2]}"
    return f"{FOLDER}/{first}/{job}/output/{run.execution_id}/"


def metadata_text(
    asset: Asset,
    of_asset: Mapping[str, str],
    of_file: Mapping[str, str],
    attributes: Mapping[str, str],
) -> str:
    """inputMetadata: what is known of the asset and the file, as JSON text."""
    known = {
        "assetData": {
            "assetName": asset.asset_name,
            "description": asset.description,
            "tags": list(asset.tags),
        },
        "assetMetadata": dict(of_asset),
        "fileMetadata": dict(of_file),
        "fileAttributes": dict(attributes),
    }
    return json.dumps({"VAMS": known})


def body_of(
    run: WorkflowExecution,
    step: ExecutionStep,
    places: RunPlaces,
    *,
    input_key: str,
    input_metadata: str,
    task_token: str | None,
) -> dict[str, Any]:
    """The body of a step's message. `input_key` is what this step reads."""
    bucket, auxiliary = places.bucket, places.auxiliary_bucket
    body: dict[str, Any] = {
        "inputS3AssetFilePath": f"s3://{bucket}/{input_key}",
        "outputS3AssetFilesPath": f"s3://{bucket}/{places.output('files')}",
        "outputS3AssetPreviewPath": f"s3://{bucket}/{places.output('previews')}",
        "outputS3AssetMetadataPath": f"s3://{bucket}/{places.output('metadata')}",
        "inputOutputS3AssetAuxiliaryFilesPath": f"s3://{auxiliary}/{places.auxiliary(step)}",
        "bucketAsset": bucket,
        "bucketAssetAuxiliary": auxiliary,
        "assetId": run.asset_id,
        "databaseId": run.database_id,
        "workflowDatabaseId": run.workflow_database_id,
        "workflowId": run.workflow_id,
        "inputAssetFileKey": places.input_key,
        "inputAssetLocationKey": places.location_key,
        "outputType": step.output_type,
        "inputMetadata": input_metadata,
        "inputParameters": step.input_parameters,
        "executingUserName": run.executed_by or "",
    }
    if task_token is not None:
        body["TaskToken"] = task_token
    return body
