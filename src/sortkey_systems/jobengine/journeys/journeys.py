"""Journeys: created as a whole, listed, paused, resumed, cancelled; and their stages. `jobs` runs
them.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable, Sequence
from typing import Any

from sortkey import Page, Put, Store, attr
from sortkey.errors import ConditionFailed, NotFound
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import JourneyChange, RuleDraft, StageChange
from sortkey_systems.jobengine.journeys import deletion
from sortkey_systems.jobengine.journeys.aggregates import (
    Write,
    aggregates_of,
    stage_skipped,
    with_journey,
)
from sortkey_systems.jobengine.journeys.progress import (
    StageOutOfOrder,
    WrongState,
    next_stage,
    overall_progress,
    priority_order,
    stage_of,
    startable,
)
from sortkey_systems.jobengine.model import Journey, Stage, active_journeys
from sortkey_systems.jobengine.parts import JourneyConfiguration, JourneyStatus, Priority, Source
from sortkey_systems.jobengine.rules.rules import check_stages, new_rules
from sortkey_systems.jobengine.stages.default_stages import default_stages

__all__ = [
    "Journeys",
    "StageOutOfOrder",
    "WrongState",
    "new_journey_id",
    "next_stage",
    "overall_progress",
    "priority_order",
    "stage_of",
    "startable",
]

RULES_AT_ONCE_MAX = 93
"""A transaction has at most a hundred items: seven of them are the journey and its six stages."""


class Journeys:
    """All journeys in a store. The buckets are only needed for a purge."""

    def __init__(self, store: Store, buckets: Buckets | None = None) -> None:
        self.store, self._buckets = store, buckets

    def create(
        self,
        *,
        name: str,
        created_by: str,
        oda_component_type: str,
        source: Source,
        description: str = "",
        priority: Priority = "medium",
        configuration: JourneyConfiguration | None = None,
        rules: Sequence[RuleDraft] = (),
        skippable: Iterable[str] = (),
        journey_id: str | None = None,
    ) -> Journey:
        """Create a journey with its six stages and its rules, in one transaction.

        Raises TransactionFailed if the id is taken, NotFound if a rule names an unknown stage.
        """
        made_id = journey_id or new_journey_id()
        stages = _stages(made_id, frozenset(skippable))
        if len(rules) > RULES_AT_ONCE_MAX:
            raise WrongState(
                f"a journey starts with {RULES_AT_ONCE_MAX} rules at most: add the others to it "
                "later"
            )
        check_stages(
            stages,
            [stage_id for rule in rules for stage_id in (rule.stage_id, *rule.applicable_stages)],
        )
        book = new_rules(made_id, rules, created_by=created_by)
        journey = Journey(
            journey_id=made_id,
            name=name,
            description=description,
            priority=priority,
            created_by=created_by,
            oda_component_type=oda_component_type,
            source=source,
            configuration=configuration or JourneyConfiguration(),
            current_stage_id=stages[0].stage_id,
            aggregates=aggregates_of([], book),
        )
        self.store.transact(*(Put(entity, "create") for entity in (journey, *stages, *book)))
        return self.get(made_id)

    def get(self, journey_id: str) -> Journey:
        """Raises NotFound."""
        return self.store.get(_key(journey_id), consistent=True)

    def page(
        self,
        *,
        status: JourneyStatus | None = None,
        active: bool = False,
        cursor: str | None = None,
        size: int = 100,
    ) -> Page[Journey]:
        """Journeys by creation, oldest first: all, those of one status, or those that are
        active.
        """
        query = active_journeys() if active else Journey.all()
        if status is not None:
            query = query.where(attr(Journey.status) == status)
        return self.store.page(query, cursor=cursor, size=size)

    def list(self) -> list[Journey]:
        """All journeys, by creation."""
        return self.store.query(Journey.all())

    def active(self) -> list[Journey]:
        """Active journeys in processing order: critical first, then the oldest."""
        return priority_order(self.store.query(active_journeys()))

    def change(self, journey_id: str, change: JourneyChange) -> Journey:
        """Change name, description, priority or allowed losses. Raises NotFound."""
        values = change.given()
        allowed = values.pop("allowed_losses", None)
        if allowed is not None:
            values["configuration"] = self.get(journey_id).configuration.model_copy(
                update={"allowed_losses": allowed}
            )
        return self._update(journey_id, values) if values else self.get(journey_id)

    # -- its life

    def pause(self, journey_id: str) -> Journey:
        """Start nothing more. A running job ends normally."""
        return self._move(
            journey_id,
            "paused",
            ("pending", "running"),
            "only one that is pending or running pauses",
        )

    def resume(self, journey_id: str) -> Journey:
        """End a pause. The caller decides whether to run the journey."""
        has_begun = any(stage.status != "pending" for stage in self.stages(journey_id))
        return self._move(
            journey_id,
            "running" if has_begun else "pending",
            ("paused",),
            "only a paused one is resumed",
        )

    def cancel(self, journey_id: str) -> Journey:
        """Cancel permanently. The caller cancels the running job."""
        before: tuple[JourneyStatus, ...] = ("pending", "running", "paused", "failed")
        return self._move(journey_id, "cancelled", before, "it is over already")

    def delete(self, journey_id: str, *, purge: bool = False) -> None:
        """Delete the journey with its stages, rules and jobs. Its logs and reports stay, unless a
        purge is requested.

        Raises NotFound, and WrongState while it runs.
        """
        if purge and self._buckets is None:
            raise NotFound("a purge needs the buckets of logs and reports: pass `buckets`")
        deletion.delete(self.store, journey_id, None if not purge else self._buckets)

    # -- its stages

    def stages(self, journey_id: str) -> list[Stage]:
        """The stages in order. Raises NotFound."""
        stages = self.store.query(Stage.of_journey(journey_id=journey_id).consistent())
        if not stages:
            self.get(journey_id)
        return stages

    def stage(self, journey_id: str, stage_id: str) -> Stage:
        """Raises NotFound."""
        return stage_of(self.stages(journey_id), stage_id)

    def change_stage(self, journey_id: str, stage_id: str, change: StageChange) -> Stage:
        """Change whether a stage may be skipped, and whether rules assist it. Raises NotFound."""
        stage, values = self.stage(journey_id, stage_id), change.given()
        key = Stage.key(journey_id=journey_id, order=stage.order, stage_id=stage_id)
        return self.store.update(key, set=values) if values else stage

    def skip_stage(self, journey_id: str, stage_id: str) -> Stage:
        """Bypass a stage that may be skipped. Raises NotFound, WrongState."""

        def skipping(journey: Journey, stages: list[Stage]) -> Sequence[Write]:
            stage = stage_of(stages, stage_id)
            if not stage.can_skip:
                raise WrongState(
                    f"stage {stage_id} may not be skipped: its canSkip is false", canSkip=False
                )
            if stage.status not in ("pending", "failed") or journey.status in (
                "completed",
                "cancelled",
            ):
                text = (
                    f"stage {stage_id} is {stage.status} and its journey {journey.status}: nothing "
                    "is left to skip"
                )
                raise WrongState(text, status=stage.status)
            return stage_skipped(stage_id, journey=journey, stages=stages)

        with_journey(self.store, journey_id, skipping)
        return self.stage(journey_id, stage_id)

    # --

    def _move(
        self, journey_id: str, to: JourneyStatus, before: tuple[JourneyStatus, ...], hint: str
    ) -> Journey:
        try:
            return self._update(journey_id, {"status": to}, attr(Journey.status).isin(*before))
        except ConditionFailed as failed:
            current = failed.item or self.get(journey_id)
            text = f"journey {journey_id} is {current.status} and cannot become {to}: {hint}"
            raise WrongState(text, status=current.status) from failed

    def _update(self, journey_id: str, values: dict[str, Any], when: Any = None) -> Journey:
        try:
            return self.store.update(_key(journey_id), set=values, when=when)
        except ConditionFailed as failed:
            if failed.item is None:
                raise NotFound(f"there is no journey {journey_id}") from failed
            raise


def new_journey_id() -> str:
    """`JRN-` and twelve characters."""
    return "JRN-" + "".join(
        secrets.choice(string.ascii_uppercase + string.digits) for _ in range(12)
    )


def _key(journey_id: str) -> Any:
    return Journey.key(journey_id=journey_id)


def _stages(journey_id: str, skippable: frozenset[str]) -> list[Stage]:
    stages = default_stages(journey_id)
    check_stages(stages, skippable)
    return [
        stage.changed(can_skip=True) if stage.stage_id in skippable else stage for stage in stages
    ]
