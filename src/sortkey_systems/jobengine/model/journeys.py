"""Journeys, their stages, and the Second Brain rules that guide them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from sortkey import KeyOnly, Named, Range, index, key, query
from sortkey_systems.jobengine.model.table import Changing
from sortkey_systems.jobengine.parts import (
    PRIORITIES,
    Aggregates,
    Index,
    JobId,
    JourneyConfiguration,
    JourneyId,
    JourneyStatus,
    Minutes,
    Name,
    Order,
    Percent,
    Priority,
    RuleId,
    RuleMetadata,
    RuleType,
    StageStatus,
    Step,
    StoredSource,
    TextOrObject,
)

# -- 1. Journey Metadata


class Journey(Changing, kind="Journey"):
    """Core information about a transformation journey."""

    journey_id: JourneyId
    name: str
    description: str = ""
    status: JourneyStatus = "pending"
    priority: Priority = "medium"
    created_by: str
    oda_component_type: str
    source: StoredSource
    configuration: JourneyConfiguration = JourneyConfiguration()
    current_stage_index: Annotated[int, Range(0, 98)] = (
        0  # from 0, whereas a stage's order counts from 1
    )
    current_stage_id: Name | None = None
    overall_progress: Percent = 0
    current_jobs: dict[Name, JobId] = {}
    aggregates: Aggregates = Aggregates()

    @key("JOURNEY#{journeyId}", "METADATA")
    def key(*, journey_id: str):
        """Get specific journey by ID."""

    @index("GSI1", "JOURNEYS", "{CreatedAt}")
    def all():
        """Pattern 2: List All Journeys, sorted by creation time."""


# -- 2. Stage Definitions


class Stage(Changing, kind="StageDefinition"):
    """One transformation stage in the journey workflow. Stages run in `order`: 1, 2, 3."""

    journey_id: KeyOnly[JourneyId]
    stage_id: Name
    name: str
    description: str = ""
    order: Order
    can_skip: bool = False
    estimated_duration: Minutes | None = None
    status: StageStatus = "pending"
    second_brain_enabled: bool = True
    rule_types: list[RuleType] = []
    steps: list[Step] = []

    @key("JOURNEY#{journeyId}", "STAGE#{order:02d}#{stageId}")
    def key(*, journey_id: str, order: int, stage_id: str):
        """One stage of a journey."""

    @query(key)
    def of_journey(*, journey_id: str):
        """List all stages for a journey in order."""

    @index("GSI1", "JOURNEY#{journeyId}#STAGES", "{order:02d}")
    def in_order(*, journey_id: str, order: int | None = None):
        """All stages for a journey, from the index; with `order`, the stage that has it."""


# -- 3. Second Brain Rules


class Rule(Changing, kind="SecondBrainRule"):
    """An AI-powered transformation rule that guides data mapping and validation."""

    rule_id: RuleId
    journey_id: JourneyId
    stage_id: Name
    rule_index: Annotated[KeyOnly[Index], Named("index")]
    title: str
    description: str = ""
    type: RuleType
    priority: Priority = "medium"
    scope: Literal["global", "project", "stage"] = "stage"
    status: Literal["active", "inactive", "deprecated"] = "active"
    context: TextOrObject = ""
    content: TextOrObject
    metadata: RuleMetadata

    @key("JOURNEY#{journeyId}", "RULE#{stageId}#{index:03d}#{ruleId}")
    def key(*, journey_id: str, stage_id: str, rule_index: int, rule_id: str):
        """One rule of a journey."""

    @query(key)
    def of_journey(*, journey_id: str):
        """Get all rules for a journey."""

    @query(key)
    def of_stage(*, journey_id: str, stage_id: str):
        """Pattern 4: Get Stage-Specific Rules. Load AI rules for the currently executing stage."""

    @index("GSI1", "JOURNEY#{journeyId}#RULES", "{stageId}#{priority}#{index:03d}")
    def by_priority(
        *, journey_id: str, stage_id: str | None = None, priority: Priority | None = None
    ):
        """All rules for a journey, organized by stage and priority."""

    @property
    def rank(self) -> tuple[int, int]:
        """Where the rule stands among those of a stage. The keys cannot say it: in text, low comes
        before medium.
        """
        return PRIORITIES.index(self.priority), self.rule_index


def in_rank_order(rules: Iterable[Rule]) -> list[Rule]:
    """Rules as they are executed: by priority, critical first, then by index."""
    return sorted(rules, key=lambda rule: rule.rank)
