"""The folder of a step on this machine: filled with its input, and emptied into the buckets."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortkey import Objects
from sortkey_systems.vams.files.content_types import content_type_of
from sortkey_systems.vams.runners.pipeline_step import AUXILIARY, INPUT, OUTPUTS, PipelineStep
from sortkey_systems.vams.runners.port import StepFailed

FILES_MAX = 10_000
BYTES_MAX = 16 << 30
"""Of the input of a step, and of its output."""
CHUNK_BYTES = 1 << 20
LEFT_BEHIND_SECONDS = 8 * 86_400
"""Folders that are older belong to a server that was killed: no step takes so long."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of the input: its path within the asset, and its object."""

    path: str
    key: str


@dataclass(frozen=True, slots=True)
class StepFiles:
    """What the folder of a step is filled from and emptied into."""

    objects: Objects
    inputs: tuple[InputFile, ...]
    outputs: str
    """A prefix in the same bucket."""
    auxiliary_objects: Objects
    auxiliary: str

    @contextmanager
    def opened(
        self, root: Path, body: Mapping[str, Any], has_input: bool
    ) -> Generator[PipelineStep]:
        """The folder for a block, with the input if that is wanted. It is deleted afterwards."""
        folder = root / f"step-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700, parents=True)
        try:
            for name in (INPUT, *OUTPUTS):
                (folder / name).mkdir()
            if has_input:
                self._fill(folder / INPUT)
            step = PipelineStep(folder, body)
            yield step
            self._empty(step)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def links(self, seconds: int) -> list[dict[str, str]]:
        """The files of the input, with URLs under which they can be read for some time."""
        if len(self.inputs) > FILES_MAX:
            raise StepFailed(f"the input has more than {FILES_MAX:,} files")
        return [
            {"path": each.path, "url": self.objects.presign_get(each.key, seconds=seconds)}
            for each in self.inputs
        ]

    def _fill(self, folder: Path) -> None:
        used = 0
        for number, each in enumerate(self.inputs, 1):
            if number > FILES_MAX:
                raise StepFailed(f"the input has more than {FILES_MAX:,} files")
            target = folder / each.path.lstrip("/")
            if not target.resolve().is_relative_to(folder.resolve()):
                raise StepFailed(f"the path {each.path[:200]} leads out of the asset")
            target.parent.mkdir(parents=True, exist_ok=True)
            with self.objects.open(each.key) as source, target.open("wb") as file:
                while chunk := source.read(CHUNK_BYTES):
                    used += len(chunk)
                    if used > BYTES_MAX:
                        raise StepFailed(f"the input has more than {BYTES_MAX:,} bytes")
                    file.write(chunk)

    def _empty(self, step: PipelineStep) -> None:
        used = 0
        for number, (name, path, file) in enumerate(_made(step), 1):
            used += file.stat().st_size
            if number > FILES_MAX or used > BYTES_MAX:
                raise StepFailed(
                    f"the output has more than {FILES_MAX:,} files or {BYTES_MAX:,} bytes"
                )
            is_auxiliary = name == AUXILIARY
            objects = self.auxiliary_objects if is_auxiliary else self.objects
            prefix = self.auxiliary if is_auxiliary else f"{self.outputs}{name}/"
            with open_plain(file) as data:
                objects.put(prefix + path, data, content_type=content_type_of(path))


def _made(step: PipelineStep) -> Iterator[tuple[str, str, Path]]:
    """What a step has made: the folder, the path in it, the file. Links are refused: they could
    lead anywhere on the machine.
    """
    for name in OUTPUTS:
        root = step.place(name)
        for folder, folders, files in os.walk(root):
            for each in sorted((*folders, *files)):
                path = Path(folder) / each
                if path.is_symlink() or not (path.is_file() or path.is_dir()):
                    raise StepFailed(f"the output {each[:200]} is not a plain file")
                if path.is_file():
                    yield name, path.relative_to(root).as_posix(), path


def open_plain(path: Path) -> Any:
    """Open a file for reading, but not through a link that has taken its place."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    return os.fdopen(descriptor, "rb")


def listed(objects: Objects, prefix: str) -> Iterator[InputFile]:
    """The objects under a prefix, with their paths below it. Folders are left out."""
    after: str | None = None
    while True:
        page = objects.list(prefix, after=after)
        for each in page.objects:
            path = each.key.removeprefix(prefix)
            if path and not path.endswith("/"):
                yield InputFile(f"/{path}", each.key)
        after = page.after
        if after is None:
            return


def remove_versions(objects: Objects, prefix: str) -> None:
    """Delete all versions of the objects under a prefix."""
    for version in list(objects.versions(prefix)):
        objects.delete(version.key, version.version_id)


def remove_left_behind(root: Path) -> None:
    """Delete the folders of steps that a killed server has left behind."""
    if not root.is_dir():
        return
    oldest = time.time() - LEFT_BEHIND_SECONDS
    for folder in root.iterdir():
        with suppress(OSError):
            if folder.name.startswith("step-") and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
