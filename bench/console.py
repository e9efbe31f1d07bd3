"""The console in Chromium: how soon pages are there, how smooth a large graph is, and what `sortkey
up` costs idle.

python -m bench.console
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.client import Client
from bench.processes import cpu_seconds, resident_mb
from tools.downloads import Missing

ITEMS = 100_000
NODES = 1_000
ROUNDS = 5
IDLE_SECONDS = 20
OPEN_SECONDS_MAX, IDLE_CPU_MAX, IDLE_MB_MAX, READY_SECONDS_MAX = 1.0, 1.0, 250, 3.0
FRAME_MS_MAX = 33.0

_FRAMES = """async () => {
  const canvas = document.querySelector('canvas'), box = canvas.getBoundingClientRect(), times = [];
  let last = performance.now();
  for (let n = 0; n < 60; n++) {
    const at = {clientX: box.x + 300 + n * 3, clientY: box.y + 200, bubbles: true};
    canvas.dispatchEvent(new MouseEvent(n ? 'mousemove' : 'mousedown', at));
    await new Promise(requestAnimationFrame);
    const now = performance.now(); times.push(now - last); last = now;
  }
  return times.sort((a, b) => a - b)[30];
}"""


@dataclass(frozen=True, slots=True)
class Console:
    """Seconds until a page is drawn, milliseconds of a frame while a graph is dragged, and the
    process at rest.
    """

    ready_again: float
    home: float
    table: float
    frame_ms: float
    idle_cpu: float
    idle_mb: float


def measure() -> Console | None:
    """None where there is no Chromium."""
    program = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if program is None:
        return None
    with tempfile.TemporaryDirectory(prefix="sortkey-console-") as folder:
        first = _Up(Path(folder) / "data", "--no-sample")
        _fill(first)
        first.stop()
        up = _Up(Path(folder) / "data", "--no-sample")
        try:
            home, table, frame = _browse(up, program)
            time.sleep(2)
            began = cpu_seconds(up.process.pid)
            time.sleep(IDLE_SECONDS)
            idle = 100 * (cpu_seconds(up.process.pid) - began) / IDLE_SECONDS
            return Console(up.ready_seconds, home, table, frame, idle, resident_mb(up.process.pid))
        finally:
            up.stop()


def markdown() -> str:
    """A section of the report."""
    measured = measure()
    if measured is None:
        raise Missing("there is no Chromium: install the package `chromium`")
    return _section(measured)


def _section(console: Console) -> str:
    rows = (
        (
            "`sortkey up`, second start, until it answers",
            f"{console.ready_again:.1f} s",
            READY_SECONDS_MAX,
            "s",
            console.ready_again,
        ),
        ("home, until it is drawn", f"{console.home:.2f} s", OPEN_SECONDS_MAX, "s", console.home),
        (
            f"a table of {ITEMS:,} items",
            f"{console.table:.2f} s",
            OPEN_SECONDS_MAX,
            "s",
            console.table,
        ),
        (
            f"a frame while a graph of {NODES:,} nodes is dragged",
            f"{console.frame_ms:.0f} ms",
            FRAME_MS_MAX,
            "ms",
            console.frame_ms,
        ),
        ("idle CPU", f"{console.idle_cpu:.2f} %", IDLE_CPU_MAX, "%", console.idle_cpu),
        ("idle memory", f"{console.idle_mb:.0f} MB", IDLE_MB_MAX, "MB", console.idle_mb),
    )
    lines = [
        "## The console, in Chromium on this machine",
        "",
        "| | | at most | |",
        "|---|---|---|---|",
    ]
    for name, limit_text, most, unit, value in rows:
        lines.append(
            f"| {name} | {limit_text} | {most:g} {unit} | {'met' if value <= most else '**missed**'} |"
        )
    return "\n".join(lines) + "\n"


class _Up:
    """A running `sortkey up` on free ports."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        began = time.perf_counter()
        command = [
            sys.executable,
            "-m",
            "sortkey",
            "up",
            "--data",
            str(folder),
            "--port",
            "0",
            "--dynamodb-port",
            "0",
        ]
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said: dict[str, str] = {}
        for line in self.process.stdout:
            name, _, value = line.strip().partition(" ")
            said[name] = value.strip()
            if line.startswith("Ctrl-C"):
                break
        self.ready_seconds = time.perf_counter() - began
        self.console, self.port = said["console"], int(said["DynamoDB"].rsplit(":", 1)[1])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def _fill(up: _Up) -> None:
    """A large table, and a run with a large graph."""
    client = Client(up.port)
    for start in range(0, ITEMS, 25):
        puts = [
            {
                "PutRequest": {
                    "Item": {
                        "PK": {"S": f"USER#{n // 100}"},
                        "SK": {"S": f"NOTE#{n:06d}"},
                        "n": {"N": str(n)},
                    }
                }
            }
            for n in range(start, start + 25)
        ]
        client.call("BatchWriteItem", {"RequestItems": {"applens-graph-metadata": puts}})
    client.close()


def _browse(up: _Up, program: str) -> tuple[float, float, float]:
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as started,
        started.chromium.launch(executable_path=program, args=["--no-sandbox"]) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        home = _seconds(page, up.console, "h2")
        table = _seconds(page, f"{up.console}data?table=applens-graph-metadata", "tbody tr")
        page.goto(f"{up.console}applens")
        page.locator("input[type=file]").set_input_files(
            {"name": "large.tf", "mimeType": "text/plain", "buffer": _terraform().encode()}
        )
        page.wait_for_selector("canvas", timeout=60_000)
        page.wait_for_timeout(1500)
        return home, table, float(page.evaluate(_FRAMES))


def _seconds(page: Any, address: str, selector: str) -> float:
    """The median of several, after a first one that fills the browser's cache."""
    taken: list[float] = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.wait_for_selector(selector)
        taken.append(time.perf_counter() - began)
    return sorted(taken[1:])[ROUNDS // 2]


def _terraform() -> str:
    nets = [f'resource "aws_subnet" "s{n}" {{\n  vpc_id = aws_vpc.main.id\n}}' for n in range(40)]
    hosts = [
        f'resource "aws_instance" "i{n}" '
        f'{{\n  ami = "ami-1"\n  subnet_id = aws_subnet.s{n % 40}.id\n}}'
        for n in range(NODES - 41)
    ]
    return "\n".join(
        ['resource "aws_vpc" "main" {\n  cidr_block = "10.0.0.0/16"\n}', *nets, *hosts]
    )


if __name__ == "__main__":
    print(markdown())
