"""Key templates: `STAGE#{order:02d}#{stageId}` renders a key, parses it, and renders prefixes of
it.

Different values never render the same key: a number that does not fit its width is refused, and so
is a text that contains or overlaps the separator after it. One slot of a template may be marked
`{path:free}` and contain anything. A slot at the end needs no mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any

from sortkey.errors import KeyValueError, ModelError
from sortkey.model.codec import encode

SHARD = "shard"
"""The slot that sharding fills, not a field."""

_WIDTH = re.compile(r"0(\d+)d")


@dataclass(frozen=True, slots=True)
class Slot:
    """The slot of one value. `width` is the width of a zero-padded number. A `free` slot may
    contain the separator.
    """

    name: str
    width: int | None = None
    free: bool = False

    def render(self, value: Any) -> str:
        if self.width is None:
            return value if isinstance(value, str) else _text(self.name, value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise KeyValueError(f"{self.name} must be a whole number in a key, not {value!r}")
        text = f"{value:0{self.width}d}"
        if value < 0 or len(text) > self.width:
            raise KeyValueError(
                f"{self.name}={value} does not fit the key: 0 to {10**self.width - 1} are allowed"
            )
        return text

    def read(self, text: str) -> str | int:
        if self.width is None:
            return text
        if len(text) != self.width or not text.isascii() or not text.isdigit():
            raise KeyValueError(f"{text!r} is not a {self.name} of {self.width} digits")
        return int(text)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix of a template with values for its first slots. `text` is the whole key if
    `complete`. `then` is the next slot.
    """

    text: str
    complete: bool
    then: Slot | None


class Template:
    """A parsed template. `parts` are literal texts and slots, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: tuple[str | Slot, ...] = tuple(_parts(text))
        self.slots = tuple(part for part in self.parts if isinstance(part, Slot))
        self.names = tuple(slot.name for slot in self.slots)
        self._check()

    def render(self, values: Mapping[str, Any]) -> str | None:
        """The key for these values, or None if one is missing: such an item is not in the index."""
        rendered = ""
        for literal, slot in self._steps:
            rendered += literal
            if slot is not None:
                value = values.get(slot.name)
                if value is None:
                    return None
                rendered += self.text_of(slot, value)
        return rendered

    def prefix(self, values: Mapping[str, Any]) -> Prefix:
        """The common prefix of all keys with these values of the first slots.

        It ends with the literal after the last value, so that JOB-45 never matches JOB-456.
        """
        rendered: list[str] = []
        left = dict(values)
        for part in self.parts:
            if isinstance(part, str):
                rendered.append(part)
            elif part.name in left:
                rendered.append(self.text_of(part, left.pop(part.name)))
            else:
                if left:
                    names, missing = ", ".join(left), part.name
                    raise ModelError(
                        f"{self.text}: {names} given without {missing}, which comes before it in "
                        "the key"
                    )
                return Prefix("".join(rendered), False, part)
        if left:
            raise ModelError(f"{self.text} has no {', '.join(left)}")
        return Prefix("".join(rendered), True, None)

    def parse(self, text: str) -> dict[str, str | int]:
        """The values of a rendered key. Raises KeyValueError if the text does not match."""
        if self._only_slot is not None:
            before, slot = self._only_slot
            if text.startswith(before) and len(text) > len(before):
                return {slot.name: slot.read(text[len(before) :])}
        match = self._pattern.fullmatch(text)
        if match is None:
            raise KeyValueError(f"{text!r} does not match the key {self.text}")
        if self._is_checked:
            for slot, value in zip(self.slots, match.groups(), strict=True):
                self._check_separator(slot, value)
        return {slot.name: slot.read(match[index + 1]) for index, slot in enumerate(self.slots)}

    def matches(self, text: str) -> bool:
        """Whether a text matches the template."""
        try:
            self.parse(text)
        except KeyValueError:
            return False
        return True

    @cached_property
    def _steps(self) -> tuple[tuple[str, Slot | None], ...]:
        """Each slot with the literal before it, then the literal at the end."""
        steps, literal = list[tuple[str, Slot | None]](), ""
        for part in self.parts:
            if isinstance(part, str):
                literal = part
            else:
                steps.append((literal, part))
                literal = ""
        return (*steps, (literal, None)) if literal else tuple(steps)

    @cached_property
    def _only_slot(self) -> tuple[str, Slot] | None:
        """The only slot, if the template ends with it: it is parsed without a pattern."""
        if len(self.slots) == 1 and self.parts[-1] == self.slots[0]:
            return self.literal_prefix, self.slots[0]
        return None

    @cached_property
    def skeleton(self) -> str:
        """The template without the names of its slots. Keys of templates with equal skeletons
        cannot be distinguished.
        """
        return "".join(part if isinstance(part, str) else "{}" for part in self.parts)

    @cached_property
    def literal_prefix(self) -> str:
        return self.parts[0] if self.parts and isinstance(self.parts[0], str) else ""

    def text_of(self, slot: Slot, value: Any) -> str:
        """One value as it is written in the key. Raises KeyValueError for a value that a key cannot
        hold.
        """
        text = value if value.__class__ is str and slot.width is None else slot.render(value)
        self._check_separator(slot, text)
        if not text:
            raise KeyValueError(f"{slot.name} is empty, and a key of the form {self.text} needs it")
        return text

    def _check_separator(self, slot: Slot, text: str) -> None:
        """Refuse a text that contains or overlaps the separator: the key could be split there."""
        separator = self._separators.get(slot.name)
        if separator is None:
            return
        if separator in text or (
            len(separator) > 1 and not self._is_cut_there(slot, text, separator)
        ):
            raise KeyValueError(
                f"{slot.name}={text!r} contains {separator!r}, which separates it in {self.text}"
            )

    def _is_cut_there(self, slot: Slot, text: str, separator: str) -> bool:
        if slot.name in self._behind_free:
            return (separator + text).rfind(separator) == 0
        return (text + separator).find(separator) == len(text)

    @cached_property
    def _separators(self) -> dict[str, str]:
        """What each text must not contain: the literal after it, or after a free slot the literal
        before it, because parsing then goes from the end.
        """
        separators: dict[str, str] = {}
        for before, part, after in zip(
            (None, *self.parts), self.parts, (*self.parts[1:], None), strict=False
        ):
            if isinstance(part, Slot) and part.width is None and not part.free:
                literal = before if part.name in self._behind_free else after
                if isinstance(literal, str):
                    separators[part.name] = literal
        return separators

    @cached_property
    def _is_checked(self) -> bool:
        """Whether the pattern also matches texts that cannot be rendered: if a separator can
        overlap, or after a free slot. Parsing is still right: greedy groups find the last
        separators.
        """
        return bool(self._behind_free) or any(
            len(separator) > 1 for separator in self._separators.values()
        )

    @cached_property
    def _behind_free(self) -> frozenset[str]:
        frees = [index for index, slot in enumerate(self.slots) if slot.free]
        return frozenset(self.names[frees[0] + 1 :] if frees else ())

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        expression = ""
        for part in self.parts:
            if isinstance(part, str):
                expression += re.escape(part)
            elif part.width is not None:
                expression += f"([0-9]{{{part.width}}})"
            elif part.name not in self._behind_free and (
                forbidden := self._separators.get(part.name)
            ):
                expression += f"((?:(?!{re.escape(forbidden)}).)+)"
            else:
                expression += "(.+)"
        return re.compile(expression, re.DOTALL)

    def _check(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise ModelError(f"{self.text}: a slot occurs twice")
        if sum(slot.free for slot in self.slots) > 1:
            raise ModelError(
                f"{self.text}: only one slot can be free, or its keys could not be parsed"
            )
        for part, following in zip(self.parts, self.parts[1:], strict=False):
            if (
                isinstance(part, Slot)
                and isinstance(following, Slot)
                and self._runs_into(part, following)
            ):
                raise ModelError(
                    f"{self.text}: put a separator between {part.name} and {following.name}"
                )

    def _runs_into(self, part: Slot, following: Slot) -> bool:
        return part.width is None or (
            following.width is None and following.name in self._behind_free
        )

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


def _parts(text: str) -> list[str | Slot]:
    parts: list[str | Slot] = []
    try:
        for literal, name, spec, conversion in Formatter().parse(text):
            if literal and parts and isinstance(parts[-1], str):
                parts[-1] += literal  # `{{` and `}}` come in pieces
            elif literal:
                parts.append(literal)
            if name is not None:
                parts.append(_slot(text, name, spec or "", conversion))
    except ValueError as error:
        raise ModelError(f"{text!r} is not a valid key template: {error}") from None
    return parts


def _slot(text: str, name: str, spec: str, conversion: str | None) -> Slot:
    if not name or conversion:
        raise ModelError(
            f"{text!r}: a slot is an attribute's name in braces, {{journeyId}} or {{order:02d}}"
        )
    if not spec:
        return Slot(name)
    if spec == "free":
        return Slot(name, free=True)
    if width := _WIDTH.fullmatch(spec):
        return Slot(name, width=int(width[1]))
    raise ModelError(
        f"{text!r}: {spec!r} is not a slot format; use 0<digits>d for a number, or free"
    )


def _text(name: str, value: Any) -> str:
    try:
        stored = {} if isinstance(value, bool) else encode(value)
    except ModelError:
        stored = {}
    for kind in ("S", "N"):
        if kind in stored:
            return stored[kind]
    raise KeyValueError(f"{name}={value!r} cannot be used in a key: it is not text")
