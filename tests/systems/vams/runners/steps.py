"""A task on a folder of a test, without a service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sortkey_systems.vams.runners.pipeline_step import INPUT, OUTPUTS, PipelineStep, Report
from sortkey_systems.vams.runners.port import Task


class Trial:
    """A folder with input, and what a runner says of its work."""

    def __init__(self, folder: Path, **body: Any) -> None:
        self.logs: list[str] = []
        self.progress: list[tuple[int, str | None]] = []
        for name in (INPUT, *OUTPUTS):
            (folder / name).mkdir(parents=True)
        self.step = PipelineStep(folder, {"inputParameters": "", "outputType": "", **body})
        self.report = Report(self._heard)

    def add(self, path: str, data: bytes) -> Path:
        target = self.step.place(INPUT) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return target

    def task(self, seconds: float = 30.0, check: Callable[[], object] = lambda: None) -> Task:
        @contextmanager
        def opened(has_input: bool) -> Iterator[PipelineStep]:
            yield self.step

        return Task(
            body=self.step.body,
            seconds=seconds,
            open_folder=opened,
            input_links=lambda: [{"path": "/a.txt", "url": "http://127.0.0.1/a.txt"}],
            check=check,
            log=self.logs.append,
            progress=lambda percent, text: self.progress.append((percent, text)),
        )

    def made(self, place: str) -> dict[str, bytes]:
        """What is in a folder of outputs."""
        root = self.step.place(place)
        files = (path for path in root.rglob("*") if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}

    def _heard(self, message: Any) -> None:
        kind, *rest = message
        if kind == "log":
            self.logs.append(*rest)
        else:
            self.progress.append((rest[0], rest[1]))
