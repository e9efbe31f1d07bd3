"""Copies files: the smallest pipeline, to see that everything is connected."""

from __future__ import annotations

import shutil

from sortkey_systems.vams.runners.pipeline_step import PipelineStep, Report


def copy(step: PipelineStep, report: Report) -> None:
    """Copy each file of the input beside itself as `name-copy.ext`, or with the parameter `suffix`
    as `name<suffix>.ext`.
    """
    suffix = str(step.parameters.get("suffix") or "-copy")
    for path, file in step.inputs():
        target = step.output(path)
        shutil.copyfile(file, target.with_name(f"{target.stem}{suffix}{target.suffix}"))
        report.log(f"copied {path}")
