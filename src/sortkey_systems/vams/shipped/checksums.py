"""Checksums of files, as attributes."""

from __future__ import annotations

import hashlib

from sortkey_systems.vams.runners.pipeline_step import PipelineStep, Report


def checksum(step: PipelineStep, report: Report) -> None:
    """Give each file the attributes checksum_sha256, checksum_md5 and size_bytes."""
    for path, file in step.inputs():
        with file.open("rb") as data:
            sha256 = hashlib.file_digest(data, "sha256").hexdigest()
            data.seek(0)
            md5 = hashlib.file_digest(data, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        values = {
            "checksum_sha256": sha256,
            "checksum_md5": md5,
            "size_bytes": str(file.stat().st_size),
        }
        step.describe(path, values, "attribute")
        report.log(f"{path}: SHA-256 {sha256}")
