"""An object of 1 GB goes up and down in the memory of a small program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.objects_adapters import new_s3_bucket, s3_endpoint

__all__ = ["s3_endpoint"]

MEGABYTES = 1024
MEMORY_KB_MAX = 64 * 1024

pytestmark = pytest.mark.slow


def sent_and_read(folder: Path, buckets: str) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "tests.faults.payload_stream",
        str(folder),
        buckets,
        str(MEGABYTES),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["is_same"]
    assert figures["size"] == MEGABYTES << 20
    return figures


def test_a_gigabyte_into_a_folder_and_back(tmp_path: Path) -> None:
    # The whole program, Python and all, stays below 64 MB.
    figures = sent_and_read(tmp_path / "data", str(tmp_path / "buckets" / "{bucket}"))
    assert figures["down"] < MEMORY_KB_MAX, figures


@pytest.mark.xdist_group("s3")
def test_a_gigabyte_to_s3_and_back(tmp_path: Path, s3_endpoint: str) -> None:
    # boto3 takes as much by itself; what the stream adds to it is counted.
    with new_s3_bucket(s3_endpoint, name="artifacts") as bucket:
        address = bucket.name.replace("artifacts", "{bucket}")
        figures = sent_and_read(tmp_path / "data", f"s3://{address}?endpoint={s3_endpoint}")
    assert figures["down"] - figures["before"] < MEMORY_KB_MAX, figures
