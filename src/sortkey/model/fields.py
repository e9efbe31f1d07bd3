"""Markers for fields, used in `Annotated`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationInfo
from pydantic_core import core_schema

from sortkey.errors import ModelError, StoredValueError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Marker:
    """Says where a field is stored or how it is maintained."""

    name: str

    def __repr__(self) -> str:
        return self.name


KEY_ONLY = Marker("KeyOnly")
KeyOnly = Annotated[T, KEY_ONLY]
"""A field that is stored only in keys, and parsed back from them."""

Outside = Marker("Outside")
"""Stored beside the envelope, not in it."""

Created = Marker("Created")
"""An instant that the store sets when the item is created."""

Updated = Marker("Updated")
"""An instant that the store sets with every update and save. create() and put() keep an instant
that is set already, so that copies of items keep theirs.
"""

Version = Marker("Version")
"""A counter for optimistic locking: `save` checks it, every write raises it."""

KeepNull = Marker("KeepNull")
"""Store None as NULL. Without this marker it is left out."""


def Named(attribute: str) -> Any:
    """The literal name of the attribute, instead of the one that the entity's `names` would
    give.
    """
    return Field(alias=attribute)


def Range(low: int, high: int) -> Any:
    """A number within bounds, both included."""
    return Field(ge=low, le=high)


@dataclass(frozen=True)
class States:
    """The allowed transitions of a status. Writes that set it check them, except in a batch.

    `start` are the statuses that a new item may have, by default all of them.
    """

    transitions: Mapping[str, Sequence[str]]
    start: Sequence[str] = ()

    def sources(self, target: str) -> tuple[str, ...]:
        """The statuses from which a status can be reached."""
        return tuple(source for source, targets in self.transitions.items() if target in targets)

    def followers(self, source: str) -> tuple[str, ...]:
        """The statuses that can follow one. Empty if it is final."""
        return tuple(self.transitions.get(source, ()))

    def starts(self, status: str) -> bool:
        """Whether a new item may have a status."""
        return not self.start or status in self.start

    @property
    def all(self) -> tuple[str, ...]:
        reached = [target for targets in self.transitions.values() for target in targets]
        return tuple(dict.fromkeys([*self.transitions, *reached]))

    def check(self, values: Sequence[Any]) -> None:
        """Refuse states that the field's Literal does not have."""
        unknown = [state for state in (*self.all, *self.start) if state not in values]
        if values and unknown:
            raise ModelError(f"States names {', '.join(unknown)}, which the field cannot have")


@dataclass(frozen=True)
class Follows:
    """A field whose value is decided by another one. It is written whenever the source is. Declare
    it after the source.
    """

    source: str
    values: Mapping[Any, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.with_info_before_validator_function(self._decide, handler(source))

    def _decide(self, value: Any, info: ValidationInfo) -> Any:
        if self.source not in (info.data or {}):  # None where a value is validated by itself
            return value  # validated alone, or the source is invalid and has its own error
        return self.value_for(info.data[self.source])

    def value_for(self, decided: Any) -> Any:
        """The value for a value of the source. Raises StoredValueError for an unknown one."""
        if decided not in self.values:
            known = ", ".join(map(repr, self.values))
            raise StoredValueError(
                f"Follows has no value for {self.source}={decided!r}: add it; there are {known}"
            )
        return self.values[decided]


def camel(name: str) -> str:
    """`journey_id` → `journeyId`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def pascal(name: str) -> str:
    """`journey_id` → `JourneyId`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
