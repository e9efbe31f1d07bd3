"""Plans: the steps that resolve differences between a model and the deployed tables, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sortkey.model.entity import Entity
from sortkey.model.tables import Table
from sortkey.runtime.differences import Difference, value_text

ANOTHER_INDEX = (
    "An index cannot be changed: declare one with another name, apply and backfill, move the "
    "reads to it, then delete the old one."
)
ANOTHER_TABLE = "create a table with another name, and copy the items into it."
ADVICE: Mapping[str, str] = {
    "key": f"The key of a table cannot be changed: {ANOTHER_TABLE}",
    "types of key attributes": f"The type of a key cannot be changed: {ANOTHER_TABLE}",
    "index key": ANOTHER_INDEX,
    "index projection": ANOTHER_INDEX,
    "index missing": "A local index can only be created with its table: declare a GSI instead.",
    "index extra": "It is left as it is: delete it when nothing reads it any more.",
    "stream": "It is left on for its readers: turn it off when they are done, and apply again.",
    "point-in-time recovery": "It is left on, because turning it off deletes the history: do that by hand.",
    "billing": "Provisioned capacity needs figures: set them by hand.",
}


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A table that is missing."""

    table: Table

    def __str__(self) -> str:
        count = len(self.table.indexes)
        indexes = f", with {count} {'index' if count == 1 else 'indexes'}" if count else ""
        return f"create the table {self.table.name}{indexes}"


@dataclass(frozen=True, slots=True)
class AddIndex:
    """A global index that is missing or not ready yet. Indexes are created one after the other."""

    table: Table
    index: str
    is_started: bool = False

    def __str__(self) -> str:
        if self.is_started:
            return f"{self.table.name}: wait for the index {self.index}, which is being created"
        key = ", ".join(self.table.key_attributes(self.index).names)
        return (
            f"{self.table.name}: add the index {self.index} ({key}; "
            f"{value_text(self.table.index(self.index).projection)})"
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A setting of a table that can be changed in place."""

    difference: Difference

    @property
    def table(self) -> Table:
        return self.difference.table

    def __str__(self) -> str:
        difference = self.difference
        before, after = value_text(difference.deployed), value_text(difference.model)
        return f"{self.table.name}: {difference.kind} from {before} to {after}"


@dataclass(frozen=True, slots=True)
class Fill:
    """An entity whose stored items lack something, or may. Backfills read whole tables, so `apply`
    does not run them.
    """

    entity: type[Entity]
    why: tuple[str, ...]

    @property
    def table(self) -> Table:
        return self.entity.__layout__.table

    def __str__(self) -> str:
        return f"{self.entity.__name__}: {'; '.join(self.why)}"


@dataclass(frozen=True, slots=True)
class ByHand:
    """A difference that must be resolved by hand, with advice."""

    difference: Difference

    @property
    def table(self) -> Table:
        return self.difference.table

    @property
    def advice(self) -> str:
        return ADVICE[self.difference.kind]

    def __str__(self) -> str:
        return f"{self.difference}. {self.advice}"


Step = CreateTable | AddIndex | Change


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that `store.apply` will run in order, the backfills to run, and what to do by
    hand.
    """

    name: str
    steps: tuple[Step, ...] = ()
    backfills: tuple[Fill, ...] = ()
    by_hand: tuple[ByHand, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.steps or self.backfills or self.by_hand)

    def __str__(self) -> str:
        if self.is_empty:
            return f"{self.name}: nothing to do, the deployed tables match the model"
        lines = [
            f"{self.name}: {len(self.steps)} to apply, {len(self.backfills)} to backfill, "
            f"{len(self.by_hand)} by hand"
        ]
        lines += [f"  {number}. {step}" for number, step in enumerate(self.steps, 1)]
        lines += [f"  backfill {backfill}" for backfill in self.backfills]
        lines += [f"  by hand: {step}" for step in self.by_hand]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return {
            "name": self.name,
            "steps": [
                {"kind": type(step).__name__, "table": step.table.name, "does": str(step)}
                for step in self.steps
            ],
            "backfills": [
                {
                    "entity": backfill.entity.__name__,
                    "table": backfill.table.name,
                    "why": list(backfill.why),
                }
                for backfill in self.backfills
            ],
            "by_hand": [
                {"table": step.table.name, "differs": str(step.difference), "advice": step.advice}
                for step in self.by_hand
            ],
        }
