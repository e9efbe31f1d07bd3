"""The result as Markdown: what docs/performance.md holds after a run."""

import os
import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench import load, peers
from bench.goals import (
    IDLE_MB_MAX,
    LARGE_RATIO_MAX,
    START_SECONDS_MAX,
    Place,
    Results,
    met,
    verdicts,
)
from bench.in_process import GET_RATIO_MAX, IMPORT_SECONDS_MAX, QUERY_RATIO_MAX, InProcess
from bench.large import LargeResult
from bench.typed_clients import OPERATIONS, OURS, RATIO_MAX, RAW, Costs
from bench.workloads import WORKLOADS

CONNECTIONS = (1, 16)


@dataclass(slots=True)
class Run:
    """Everything that one run measured; `notes` says what could not be."""

    seconds: int
    rounds: int
    measures: dict[Place, list[load.Measure]] = field(
        default_factory=dict[Place, list[load.Measure]]
    )
    start_seconds: dict[str, float] = field(default_factory=dict[str, float])
    idle_mb: dict[str, float] = field(default_factory=dict[str, float])
    large: list[LargeResult] = field(default_factory=list[LargeResult])
    clients: Costs = field(default_factory=Costs)
    in_process: InProcess | None = None
    sections: list[str] = field(default_factory=list[str])
    """Ready-made, of benches that stand alone."""
    notes: list[str] = field(default_factory=list[str])

    @property
    def results(self) -> Results:
        """Of the rounds the median."""
        return {place: load.median(of) for place, of in self.measures.items()}


def markdown(run: Run) -> str:
    parts: list[str] = []
    if run.measures:
        parts += [
            _head(run),
            *(_table(run, count) for count in reversed(CONNECTIONS)),
            _start(run),
            _goals(run),
        ]
    parts += [_large(run), _clients(run), _in_process(run), *run.sections]
    if run.notes:
        parts.append("## Not measured\n\n" + "\n".join(f"- {note}" for note in run.notes) + "\n")
    return "\n".join(part for part in parts if part)


def _head(run: Run) -> str:
    return f"""# Performance

`make bench` wrote this on {datetime.now(UTC):%d %B %Y}: {_machine()}.
All servers were up in one run, and one at a time was loaded, on the machine that also ran the load generator (wrk, one
thread, ready-made bodies, unsigned). Items have 8 attributes and 1 KB; the table has a sort key and one global index
and holds 10,000 items at the start. A workload was measured on all servers one right after the other, {run.seconds}
seconds each, in {run.rounds} rounds, of which the median counts; DynamoDB Local was warmed for 25 seconds.
"CPU" is the server's own time a request, all threads and children.
"""


def _goals(run: Run) -> str:
    lines = [
        "## Against our goals",
        "",
        "What a release must reach at least, and what we aim at; more is better.",
        "",
        "| work | connections | ours / peer | ratio | at least | aim | |",
        "|" + "---|" * 7,
    ]
    for verdict in verdicts(run.results):
        goal = verdict.goal
        ratio = f"{verdict.ratio:.1f}×" if verdict.ratio else "–"
        aim = f"{goal.aim:g}×" if goal.aim else "–"
        lines.append(
            f"| {goal.workload} | {goal.connections} | {goal.ours} / {goal.peer} | {ratio} "
            f"| {goal.at_least:g}× | {aim} | {verdict.words} |"
        )
    return "\n".join(lines) + "\n"


def _start(run: Run) -> str:
    lines = [
        "## Start and idle memory",
        "",
        "| server | start to first answer | idle memory |",
        "|---|---|---|",
    ]
    for name, seconds in run.start_seconds.items():
        lines.append(f"| {name} | {seconds:.2f} s | {run.idle_mb[name]:.0f} MB |")
    ours = peers.NORMAL.name
    if ours in run.start_seconds:
        start = met(run.start_seconds[ours] <= START_SECONDS_MAX)
        idle = met(run.idle_mb[ours] <= IDLE_MB_MAX)
        lines += [
            "",
            f"Goals of ours: {START_SECONDS_MAX} s ({start}) and {IDLE_MB_MAX} MB ({idle}).",
        ]
    return "\n".join(lines) + "\n"


def _table(run: Run, connections: int) -> str:
    names = list(dict.fromkeys(server for server, _, count in run.results if count == connections))
    if not names:
        return ""
    head = " | ".join(workload.name for workload in WORKLOADS)
    lines = [
        f"## {connections} connection{'s' if connections > 1 else ''}: requests a second (CPU a "
        "request)",
        "",
    ]
    lines += [f"| server | {head} |", "|---|" + "---|" * len(WORKLOADS)]
    for name in names:
        cells = [_cell(run, name, workload.name, connections) for workload in WORKLOADS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(run: Run, name: str, workload: str, connections: int) -> str:
    measure = run.results.get((name, workload, connections))
    if not measure:
        return "–"
    if measure.failed_share > 0.5:
        return "refused"
    failed = f", {measure.failed_share:.0%} failed" if measure.failed_share >= 0.005 else ""
    return f"{measure.per_second:,.0f} ({measure.cpu_us:,.0f} µs{failed})"


def _large(run: Run) -> str:
    if len(run.large) < 2:
        return ""
    small, large = run.large
    lines = [
        "## A large table, 16 connections",
        "",
        "| items | Get | Query of 25 | the same, 200,000 different ones | filled in | on disk |",
        "|" + "---|" * 6,
    ]
    for size in run.large:
        lines.append(
            f"| {size.items:,} | {size.get.per_second:,.0f}/s | {size.query.per_second:,.0f}/s "
            f"| {size.query_anywhere.per_second:,.0f}/s | {size.fill_seconds:.0f} s | "
            f"{size.folder_mb:,.0f} MB |"
        )
    get, query = (
        small.get.per_second / large.get.per_second,
        small.query.per_second / large.query.per_second,
    )
    verdict = met(max(get, query) <= LARGE_RATIO_MAX)
    lines += [
        "",
        f"Small over large: {get:.2f}× for Get, {query:.2f}× for Query; at most {LARGE_RATIO_MAX}× "
        f"allowed: {verdict}.",
        "Both are 20,000 different requests, again and again, whose pages stay in memory. The "
        "third column asks for",
        "more than memory keeps: a table that is read all over, and never twice, pays for making "
        "the pages.",
    ]
    return "\n".join(lines) + "\n"


def _clients(run: Run) -> str:
    if not run.clients:
        return ""
    lines = [
        "## Client libraries: CPU a call, and as a ratio to the raw boto3 client",
        "",
        "One thread, one call after the other, on our server; items of 12 attributes; the client's "
        "own CPU.",
        "",
        "| library | get | put | query of 100 |",
        "|---|---|---|---|",
    ]
    for name in dict.fromkeys(library for library, _ in run.clients):
        cells = [_cost(run.clients, name, operation) for operation in OPERATIONS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    verdict = met(all(_is_cheapest(run.clients, operation) for operation in OPERATIONS))
    lines += [
        "",
        f"Goal of ours: at most {RATIO_MAX}× of the raw boto3 client, and below every peer: "
        f"{verdict}.",
    ]
    return "\n".join(lines) + "\n"


def _cost(costs: Costs, name: str, operation: str) -> str:
    cost, raw = costs.get((name, operation)), costs.get((RAW, operation))
    if cost is None:
        return "–"
    return f"{cost.cpu_us:,.0f} µs" + (f" ({cost.cpu_us / raw.cpu_us:.2f}×)" if raw else "")


def _is_cheapest(costs: Costs, operation: str) -> bool:
    ours, raw = costs.get((OURS, operation)), costs.get((RAW, operation))
    peers_ = [
        cost.cpu_us
        for (name, client), cost in costs.items()
        if client == operation and not name.startswith(OURS)
    ]
    return bool(
        ours and raw and ours.cpu_us <= RATIO_MAX * raw.cpu_us and ours.cpu_us < min(peers_)
    )


def _in_process(run: Run) -> str:
    if run.in_process is None:
        return ""
    costs = run.in_process
    under_query = (
        f"{costs.bare_range:.0f} µs, the bare range read, and {costs.pydantic:.0f} µs, pydantic"
    )
    rows = (
        (
            "get of a typed entity",
            costs.get,
            f"{costs.bare_get:.1f} µs, a bare SQLite get",
            costs.bare_get,
            GET_RATIO_MAX,
        ),
        (
            "query of 100",
            costs.query,
            under_query,
            costs.bare_range + costs.pydantic,
            QUERY_RATIO_MAX,
        ),
    )
    lines = [
        "## In the process, on a folder",
        "",
        "| | CPU | under it | ratio | at most | |",
        "|" + "---|" * 6,
    ]
    for name, cpu_us, under, under_us, most in rows:
        ratio = cpu_us / under_us
        lines.append(
            f"| {name} | {cpu_us:.1f} µs | {under} | {ratio:.1f}× | {most}× | {met(ratio <= most)} "
            "|"
        )
    importing = f"{costs.import_seconds:.2f} s of CPU; at most {IMPORT_SECONDS_MAX} s: "
    lines += [
        "",
        f"`import sortkey` takes {importing}{met(costs.import_seconds <= IMPORT_SECONDS_MAX)}. "
        "Rooms are loaded when first used: with entities, stores and pydantic it is "
        f"{costs.loaded_seconds:.2f} s. "
        f"boto3 is {'imported, and should not be' if costs.imports_boto3 else 'not imported'} for "
        "embedded use.",
    ]
    return "\n".join(lines) + "\n"


def _machine() -> str:
    hardware = f"{os.cpu_count()} cores of {_processor()}, {_memory_gb():.0f} GB"
    return (
        f"{hardware}, {platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
