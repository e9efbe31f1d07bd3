"""The whole analysis: paths or an upload in, graph and report out. It uses no store and no clock,
so the same input gives the same result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sortkey_systems.applens.coverage import coverage_of
from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.graph import Graph, build_graph
from sortkey_systems.applens.parsing.source_reader import read
from sortkey_systems.applens.problems import AnalysisFailed, Problem, own_fault
from sortkey_systems.applens.report import Report, build_report
from sortkey_systems.applens.sources import Source, read_bytes, read_paths

Stage = Literal["building", "parsed", "analysing"]
"""The stage of an analysis: reading the sources, resources parsed, looking for risks."""
OnStage = Callable[[Stage, str], object]
"""Called at each stage, with a short text about it."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """`warnings` are the parts that were not parsed or not resolved."""

    graph: Graph
    report: Report
    warnings: list[Problem]


def analyze(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Analysis:
    """Analyse folders, files or archives. Raises `AnalysisFailed`, whose message says why."""
    sources = read_paths(paths)
    try:
        return analyze_sources(sources)
    except (AnalysisFailed, MemoryError):
        raise
    except Exception as error:
        raise own_fault(error) from None


def analyze_upload(name: str, data: bytes, on_stage: OnStage | None = None) -> Analysis:
    """Analyse what was uploaded under a name."""
    on_stage = on_stage or _silent
    on_stage("building", name)
    return analyze_sources(read_bytes(name, data), on_stage)


def analyze_sources(sources: Sequence[Source], on_stage: OnStage | None = None) -> Analysis:
    on_stage = on_stage or _silent
    reading = read(sources)
    on_stage(
        "parsed",
        f"{sum(resource.mode != 'declaration' for resource in reading.resources)} resources",
    )
    estate = Estate(reading.resources)
    graph = build_graph(estate)
    on_stage("analysing", f"{len(graph.nodes)} nodes, {len(graph.edges)} edges")
    report = build_report(estate, graph, reading.problems, coverage_of(reading))
    return Analysis(graph, report, reading.problems)


def _silent(stage: Stage, text: str) -> None:
    """No-op callback."""
