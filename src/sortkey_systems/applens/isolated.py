"""An analysis in its own process with limits, so that an upload cannot exhaust the server's memory
or time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from sortkey import Sandbox
from sortkey.errors import MemoryLimitExceeded, ProcessDied, TimeLimitExceeded
from sortkey_systems.applens.analysis import OnStage, Stage, analyze_upload
from sortkey_systems.applens.problems import AnalysisFailed, own_fault

MEMORY_BYTES_MAX = 1_000_000_000
"""Twenty thousand resources need a quarter of it."""
SECONDS_MAX = 120.0
ANALYSES = Sandbox(memory_bytes=MEMORY_BYTES_MAX, seconds=SECONDS_MAX)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is stored of an analysis: the canonical JSON of the graph with its hash, the report as
    JSON, and the counts.
    """

    graph: bytes
    graph_hash: str
    report: bytes
    counts: dict[str, int]


def analyze_isolated(
    name: str,
    data: bytes,
    on_stage: OnStage,
    check: Callable[[], object],
    sandbox: Sandbox | None = None,
) -> Outcome:
    """Analyse an upload in a child process. Raises AnalysisFailed, also when a limit is exceeded.

    `check` is called while it runs. If it raises, the analysis ends.
    """
    sandbox = sandbox or ANALYSES
    try:
        return sandbox.call(
            outcome_of, name, data, on_message=lambda step: on_stage(*step), check=check
        )
    except MemoryLimitExceeded:
        limit = f"{sandbox.memory_bytes / 1_000_000:,.0f} MB of memory"
    except TimeLimitExceeded:
        limit = f"{sandbox.seconds:g} seconds"
    except ProcessDied as error:
        raise AnalysisFailed(f"{name} was not analysed: {error}") from None
    raise AnalysisFailed(f"analysing {name} needs more than {limit}: upload a part of it")


def outcome_of(name: str, data: bytes, send: Callable[[tuple[Stage, str]], object]) -> Outcome:
    """Runs in the sandbox."""
    try:
        analysis = analyze_upload(name, data, lambda stage, text: send((stage, text)))
        graph, report = analysis.graph, json.dumps(analysis.report.to_json(), ensure_ascii=False)
        return Outcome(
            graph.canonical(), graph.hash, report.encode("utf-8", "surrogatepass"), graph.counts
        )
    except (AnalysisFailed, MemoryError):
        raise
    except Exception as error:
        raise own_fault(error) from None
