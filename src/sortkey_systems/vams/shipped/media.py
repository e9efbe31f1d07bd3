"""Previews of videos and PDF documents, where ffmpeg and pdftoppm are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from sortkey_systems.vams.runners import command_child
from sortkey_systems.vams.runners.pipeline_step import PipelineStep, Report
from sortkey_systems.vams.shipped.pictures import reduced, save

VIDEOS = (".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v")
SIZE = 512
TOOL_SECONDS = 300


def video_preview(step: PipelineStep, report: Report) -> None:
    """A picture of each video, one second after its beginning: `name.previewFile.jpg`."""
    tool = tool_path("ffmpeg")
    for path, file in step.inputs(*VIDEOS):
        picture = step.folder / "frame.png"
        picture.unlink(missing_ok=True)
        for start in ("1", "0"):  # a shorter one has its first picture only
            command = [tool, "-v", "error", "-nostdin", "-y", "-protocol_whitelist", "file"]
            command += ["-ss", start, "-i", str(file), "-frames:v", "1", str(picture)]
            run_tool(command, is_checked=start == "0")
            if picture.is_file():
                break
        _store(step, path, picture)
        report.log(f"{path}: picture taken")


def pdf_preview(step: PipelineStep, report: Report) -> None:
    """A picture of the first page of each PDF document: `name.previewFile.jpg`."""
    tool = tool_path("pdftoppm")
    for path, file in step.inputs(".pdf"):
        base = step.folder / "page"
        options = ["-png", "-singlefile", "-f", "1", "-l", "1", "-scale-to", str(SIZE)]
        run_tool([tool, *options, str(file), str(base)])
        _store(step, path, base.with_suffix(".png"))
        report.log(f"{path}: first page drawn")


def tool_path(name: str) -> str:
    """The path of a program. Raises RuntimeError with what is missing."""
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"this pipeline needs {name}, which is not installed on the server")
    return path


def run_tool(command: list[str], *, is_checked: bool = True) -> None:
    """Run a program. Raises RuntimeError with the end of what it printed."""
    # It ends with this process, which is killed at its time limit.
    launcher = [sys.executable, "-I", "-S", command_child.__file__, "0", "0", "0"]
    done = subprocess.run(
        [*launcher, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TOOL_SECONDS,
        check=False,
    )
    if is_checked and done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise RuntimeError(f"{Path(command[0]).name} failed: {said}")


def _store(step: PipelineStep, path: str, picture: Path) -> None:
    small = reduced(picture, SIZE).convert("RGB")
    save(small, step.output(f"{path}.previewFile.jpg"))
    save(small, step.preview(f"{path}.jpg"))
