"""Runs wrk against a server and reads what it measured, with the server's CPU time beside it."""

import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.client import HEADERS, Client
from bench.processes import cpu_seconds, settle
from bench.workloads import Workload

_SCRIPT = Path(__file__).with_name("wrk.lua")


@dataclass(frozen=True, slots=True)
class Measure:
    """One workload on one server with so many connections."""

    per_second: float
    cpu_us: float
    p50_ms: float
    p99_ms: float
    failed_share: float


def run(
    workload: Workload, port: int, pid: int, connections: int, seconds: int, folder: Path
) -> Measure:
    """Load the server for some seconds; CPU is the server's, not wrk's."""
    bodies = folder / f"{workload.name}.bodies"
    if not bodies.exists():
        workload.write_bodies(str(bodies))
    _wait_for_quiet(port, pid)
    settle()
    before = cpu_seconds(pid)
    result = _wrk(bodies, workload.operation, port, connections, seconds)
    spent = cpu_seconds(pid) - before
    requests = max(1, result["requests"])
    return Measure(
        per_second=requests / result["seconds"],
        cpu_us=spent / requests * 1e6,
        p50_ms=result["p50_ms"],
        p99_ms=result["p99_ms"],
        failed_share=result["failed"] / requests,
    )


def median(rounds: Sequence[Measure]) -> Measure:
    return sorted(rounds, key=lambda measure: measure.per_second)[len(rounds) // 2]


def _wait_for_quiet(port: int, pid: int, seconds_max: float = 10) -> None:
    """Let a slow server finish what the last load left in its queue: it would be counted against
    the next one.
    """
    client = Client(port, timeout_seconds=60)
    deadline = time.monotonic() + seconds_max
    while time.monotonic() < deadline:
        client.call("ListTables", {})  # waits in the queue behind the rest
        before = cpu_seconds(pid)
        time.sleep(0.1)
        if cpu_seconds(pid) - before < 0.05:
            break
    client.close()


def _wrk(
    bodies: Path, operation: str, port: int, connections: int, seconds: int
) -> dict[str, float]:
    program = shutil.which("wrk")
    if not program:
        raise SystemExit("bench: wrk is missing (Debian: apt-get install wrk)")
    # One thread: it sends more than 100,000 prepared requests a second, far more than any server
    # here answers.
    command = [
        program,
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--timeout",
        "30s",
        "-s",
        str(_SCRIPT),
    ]
    command += [f"http://127.0.0.1:{port}/", "--", str(bodies), operation, HEADERS["Authorization"]]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = next(line for line in output.splitlines() if line.startswith("RESULT "))
    return json.loads(line.removeprefix("RESULT "))
