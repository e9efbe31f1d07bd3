"""Clauses of a search as immutable values, joined with `&`, `|` and `~`. The same for every index.

Match.text("old harbour") & Match.keyword("status", "published") & ~Match.exists("archived")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.geography import LatLon, Polygon

NARROWEST_METRES = 0.1
EARTH_METRES = 20_037_508
"""Half the circumference of the earth: nothing is farther away."""


class Match:
    """A clause. The static methods of this class create clauses; they are the whole query
    language.
    """

    __slots__ = ()

    @staticmethod
    def text(
        words: str,
        fields: Sequence[str] = (),
        *,
        any_word: bool = False,
        fuzzy: bool = False,
        begins: bool = False,
    ) -> Match:
        """All of the words, or any, in some fields or in all text fields. Case and accents are
        ignored.

        `fuzzy` allows one wrong letter in words of three to five letters, two in longer ones.
        `begins` matches the last word as a prefix, for search while typing.
        """
        return TextMatch(words, tuple(fields), any_word, fuzzy, begins)

    @staticmethod
    def phrase(words: str, fields: Sequence[str] = ()) -> Match:
        """The words in sequence, in one of the fields."""
        return PhraseMatch(words, tuple(fields))

    @staticmethod
    def keyword(field: str, *values: Any) -> Match:
        """The whole value is one of these texts (exactly), numbers, dates or booleans."""
        return KeywordMatch(field, values)

    @staticmethod
    def prefix(field: str, text: str) -> Match:
        """The whole value begins exactly with a text."""
        return PrefixMatch(field, text)

    @staticmethod
    def range(
        field: str,
        *,
        at_least: Any = None,
        at_most: Any = None,
        above: Any = None,
        below: Any = None,
    ) -> Match:
        """A number or a date within bounds."""
        return RangeMatch(field, at_least, at_most, above, below)

    @staticmethod
    def exists(field: str) -> Match:
        """The document has a value in the field."""
        return ExistsMatch(field)

    @staticmethod
    def near(field: str, point: LatLon, *, metres: float) -> Match:
        """Places within a distance."""
        return NearMatch(field, point, metres)

    @staticmethod
    def box(field: str, *, top: float, left: float, bottom: float, right: float) -> Match:
        """Places in a box, which may cross the date line: then `left` is greater than `right`."""
        return BoxMatch(field, top, left, bottom, right)

    @staticmethod
    def inside(field: str, *corners: LatLon) -> Match:
        """Places inside a polygon, which does not cross the date line."""
        return PolygonMatch(field, Polygon(corners))

    @staticmethod
    def all(*clauses: Match) -> Match:
        """All clauses match. Without clauses, everything matches."""
        return AllMatch(clauses)

    @staticmethod
    def any(*clauses: Match) -> Match:
        """At least one clause matches. Without clauses, nothing matches."""
        return AnyMatch(clauses)

    def __and__(self, other: Match) -> Match:
        return AllMatch((*_members(self, AllMatch), *_members(other, AllMatch)))

    def __or__(self, other: Match) -> Match:
        return AnyMatch((*_members(self, AnyMatch), *_members(other, AnyMatch)))

    def __invert__(self) -> Match:
        return NotMatch(self)

    def __bool__(self) -> bool:
        raise ModelError(
            "a clause is neither true nor false: join clauses with & and |, not with `and` and `or`"
        )


@dataclass(frozen=True, slots=True)
class TextMatch(Match):
    words: str
    fields: tuple[str, ...] = ()
    any_word: bool = False
    fuzzy: bool = False
    begins: bool = False


@dataclass(frozen=True, slots=True)
class PhraseMatch(Match):
    words: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeywordMatch(Match):
    field: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PrefixMatch(Match):
    field: str
    begin: str


@dataclass(frozen=True, slots=True)
class RangeMatch(Match):
    field: str
    at_least: Any = None
    at_most: Any = None
    above: Any = None
    below: Any = None


@dataclass(frozen=True, slots=True)
class ExistsMatch(Match):
    field: str


@dataclass(frozen=True, slots=True)
class NearMatch(Match):
    field: str
    point: LatLon
    metres: float

    def __post_init__(self) -> None:
        if not NARROWEST_METRES <= self.metres <= EARTH_METRES:
            raise ModelError(
                f"a distance of {self.metres!r} metres: {NARROWEST_METRES} to {EARTH_METRES:,} can "
                "be"
            )


@dataclass(frozen=True, slots=True)
class BoxMatch(Match):
    field: str
    top: float
    left: float
    bottom: float
    right: float

    def __post_init__(self) -> None:
        for corner in ((self.top, self.left), (self.bottom, self.right)):
            LatLon(*corner)
        if self.top < self.bottom:
            raise ModelError(f"a box from {self.bottom} up to {self.top}: top is the northern edge")


@dataclass(frozen=True, slots=True)
class PolygonMatch(Match):
    field: str
    polygon: Polygon


@dataclass(frozen=True, slots=True)
class AllMatch(Match):
    clauses: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class AnyMatch(Match):
    clauses: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class NotMatch(Match):
    clause: Match


def _members(clause: Match, of: type[AllMatch] | type[AnyMatch]) -> tuple[Match, ...]:
    return (
        clause.clauses
        if isinstance(clause, (AllMatch, AnyMatch)) and isinstance(clause, of)
        else (clause,)
    )
