"""Pipeline functions of the tests. They run in another process, so they are in a module."""

from __future__ import annotations

import json
import time

from sortkey_systems.vams.runners.pipeline_step import PipelineStep, Report


def shout(step: PipelineStep, report: Report) -> None:
    """Each text in capitals, beside itself."""
    for path, file in step.inputs(".txt"):
        target = step.output(path)
        target.with_name(f"{target.stem}-loud.txt").write_text(file.read_text().upper())
        report.log(f"shouted {path}")
    report.progress(50, "half")


def fail(step: PipelineStep, report: Report) -> None:
    raise ValueError("this model cannot be read")


def sleep(step: PipelineStep, report: Report) -> None:
    report.log("asleep")
    time.sleep(60)


def take_memory(step: PipelineStep, report: Report) -> None:
    _ = bytearray(8_000_000_000)


def keep_message(step: PipelineStep, report: Report) -> None:
    """The message itself, as an output."""
    step.output("/message.json").write_text(json.dumps(dict(step.body)))


def fail_twice(step: PipelineStep, report: Report) -> None:
    """Fails until its parameter's file has two lines."""
    from pathlib import Path

    tries = Path(step.parameters["tries"])
    with tries.open("a") as file:
        file.write("try\n")
    if len(tries.read_text().splitlines()) < 3:
        raise ValueError("not yet")
    step.output("/at-last.txt").write_text("done")


def forbidden(step: PipelineStep, report: Report) -> None:
    """An output that no asset takes."""
    step.output("/fine.txt").write_text("fine")
    step.output("/virus.exe").write_text("MZ")


def many(step: PipelineStep, report: Report) -> None:
    """More outputs than one upload takes, with names that are awkward in URLs."""
    for number in range(int(step.parameters["count"])):
        step.output(f"/parts/a b+c&d={number:05d}.txt").write_text(str(number))


def describe(step: PipelineStep, report: Report) -> None:
    """Metadata of the file and of the asset, and a preview."""
    for path, _ in step.inputs():
        step.describe(path, {"colour": "red"})
        step.describe(path, {"hash": "abc"}, "attribute")
    step.describe(None, {"checked": "yes"})
    step.preview("/preview.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    step.auxiliary("/octree/hierarchy.bin").write_bytes(b"\0\1")


def describe_wrongly(step: PipelineStep, report: Report) -> None:
    """Metadata that is not a text, beside a file."""
    step.output("/fine.txt").write_text("fine")
    step.describe("/a.txt", {"count": 7})  # pyright: ignore[reportArgumentType]


def link(step: PipelineStep, report: Report) -> None:
    """A link to a file of the machine, as an output."""
    step.output("/stolen.txt").symlink_to("/etc/hostname")


def sleep_once(step: PipelineStep, report: Report) -> None:
    """Sleeps for a minute the first time, as its parameter's file says."""
    from pathlib import Path

    marker = Path(step.parameters["marker"])
    if not marker.exists():
        marker.touch()
        time.sleep(60)
    step.output("/second.txt").write_text("done")
