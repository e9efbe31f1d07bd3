"""The figures that Sortkey set itself, and whether a run met them."""

from dataclasses import dataclass

from bench import peers
from bench.load import Measure

Place = tuple[str, str, int]  # server, workload, connections
Results = dict[Place, Measure]


@dataclass(frozen=True, slots=True)
class Goal:
    """Throughput of one of ours over that of a peer."""

    workload: str
    connections: int
    ours: str
    peer: str
    at_least: float
    aim: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A goal and the ratio that this run had, or none where one side was not measured."""

    goal: Goal
    ratio: float | None

    @property
    def words(self) -> str:
        if self.ratio is None:
            return "not measured"
        if self.ratio < self.goal.at_least:
            return "**missed**"
        if self.goal.aim is None or self.ratio >= self.goal.aim:
            return "met" if self.goal.aim is None else "aim met"
        return "met, aim missed"


_IN_MEMORY = (
    ("Get", 4, 6),
    ("Query", 4, 7),
    ("Update", 4, 7),
    ("Put", 5, 9),
    ("Transact", 8, 16),
    ("Batch", 2.5, 5),
)
_WRITES = ("Update", "Put", "Transact", "Batch")

GOALS = (
    *(
        Goal(name, 16, peers.NORMAL.name, peers.LOCAL_MEMORY.name, low, aim)
        for name, low, aim in _IN_MEMORY
    ),
    *(Goal(name, 16, peers.FULL.name, peers.LOCAL_DISK.name, 10) for name in _WRITES),
    *(Goal(name, 1, peers.FULL.name, peers.LOCAL_DISK.name, 4) for name in _WRITES),
)
START_SECONDS_MAX = 0.3
IDLE_MB_MAX = 45
LARGE_RATIO_MAX = 1.5


def met(yes: bool) -> str:
    """The last word on a goal."""
    return "met" if yes else "**missed**"


def verdicts(results: Results) -> list[Verdict]:
    """Each goal with what came of it."""
    return [Verdict(goal, _ratio(goal, results)) for goal in GOALS]


def _ratio(goal: Goal, results: Results) -> float | None:
    ours = results.get((goal.ours, goal.workload, goal.connections))
    theirs = results.get((goal.peer, goal.workload, goal.connections))
    usable = ours and theirs and max(ours.failed_share, theirs.failed_share) < 0.01
    return ours.per_second / theirs.per_second if usable else None
