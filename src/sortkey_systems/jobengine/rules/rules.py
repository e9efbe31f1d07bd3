"""The Second Brain rules of a journey: add, change, deactivate, list. The journey counts them in
the same transaction.

A rule is never deleted: it becomes inactive or deprecated, so that its effects stay explained.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from sortkey import Page, Put, Store, Update, attr
from sortkey.errors import NotFound
from sortkey_systems.jobengine.inputs import RuleChange, RuleDraft
from sortkey_systems.jobengine.journeys.aggregates import Write, rules_changed, with_journey
from sortkey_systems.jobengine.journeys.progress import WrongState, stage_of
from sortkey_systems.jobengine.model import Journey, Rule, Stage, in_rank_order, rules_for_stage
from sortkey_systems.jobengine.parts import RuleMetadata
from sortkey_systems.jobengine.storable import storable

RULES_OF_STAGE_MAX = 999
"""The three digits in the key allow no more."""


class Rules:
    """The rules of all journeys in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(self, journey_id: str, draft: RuleDraft, *, created_by: str) -> Rule:
        """Add a rule after the others of its stage. Raises NotFound, and WrongState if the stage is
        full.
        """
        rules: list[Rule] = []

        def adding(journey: Journey, stages: list[Stage]) -> Sequence[Write]:
            check_stages(stages, [draft.stage_id, *draft.applicable_stages])
            existing = self.store.query(
                Rule.of_stage(journey_id=journey_id, stage_id=draft.stage_id).consistent()
            )
            rules[:] = new_rules(journey_id, [draft], created_by=created_by, existing=existing)
            return [*(Put(rule, "create") for rule in rules), *counted(journey, rules)]

        with_journey(self.store, journey_id, adding)
        return self.get(journey_id, rules[0].rule_id)

    def get(self, journey_id: str, rule_id: str) -> Rule:
        """Raises NotFound."""
        of_journey = Rule.of_journey(journey_id=journey_id).where(attr(Rule.rule_id) == rule_id)
        rule = self.store.first(of_journey.consistent())
        if rule is None:
            raise NotFound(f"journey {journey_id} has no rule {rule_id!r}")
        return rule

    def change(self, journey_id: str, rule_id: str, change: RuleChange) -> Rule:
        """Change a rule and the number of active ones. Raises NotFound."""

        def changing(journey: Journey, stages: list[Stage]) -> Sequence[Write]:
            rule = self.get(journey_id, rule_id)
            check_stages(stages, change.applicable_stages or [])
            values = _values(rule, change)
            if not values:
                return []
            more = _is_active(values.get("status", rule.status)) - _is_active(rule.status)
            same = attr(Rule.status) == rule.status
            return [
                Update(_key(rule), _actions(values), same),
                *rules_changed(journey, active=more),
            ]

        with_journey(self.store, journey_id, changing)
        return self.get(journey_id, rule_id)

    def deactivate(self, journey_id: str, rule_id: str) -> Rule:
        """Stop applying the rule."""
        return self.change(journey_id, rule_id, RuleChange(status="inactive"))

    def for_stage(self, journey_id: str, stage_id: str) -> list[Rule]:
        """The active rules of a stage in order of execution: its own, those that name it, those of
        all stages.
        """
        return in_rank_order(self.store.query(rules_for_stage(journey_id, stage_id)))

    def page(
        self,
        journey_id: str,
        *,
        stage_id: str | None = None,
        cursor: str | None = None,
        size: int = 100,
    ) -> Page[Rule]:
        """The rules of a journey or of a stage, active or not, ordered by key."""
        if stage_id is None:
            return self.store.page(Rule.of_journey(journey_id=journey_id), cursor=cursor, size=size)
        return self.store.page(
            Rule.of_stage(journey_id=journey_id, stage_id=stage_id), cursor=cursor, size=size
        )


def new_rules(
    journey_id: str, drafts: Iterable[RuleDraft], *, created_by: str, existing: Iterable[Rule] = ()
) -> list[Rule]:
    """Rules with ids and indexes, after the existing ones."""
    last: dict[str, int] = {}
    for rule in existing:
        last[rule.stage_id] = max(last.get(rule.stage_id, 0), rule.rule_index)
    rules: list[Rule] = []
    for draft in drafts:
        number = last[draft.stage_id] = last.get(draft.stage_id, 0) + 1
        if number > RULES_OF_STAGE_MAX:
            raise WrongState(
                f"stage {draft.stage_id} has {RULES_OF_STAGE_MAX} rules, which is the maximum"
            )
        rules.append(_new_rule(journey_id, draft, number, created_by))
    return rules


def check_stages(stages: Iterable[Stage], stage_ids: Iterable[str]) -> None:
    """Raises NotFound for an unknown stage: its rules would silently never apply."""
    listed = list(stages)
    for stage_id in stage_ids:
        stage_of(listed, stage_id)


def counted(journey: Journey, added: Sequence[Rule]) -> list[Update[Any]]:
    """The update of the journey's counts for added rules."""
    return rules_changed(
        journey, total=len(added), active=sum(_is_active(rule.status) for rule in added)
    )


def _new_rule(journey_id: str, draft: RuleDraft, number: int, created_by: str) -> Rule:
    about = RuleMetadata(
        created_by=created_by,
        version=draft.version,
        tags=draft.tags or [draft.stage_id, draft.type, draft.priority],
        applicable_stages=draft.applicable_stages or [draft.stage_id],
    )
    storable([draft.content, draft.context])
    same = draft.model_dump(include=set(RuleDraft.model_fields) & set(Rule.model_fields))
    rule_id = f"rule-{draft.stage_id}-{draft.type}-{secrets.token_hex(4)}"
    return Rule(**same, rule_id=rule_id, journey_id=journey_id, rule_index=number, metadata=about)


def _values(rule: Rule, change: RuleChange) -> dict[str, Any]:
    """The fields that actually change."""
    values = change.given()
    storable([values.get("content"), values.get("context")])
    inside = {
        name: values.pop(name)
        for name in ("tags", "applicable_stages", "version")
        if name in values
    }
    if inside:
        values["metadata"] = rule.metadata.model_copy(update=inside)
    return {name: value for name, value in values.items() if value != getattr(rule, name)}


def _actions(values: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(attr(getattr(Rule, name)).set(value) for name, value in values.items())


def _is_active(status: str) -> bool:
    return status == "active"


def _key(rule: Rule) -> Any:
    return Rule.key(
        journey_id=rule.journey_id,
        stage_id=rule.stage_id,
        rule_index=rule.rule_index,
        rule_id=rule.rule_id,
    )
