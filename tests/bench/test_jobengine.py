"""JE-69 and JE-70 are figures: `bench/jobengine.py` measures them and `make bench` prints them,
against the claims.

What is tested here is that it measures all of them, and that memory does not grow with the volume.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import jobengine

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.accepts("JE-69")
def test_JE_69_every_latency_that_the_document_claims_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # In small: what it prints with the real sizes depends on the machine, and stands in the report.
    small = {
        "JOURNEYS": 3,
        "JOBS": 3,
        "ROUNDS": 2,
        "LARGE_ROUNDS": 1,
        "ENTRIES": 300,
        "REPORT_BYTES": 1 << 20,
    }
    for name, value in small.items():
        monkeypatch.setattr(jobengine, name, value)
    claims = {
        name.replace("100 journeys", "3 journeys").replace("20 jobs", "3 jobs")
        for name in jobengine.CLAIMS
    }
    measured = jobengine.measure()["ms"]
    assert measured.keys() == claims
    assert all(ms > 0 for ms in measured.values())


@pytest.mark.slow
@pytest.mark.accepts("JE-70")
def test_JE_70_ten_thousand_entries_of_50_MB_are_written_and_read_in_constant_memory() -> None:
    # In a process of its own, at full size, with entries in the table and a search to the end.
    command = [sys.executable, "-m", "bench.jobengine", "--one"]
    found = json.loads(
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    )
    assert found["entries"] == 10_000
    assert found["log_mb"] > 49
    assert found["memory_mb"] <= jobengine.MEMORY_MB_MAX
    assert "| report of 10 MB | 100 |" in jobengine.markdown(found)
