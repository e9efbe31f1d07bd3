"""The pipelines and workflows that come with VAMS, as records of GLOBAL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.model.workflows import PipelineType
from sortkey_systems.vams.workflows.values import (
    GLOBAL,
    FunctionValues,
    PipelineValues,
    SpecifiedPipelines,
    WorkflowValues,
)

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

Row = tuple[str, PipelineType, str, str, str]
PIPELINES: tuple[Row, ...] = (
    ("vams-copy", "standardFile", ".all", ".all", "Copies files beside themselves"),
    ("vams-checksum", "standardFile", ".all", ".all", "SHA-256 and MD5 as attributes of files"),
    ("vams-thumbnail", "previewFile", ".jpg", ".jpg", "Small pictures of pictures"),
    ("vams-exif", "standardFile", ".jpg", ".jpg", "EXIF of pictures as metadata"),
    ("vams-mesh-facts", "standardFile", ".glb", ".glb", "Polygons, extents and area of models"),
    ("vams-mesh-convert", "standardFile", ".stl", ".glb", "Models as GLB"),
    ("vams-mesh-preview", "previewFile", ".glb", ".png", "Pictures of models"),
    ("vams-video-preview", "previewFile", ".mp4", ".jpg", "Pictures of videos, by ffmpeg"),
    (
        "vams-pdf-preview",
        "previewFile",
        ".pdf",
        ".jpg",
        "First pages of PDF documents, by pdftoppm",
    ),
)
"""The id, which is also the name of the function; type, input, output and description."""
WORKFLOWS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("picture-details", "EXIF and a small picture", ("vams-exif", "vams-thumbnail")),
    ("model-details", "Facts and a picture of a model", ("vams-mesh-facts", "vams-mesh-preview")),
    ("model-to-glb", "A model as GLB", ("vams-mesh-convert",)),
    ("file-checksums", "Checksums of files", ("vams-checksum",)),
)


def pipelines() -> Iterator[PipelineValues]:
    """The shipped pipelines, as they are written."""
    for name, kind, asset_type, output_type, description in PIPELINES:
        yield PipelineValues(
            pipelineId=name,
            databaseId=GLOBAL,
            pipelineType=kind,
            pipelineExecutionType="Lambda",
            description=description,
            assetType=asset_type,
            outputType=output_type,
            lambdaName=name,
        )


def workflows() -> Iterator[WorkflowValues]:
    """The shipped workflows. None begins by itself until somebody gives it extensions."""
    for name, description, steps in WORKFLOWS:
        functions = [FunctionValues(name=each, databaseId=GLOBAL) for each in steps]
        yield WorkflowValues(
            workflowId=name,
            databaseId=GLOBAL,
            description=description,
            specifiedPipelines=SpecifiedPipelines(functions=functions),
        )


def install(service: Vams, caller: Caller) -> list[str]:
    """Add what is missing, and leave what is there as it is. Returns the ids that were added."""
    added: list[str] = []
    for pipeline in pipelines():
        if service.pipelines.find(GLOBAL, pipeline.pipelineId) is None:
            service.pipelines.put(caller, pipeline)
            added.append(pipeline.pipelineId)
    for workflow in workflows():
        if service.workflows.find(GLOBAL, workflow.workflowId) is None:
            service.workflows.put(caller, workflow)
            added.append(workflow.workflowId)
    return added
