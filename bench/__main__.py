"""The one command: every workload on every server, round by round; the large table; what runs in
the process; then docs/performance.md. Each of SECTIONS is also a command of its own: `python -m
bench.search`."""

import argparse
import importlib
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench import in_process, load, peers, typed_clients
from bench.client import Client
from bench.large import measure
from bench.processes import resident_mb, settle
from bench.report import CONNECTIONS, Run, markdown
from bench.workloads import WORKLOADS, fill
from tools.downloads import Missing

RESULT = Path(__file__).parent.parent / "docs" / "performance.md"
_LARGE_ITEMS = 10_000, 10_000_000
SECTIONS = ("objects", "search", "jobs", "applens", "jobengine", "wallcrawler", "vams", "console")
"""Modules of this folder with a function `markdown`, in the order of the report."""


def main() -> None:
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(1)
    )  # so that the servers under measure end too
    arguments = _arguments()
    run = Run(seconds=arguments.seconds or 2, rounds=1 if arguments.quick else 5)
    filters = arguments.only.lower().split("|")
    chosen = [
        p
        for p in (peers.QUICK if arguments.quick else peers.ALL)
        if any(w in p.name.lower() for w in filters)
    ]
    _measure_servers(chosen, run)
    if chosen and not arguments.quick and not arguments.no_large:
        _say("a small and a large table")
        run.large = measure(_LARGE_ITEMS, run.seconds, run.rounds)
    if not arguments.quick and not arguments.only:
        _say("client libraries")
        run.clients = typed_clients.measure(run.seconds, run.rounds, run.notes)
        run.in_process = in_process.measure()
    if not arguments.quick or arguments.only:
        _measure_sections([name for name in SECTIONS if any(text in name for text in filters)], run)
    text = markdown(run)
    print(text)
    if not arguments.quick and not arguments.only:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(text)
        _say(f"wrote {RESULT.name}")


def _measure_servers(chosen: list[peers.Peer], run: Run) -> None:
    with tempfile.TemporaryDirectory(prefix="sortkey-bodies-") as folder, ExitStack() as stack:
        servers = {
            peer.name: server
            for peer in chosen
            if (server := _start(peer, run, Path(folder), stack))
        }
        for _ in range(run.rounds if servers else 0):
            _measure(servers, run, Path(folder))


def _measure_sections(names: list[str], run: Run) -> None:
    for name in names:
        _say(name)
        settle()
        try:
            run.sections.append(importlib.import_module(f"bench.{name}").markdown())
        except Exception as problem:  # the rest was measured for half an hour: it must not be lost
            run.notes.append(f"{name}: {type(problem).__name__}: {problem}")


def _start(peer: peers.Peer, run: Run, folder: Path, stack: ExitStack) -> peers.Running | None:
    """Start a server, fill its table and warm it. It stays up, and is idle while others are
    measured.
    """
    try:
        with peers.started(peer):
            pass  # so that nobody's start is that of a program which the disk still has to give
        server = stack.enter_context(peers.started(peer))
        _say(f"{peer.name}: first answer after {server.start_seconds:.2f} s")
        run.start_seconds[peer.name] = server.start_seconds
        run.idle_mb[peer.name] = resident_mb(server.pid)
        client = Client(server.port)
        fill(client)
        client.close()
        _warm(peer, server, folder)
    except (Missing, RuntimeError, OSError) as problem:
        run.notes.append(f"{peer.name}: {problem}")
        _say(run.notes[-1])
        return None
    return server


def _measure(servers: dict[str, peers.Running], run: Run, folder: Path) -> None:
    """One round: each workload on each server, one right after the other, so that all see the
    machine as it is then.
    """
    for connections in CONNECTIONS:
        for workload in WORKLOADS:
            for name, server in servers.items():
                result = load.run(
                    workload, server.port, server.pid, connections, run.seconds, folder
                )
                run.measures.setdefault((name, workload.name, connections), []).append(result)
                _say(
                    f"  {workload.name} x{connections}, {name}: {result.per_second:,.0f}/s, "
                    f"{result.cpu_us:,.0f} µs CPU"
                )


def _warm(peer: peers.Peer, server: peers.Running, folder: Path) -> None:
    # Every workload gets its share, round after round, so that what the compiler sees last is not
    # one of them.
    end = time.monotonic() + peer.warm_seconds
    while time.monotonic() < end:
        for workload in WORKLOADS:
            load.run(workload, server.port, server.pid, 16, 1, folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="ours and DynamoDB Local in memory, two minutes, prints only",
    )
    parser.add_argument("--seconds", type=int, help="length of each measure")
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help=f"only servers and sections ({', '.join(SECTIONS)}) whose name has this text, or one of several: a|b; "
        "prints only",
    )
    parser.add_argument(
        "--no-large", action="store_true", help="leave out the table of ten million items"
    )
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
