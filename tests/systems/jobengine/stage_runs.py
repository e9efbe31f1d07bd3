"""What the tests of the stages share: a shop, rules from JSON, and a context that stops at a
chosen point.
"""

from pathlib import Path
from typing import Any

from sortkey_systems.jobengine.model import Rule
from sortkey_systems.jobengine.parts import AllowedLosses
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.registry import STEPS, run_stage
from sortkey_systems.jobengine.stages.work import MemoryContext, Work

STAGES = list(STEPS)
ANY_LOSS = AllowedLosses(rows="100%", values="100%", references="100%")
"""For tests of how journeys run: the shop has flaws, and tables that no resource is for."""


class Killed(BaseException):
    """What a kill is to the code it hits: nothing that it could catch."""


class Stopping(MemoryContext):
    """Dies at its n-th checkpoint, before or after the state is kept."""

    def __init__(self, at: int, *, keeps: bool, state: Any = None) -> None:
        super().__init__(state=state)
        self.left, self.keeps = at, keeps

    def checkpoint(self, state: Any) -> None:
        self.left -= 1
        if self.left == 0 and not self.keeps:
            raise Killed
        super().checkpoint(state)
        if self.left == 0:
            raise Killed


def shop(folder: Path, *, customers: int = 60, target: str = "out.sqlite", **values: Any) -> Work:
    """A small shop and where it goes."""
    return Work(
        open_source(make_shop(folder / "shop.sqlite", customers=customers)),
        str(folder / target),
        **values,
    )


def run_until(work: Work, stage_id: str) -> MemoryContext:
    """Run the stages before one, and that one."""
    ctx = MemoryContext()
    for each in STAGES[: STAGES.index(stage_id) + 1]:
        run_stage(each, work, ctx)
    return ctx


def rule(number: int, content: Any, *, stage_id: str = "tmf_mapping", **values: Any) -> Rule:
    """A rule with some content."""
    given = {
        "type": "field_mapping",
        "title": f"Rule {number}",
        "metadata": {"createdBy": "test"},
        **values,
    }
    return Rule(
        rule_id=f"rule-{stage_id}-{given['type']}-{number:08x}",
        journey_id="JRN-ABC123456789",
        stage_id=stage_id,
        rule_index=number,
        content=content,
        **given,
    )
