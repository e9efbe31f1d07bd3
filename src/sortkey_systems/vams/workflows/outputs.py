"""How the outputs of a run enter its asset: files by the rules of uploads, then a preview, then
metadata past the schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import ValidationError

from sortkey import JobContext, Objects
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets import asset_object
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.files.paths import PREVIEW, file_path
from sortkey_systems.vams.metadata.values import MetadataItem
from sortkey_systems.vams.model import WHOLE_ASSET, Asset, WorkflowExecution
from sortkey_systems.vams.runners.pipeline_step import (
    ASSET_METADATA,
    FILES,
    METADATA,
    PREVIEWS,
)
from sortkey_systems.vams.workflows.step_files import InputFile, listed
from sortkey_systems.vams.workflows.step_message import outputs_prefix

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

PICTURES = (".png", ".jpg", ".jpeg", ".svg", ".gif")
METADATA_BYTES_MAX = 2 << 20
CHECKPOINT_FILES = 20
ORIGIN = "workflow:"
_KINDS: dict[str, Literal["metadata", "attribute"]] = {
    ".metadata.json": "metadata",
    ".attribute.json": "attribute",
}
BARE = "metadata.json"


def origin_of_run(run: WorkflowExecution) -> str:
    """Where the outputs of a run come from: `workflow:` and the workflows, the first one first."""
    return ORIGIN + ",".join((*(run.after_workflows or ()), workflow_name(run)))


def workflows_of(origin: str) -> tuple[str, ...]:
    """The workflows that files come from, as `database/workflow`; none for other origins."""
    if not origin.startswith(ORIGIN):
        return ()
    return tuple(origin.removeprefix(ORIGIN).split(","))


def workflow_name(run: WorkflowExecution) -> str:
    """The workflow of a run, in an origin."""
    return f"{run.workflow_database_id}/{run.workflow_id}"


@dataclass(frozen=True, slots=True)
class Description:
    """Metadata that a pipeline has made: of a file, or of the asset."""

    path: str
    kind: Literal["metadata", "attribute"]
    items: list[MetadataItem]
    replaces: bool


class Outputs:
    """Stores the outputs of runs."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def store(
        self, context: JobContext, caller: Caller, asset: Asset, run: WorkflowExecution
    ) -> None:
        """Store all outputs. What a crash has interrupted goes on after the last checkpoint."""
        service, origin = self._service, origin_of_run(run)
        service.access.require(caller, "PUT", asset_object(asset))
        objects, prefix = service.files.place(asset).objects, outputs_prefix(run)
        described = list(self._descriptions(objects, f"{prefix}{METADATA}/", run, asset))
        admission = service.files.admission(asset)
        files = [(file_path(each.path), each.key) for each in _by_base(objects, prefix)]
        paths = [path for path, _ in files]
        for path in paths:  # before the first one enters: all of them, or none
            admission.check_name(path)
            admission.check_base(path, paths)
        done = int(context.state or 0)
        for number, (path, key) in enumerate(files[done:], done + 1):
            admission.admit(caller, path, key, origin)
            if number % CHECKPOINT_FILES == 0 or number == len(files):
                context.checkpoint(number)
        if files:
            asset = service.files.entered(caller, asset, paths, origin)
        self._preview(caller, asset, objects, f"{prefix}{PREVIEWS}/", origin)
        for each in described:
            service.metadata.write_unchecked(
                asset, each.path, each.kind, each.items, replace=each.replaces
            )
        context.log(
            "INFO", f"stored {len(files)} files, metadata of {len(described)} files or assets"
        )
        self._record(caller, run, len(files))

    def _preview(
        self, caller: Caller, asset: Asset, objects: Objects, prefix: str, origin: str
    ) -> None:
        """The first picture becomes the preview of the asset."""
        pictures = (
            each for each in listed(objects, prefix) if each.path.lower().endswith(PICTURES)
        )
        first = next(pictures, None)
        if first is not None:
            with objects.open(first.key) as source:
                self._service.previews.put(caller, asset, first.path, source, origin)

    def _descriptions(
        self, objects: Objects, prefix: str, run: WorkflowExecution, asset: Asset
    ) -> Iterator[Description]:
        place = self._service.files.place(asset)
        key = run.input_asset_file_key
        input_path = place.relative(key) if key else WHOLE_ASSET
        for each in listed(objects, prefix):
            target = _target(each.path, input_path)
            if target is not None:
                path, kind = target
                yield _description(each.path, path, kind, _read(objects, each))

    def _record(self, caller: Caller, run: WorkflowExecution, count: int) -> None:
        self._service.audit.record(
            "FILEUPLOAD",
            caller,
            "workflow.outputs",
            f"asset/{run.database_id}/{run.asset_id}",
            executionId=run.execution_id,
            files=count,
        )


def _by_base(objects: Objects, prefix: str) -> list[InputFile]:
    """The files of a run. Previews of files come after the files."""
    files = listed(objects, f"{prefix}{FILES}/")
    return sorted(files, key=lambda each: (PREVIEW in each.path, each.path))


def _target(path: str, input_path: str) -> tuple[str, Literal["metadata", "attribute"]] | None:
    """What a document of metadata describes: a path in the asset and the kind; None for others."""
    if path.lstrip("/") == ASSET_METADATA:
        return WHOLE_ASSET, "metadata"
    if path.rpartition("/")[2] == BARE:  # beside the input, for the input
        return input_path, "metadata"
    for ending, kind in _KINDS.items():
        if path.endswith(ending):
            return path.removesuffix(ending), kind
    return None


def _read(objects: Objects, file: InputFile) -> dict[str, Any]:
    with objects.open(file.key, end=METADATA_BYTES_MAX + 1) as source:
        data = source.read()
    if len(data) > METADATA_BYTES_MAX:
        raise Invalid(f"the metadata {file.path} has more than {METADATA_BYTES_MAX:,} bytes")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise Invalid(f"the metadata {file.path} is not JSON") from None
    if not isinstance(document, dict):
        raise Invalid(f"the metadata {file.path} is not a JSON object")
    return cast("dict[str, Any]", document)


def _description(
    name: str, path: str, kind: Literal["metadata", "attribute"], document: dict[str, Any]
) -> Description:
    items = document.get("metadata")
    if not isinstance(items, list):
        raise Invalid(f'the metadata {name} has no list "metadata"')
    try:
        wanted = [MetadataItem.model_validate(item) for item in cast("list[Any]", items)]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "an item"
        raise Invalid(f"the metadata {name} is not valid: {where}: {first['msg']}") from None
    return Description(path, kind, wanted, document.get("updateType") == "replace_all")
