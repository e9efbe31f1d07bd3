"""What a field can say of itself besides its type, in `Annotated`."""

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
    """Says where a field lives or what keeps it."""

    name: str

    def __repr__(self) -> str:
        return self.name


KEY_ONLY = Marker("KeyOnly")
KeyOnly = Annotated[T, KEY_ONLY]
"""A field that lives in the keys alone and is parsed back from them."""

Outside = Marker("Outside")
"""Beside the envelope, not in it."""

Created = Marker("Created")
"""An instant that the store sets when the item is created."""

Updated = Marker("Updated")
"""An instant that the store sets with every update and save. create() and put() keep one that is
given: a copy of another table's items stays true."""

Version = Marker("Version")
"""A counter for optimistic locking: `save` checks it, every write raises it."""

KeepNull = Marker("KeepNull")
"""None is stored as NULL; without this it is left out."""


def Named(attribute: str) -> Any:
    """The literal name of the attribute, where the entity's `names` would make another one."""
    return Field(alias=attribute)


def Range(low: int, high: int) -> Any:
    """A number within bounds, both included."""
    return Field(ge=low, le=high)


@dataclass(frozen=True)
class States:
    """The transitions that a status may make; a write that sets it is conditional on them, but for
    one of a batch.

    `start` are the statuses that a new item may have; without it, all.
    """

    transitions: Mapping[str, Sequence[str]]
    start: Sequence[str] = ()

    def sources(self, target: str) -> tuple[str, ...]:
        """The statuses from which a status can be reached."""
        return tuple(source for source, targets in self.transitions.items() if target in targets)

    def followers(self, source: str) -> tuple[str, ...]:
        """The statuses that can follow one; none where it is final."""
        return tuple(self.transitions.get(source, ()))

    def starts(self, status: str) -> bool:
        """Whether a new item may have a status."""
        return not self.start or status in self.start

    @property
    def all(self) -> tuple[str, ...]:
        reached = [target for targets in self.transitions.values() for target in targets]
        return tuple(dict.fromkeys([*self.transitions, *reached]))

    def check(self, values: Sequence[Any]) -> None:
        """The states are values of the field, which are its Literal's."""
        unknown = [state for state in (*self.all, *self.start) if state not in values]
        if values and unknown:
            raise ModelError(f"States names {', '.join(unknown)}, which the field cannot have")


@dataclass(frozen=True)
class Follows:
    """A field that another one decides: whenever the source is written, this is too. Declare it
    behind the source.
    """

    source: str
    values: Mapping[Any, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.with_info_before_validator_function(self._decide, handler(source))

    def _decide(self, value: Any, info: ValidationInfo) -> Any:
        if self.source not in (info.data or {}):  # None where a value is validated by itself
            return value  # alone, or the source itself is refused, with an error of its own
        return self.value_for(info.data[self.source])

    def value_for(self, decided: Any) -> Any:
        """What this field is for a value of the source. Raises StoredValueError for one that it
        does not name.
        """
        if decided not in self.values:
            known = ", ".join(map(repr, self.values))
            raise StoredValueError(
                f"Follows says nothing for {self.source}={decided!r}: it knows {known}"
            )
        return self.values[decided]


def camel(name: str) -> str:
    """`journey_id` → `journeyId`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def pascal(name: str) -> str:
    """`journey_id` → `JourneyId`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
