"""Wallcrawler on one machine: how soon a browser is there, what the proxy adds, and what a session
costs.

`python -m bench.wallcrawler` prints the section of the report. The server is a process of its own,
and its clients are the published ones: `browserbase`, Playwright, and a plain WebSocket.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.processes import family
from tools.downloads import Missing

ROUNDS, WARM_ROUNDS, TRIPS = 20, 15, 2000
SESSIONS = 4
"""Blank sessions at once, for their memory."""
REFILL_SECONDS = 20.0
ANCHORS = "Browserbase 209/114/625, Hyperbrowser 170/181/554, Steel 243/633/1240"
"""Medians of create/connect/total in ms, published in 2026 by others, over a network."""

WORK = """<!doctype html><title>Work</title><canvas id=c width=600 height=400></canvas><script>
  // So much work in each of 120 frames, with a picture that changes: what a recording may disturb.
  window.work = () => new Promise(done => {
    const paint = c.getContext('2d');
    let frames = 0, busy = 0;
    const step = () => {
      const began = performance.now();
      let sum = 0;
      for (let n = 0; n < 400000; n++) sum += Math.sqrt(n);
      paint.fillStyle = `hsl(${frames * 3} 70% 50%)`;
      paint.fillRect(frames * 4 % 600, sum % 300, 90, 90);
      busy += performance.now() - began;
      if (++frames < 120) requestAnimationFrame(step); else done(busy);
    };
    step();
  });
</script>"""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, and how much it may be at most."""

    name: str
    value: float
    most: float
    unit: str = "ms"
    is_minimum: bool = False

    @property
    def is_met(self) -> bool:
        return self.value >= self.most if self.is_minimum else self.value <= self.most

    def line(self) -> str:
        digits = ".2f" if self.value < 10 else ",.0f"
        limit = f"{'at least ' if self.is_minimum else ''}{self.most:g} {self.unit}"
        verdict = "met" if self.is_met else "**missed**"
        return f"| {self.name} | {self.value:{digits}} {self.unit} | {limit} | {verdict} |"


# -- what is measured


def measure() -> list[Row]:
    """Everything, on servers of its own. Raises Missing where there is no Chromium."""
    if not (os.path.exists("/usr/lib/chromium/chromium") or shutil.which("chromium")):
        raise Missing("there is no Chromium: install the package `chromium`")
    with _site() as site, _server(warm=0) as server:
        rows = [
            *_creation(server),
            *_connection(server, site),
            _release(server),
            *_memory(server),
            _recording(server, site),
        ]
        cold = _whole(server, site, ROUNDS)
    with _site() as site, _server(warm=1) as server:
        _create_ms(server)  # from now on one waits
        warm = [_create_ms(server, pause=True) for _ in range(WARM_ROUNDS)]
        rows.insert(2, Row("create, with the warm pool, p50", median(warm), 100))
        whole = _whole(server, site, WARM_ROUNDS, pause=True)
    rows += [
        Row("create + connect + goto + release, cold, p50", cold, 900),
        Row("the same with the warm pool, p50", whole, 350),
    ]
    return rows


def _creation(server: _Server) -> list[Row]:
    _create_ms(server)  # reads Chromium from the disk
    times = [_create_ms(server) for _ in range(ROUNDS)]
    return [
        Row("create, cold, p50", median(times), 600),
        Row("create, cold, p95", quantiles(times, n=20)[-1], 1000),
    ]


def _create_ms(server: _Server, *, pause: bool = False) -> float:
    if pause:
        server.wait_for_warm()
    began = time.perf_counter()
    session = server.client.sessions.create(keep_alive=True)
    took = _ms(began)
    server.release(session.id)
    return took


def _connection(server: _Server, site: str) -> list[Row]:
    """Playwright's connect and a CDP round trip, through the proxy and to a Chromium with a port."""
    session = server.client.sessions.create(keep_alive=True)
    with _direct_chromium() as direct:
        socket_url = _socket_url(direct)
        through = _connect_ms(session.connect_url, site)
        straight = _connect_ms(direct, site)
        ours, theirs = _trips(session.connect_url), _trips(socket_url)
    server.release(session.id)
    return [
        Row("Playwright connect through the proxy, p50", through, 100),
        Row("more than to Chromium directly", through - straight, 20),
        Row("CDP round trip, added by the proxy, p50", median(ours) - median(theirs), 0.5),
        Row("the same, p99", _p99(ours) - _p99(theirs), 3),
    ]


def _connect_ms(address: str, site: str) -> float:
    from playwright.sync_api import sync_playwright

    times: list[float] = []
    with sync_playwright() as playwright:
        for _ in range(ROUNDS):
            began = time.perf_counter()
            browser = playwright.chromium.connect_over_cdp(address)
            times.append(_ms(began))
            browser.close()
    return median(times)


def _trips(address: str) -> list[float]:
    """Milliseconds of commands and their answers, one after the other."""
    from websockets.sync.client import connect

    request = json.dumps({"id": 1, "method": "Browser.getVersion"})
    with connect(address, max_size=None, compression=None) as socket:
        times: list[float] = []
        for _ in range(TRIPS):
            began = time.perf_counter()
            socket.send(request)
            socket.recv()
            times.append(_ms(began))
    return times[TRIPS // 10 :]


def _whole(server: _Server, site: str, rounds: int, *, pause: bool = False) -> float:
    from playwright.sync_api import sync_playwright

    times: list[float] = []
    with sync_playwright() as playwright:
        for _ in range(rounds):
            if pause:
                server.wait_for_warm()
            began = time.perf_counter()
            session = server.client.sessions.create(keep_alive=True)
            browser = playwright.chromium.connect_over_cdp(session.connect_url)
            browser.contexts[0].pages[0].goto(site)
            browser.close()
            server.client.sessions.update(session.id, status="REQUEST_RELEASE")
            times.append(_ms(began))
    return median(times)


def _release(server: _Server) -> Row:
    """Until no process of the browser is left, with a profile that is archived."""
    context = server.client.contexts.create()
    times: list[float] = []
    for _ in range(5):
        settings = {"context": {"id": context.id, "persist": True}}
        session = server.client.sessions.create(keep_alive=True, browser_settings=settings)
        holder = server.holder_pid(session.id)
        pids = family(holder)
        began = time.perf_counter()
        server.client.sessions.update(session.id, status="REQUEST_RELEASE")
        _wait(lambda pids=pids: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
        times.append(time.perf_counter() - began)
    return Row("release until no process is left, with archive, p50", median(times), 2, "s")


def _memory(server: _Server) -> list[Row]:
    """Private memory of our own holder, and of whole sessions as they share the rest."""
    before = _sum_kb([server.process.pid], "Private_Clean", "Private_Dirty")
    sessions = [server.client.sessions.create(keep_alive=True) for _ in range(SESSIONS)]
    time.sleep(3)
    holders = [server.holder_pid(session.id) for session in sessions]
    own = sum(_sum_kb([pid], "Private_Clean", "Private_Dirty") for pid in holders) / SESSIONS
    grown = (_sum_kb([server.process.pid], "Private_Clean", "Private_Dirty") - before) / SESSIONS
    whole = sum(_sum_kb(family(pid), "Pss") for pid in holders) / SESSIONS
    for session in sessions:
        server.release(session.id)
    return [
        Row("memory of our own per session", (own + max(0.0, grown)) / 1024, 5, "MB"),
        Row("blank sessions per GB", 1024 * 1024 / whole, 4, "sessions", is_minimum=True),
    ]


def _recording(server: _Server, site: str) -> Row:
    """How much longer the same script takes while its page is recorded."""
    times = {is_recorded: list[float]() for is_recorded in (False, True)}
    for _ in range(4):  # in turns, so that both see the machine as it is then
        for is_recorded, found in times.items():
            found.append(_work_ms(server, site, is_recorded=is_recorded))
    slowdown = 100 * (median(times[True]) / median(times[False]) - 1)
    return Row("recording at 5 fps: slowdown of a page's script", max(0.0, slowdown), 10, "%")


def _work_ms(server: _Server, site: str, *, is_recorded: bool) -> float:
    from playwright.sync_api import sync_playwright

    settings = {"recordSession": is_recorded, "logSession": False}
    session = server.client.sessions.create(
        keep_alive=True, extra_body={"browserSettings": settings}
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(session.connect_url)
        page = browser.contexts[0].pages[0]
        page.goto(site)
        page.evaluate("work()")  # compiled by then
        took = float(page.evaluate("work()"))
        browser.close()
    server.release(session.id)
    return took


# -- what it runs on


class _Server:
    """`sortkey rest wallcrawler` on a folder of its own, with a client that has a key."""

    def __init__(self, folder: Path, *, warm: int) -> None:
        from browserbase import Browserbase

        self._sessions = folder / "wallcrawler" / "sessions"
        self._pool = folder / "wallcrawler" / "pool"
        self._has_warm = warm > 0
        key = _new_key(folder)
        command = [sys.executable, "-m", "sortkey", "rest", "wallcrawler", "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--data", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "WALLCRAWLER_WARM": str(warm)},
        )
        self.client: Any = Browserbase(api_key=key, base_url=self._address(), max_retries=0)

    def _address(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://[\d.]+:\d+", line):
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return found[0]
        raise RuntimeError("the server ended before it said where it answers")

    def release(self, session_id: str) -> None:
        self.client.sessions.update(session_id, status="REQUEST_RELEASE")

    def holder_pid(self, session_id: str) -> int:
        return json.loads((self._sessions / session_id / "state.json").read_text())["holder_pid"]

    def wait_for_warm(self) -> None:
        """Until a browser waits, and what starting it has cost is over."""
        _wait(lambda: any(self._pool.glob("*/state.json")))
        time.sleep(1.0)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.process.kill()


def _new_key(folder: Path) -> str:
    import sortkey
    from sortkey_systems.wallcrawler.model import model
    from sortkey_systems.wallcrawler.tenants import Tenants

    with sortkey.open(folder) as store:
        store.ensure(model)
        tenants = Tenants(store, lambda **what: None)
        tenants.create_project("project_bench", concurrency=50)
        return tenants.create_key("project_bench", name="bench").raw


@contextmanager
def _server(*, warm: int) -> Generator[_Server]:
    with tempfile.TemporaryDirectory(prefix="sortkey-wallcrawler-") as name:
        server = _Server(Path(name), warm=warm)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _direct_chromium() -> Generator[str]:
    """A Chromium with a debugging port, to compare with; gives its address."""
    program = "/usr/lib/chromium/chromium"
    if not os.path.exists(program):
        program = shutil.which("chromium") or "chromium"
    with tempfile.TemporaryDirectory(prefix="sortkey-chromium-") as profile:
        flags = ["--headless=new", "--no-sandbox", "--no-first-run", "--remote-debugging-port=0"]
        command = [program, *flags, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        port_file = Path(profile) / "DevToolsActivePort"
        try:
            _wait(lambda: port_file.exists() and port_file.read_text().count("\n") > 0)
            yield f"http://127.0.0.1:{port_file.read_text().splitlines()[0]}"
        finally:
            process.terminate()
            process.wait(10)


def _socket_url(address: str) -> str:
    from urllib.request import urlopen

    with urlopen(f"{address}/json/version") as answer:
        return json.load(answer)["webSocketDebuggerUrl"]


@contextmanager
def _site() -> Generator[str]:
    """A page on this machine, so that no network is measured."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(WORK.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


def _sum_kb(pids: list[int], *names: str) -> int:
    """Kilobytes of processes, from the kernel's own account."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                name, _, value = line.partition(":")
                total += int(value.split()[0]) if name in names else 0
    return total


def _wait(is_there: Callable[[], bool], seconds: float = REFILL_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not is_there():
        if time.monotonic() > end:
            raise TimeoutError(f"not there after {seconds:g} seconds")
        time.sleep(0.005)


def _ms(began: float) -> float:
    return 1000 * (time.perf_counter() - began)


def _p99(times: list[float]) -> float:
    return quantiles(times, n=100)[-1]


def markdown(rows: list[Row] | None = None) -> str:
    """The section of a report."""
    load = os.getloadavg()[0]
    rows = rows or measure()
    lines = [
        "## Wallcrawler",
        "",
        "A server in a process of its own, on a folder, with Chromium on the same machine. Clients",
        f"are `browserbase`, Playwright and a plain WebSocket; {ROUNDS} rounds cold, {WARM_ROUNDS} with a",
        f"warm pool of one, each after one that is not counted. The load of the machine was {load:.1f} before.",
        "",
        "| | measured | limit | |",
        "|" + "---|" * 4,
        *(row.line() for row in rows),
        "",
        f"Others, hosted and over a network, medians of create/connect/total in ms: {ANCHORS}.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown())
