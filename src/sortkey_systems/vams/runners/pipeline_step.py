"""What a pipeline function works on: a folder with the input, and folders for what it makes.

A function of a pipeline takes a `PipelineStep` and a `Report`. It runs in a process of its own with
limits of memory and time, and may raise any exception to fail.

    def outline(step: PipelineStep, report: Report) -> None:
        for path, file in step.inputs(".txt"):
            step.output(path + ".outline.txt").write_text(headings_of(file.read_text()))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

Kind = Literal["metadata", "attribute"]
INPUT, FILES, PREVIEWS, METADATA, AUXILIARY = "input", "files", "previews", "metadata", "auxiliary"
OUTPUTS = (FILES, PREVIEWS, METADATA, AUXILIARY)
ASSET_METADATA = "asset.metadata.json"


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """The folders of a step, and the message that describes it."""

    folder: Path
    body: Mapping[str, Any]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the pipeline."""
        value = json.loads(self.body.get("inputParameters") or "{}")
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}

    def place(self, name: str) -> Path:
        """One of the folders: input, files, previews, metadata, auxiliary."""
        return self.folder / name

    def inputs(self, *extensions: str) -> Iterator[tuple[str, Path]]:
        """The files of the input with their paths in the asset, in order; with extensions (".glb")
        only those, in any case.
        """
        root = self.place(INPUT)
        for file in sorted(path for path in root.rglob("*") if path.is_file()):
            if not extensions or file.suffix.lower() in extensions:
                yield file.relative_to(root).as_posix(), file

    def output(self, path: str) -> Path:
        """Where to write a file that enters the asset at this path."""
        return self.new_file(FILES, path)

    def preview(self, path: str) -> Path:
        """Where to write a picture. The first of them becomes the preview of the asset."""
        return self.new_file(PREVIEWS, path)

    def auxiliary(self, path: str) -> Path:
        """Where to write what a viewer needs beside the file, in the auxiliary bucket."""
        return self.new_file(AUXILIARY, path)

    def describe(
        self, path: str | None, values: Mapping[str, str], kind: Kind = "metadata"
    ) -> None:
        """Set metadata or attributes of a file, or metadata of the asset if `path` is None."""
        items = [
            {"metadataKey": name, "metadataValue": value, "metadataValueType": "string"}
            for name, value in values.items()
        ]
        name = ASSET_METADATA if path is None else f"{path}.{kind}.json"
        document = {"type": kind, "updateType": "update", "metadata": items}
        self.new_file(METADATA, name).write_text(json.dumps(document), "utf-8")

    def new_file(self, place: str, path: str) -> Path:
        """Where to write a file in one of the folders. Raises ValueError for a path outside of
        it.
        """
        root = self.place(place)
        target = root / path.lstrip("/")
        if not target.resolve().is_relative_to(root.resolve()):
            raise ValueError(f"{path!r} is outside of the folder of the step")
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


class Report:
    """How a function says what it does."""

    def __init__(self, send: Callable[[Any], object]) -> None:
        self._send = send

    def log(self, message: str) -> None:
        """Add a line to the log of the run."""
        self._send(("log", str(message)))

    def progress(self, percent: int, text: str | None = None) -> None:
        """Say how far the step is, from 0 to 100."""
        self._send(("progress", max(0, min(100, int(percent))), text))
