"""Values during an analysis: plain ones, and symbols for what is known only after Terraform has
run.

A symbol remembers the resources it came from, so references survive locals, variables and modules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, cast

from sortkey_systems.applens.parsing.budget import TEXT_STEP, Budget
from sortkey_systems.applens.sensitive import HIDDEN, Sensitive


class Reference(NamedTuple):
    """An attribute of a resource, by the resource's address."""

    address: str
    attribute: str


class References(list[Reference]):
    """Collects the references of visited values. Visits are counted in the budget."""

    __slots__ = ("budget",)

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.budget = budget


class NotKnown(Exception):
    """A value is needed that the source does not state."""


class _Missing:
    pass


MISSING: Final = _Missing()


class Symbol:
    """A value with its references. `text` shows it as Terraform would write it; `value` is set if
    it is known.
    """

    __slots__ = ("references", "text", "value")

    def __init__(
        self, text: str, references: Iterable[Reference] = (), value: Any = MISSING
    ) -> None:
        self.text = text
        self.references = tuple(dict.fromkeys(references))
        self.value = value

    @property
    def known(self) -> bool:
        return self.value is not MISSING

    @property
    def inner(self) -> str:
        """The text as it stands inside another expression."""
        simple = (
            self.text.startswith("${") and self.text.endswith("}") and self.text.count("${") == 1
        )
        return self.text[2:-1] if simple else f'"{self.text}"'

    def __repr__(self) -> str:
        return f"Symbol({self.text})"


class Absent(Symbol):
    """A missing member of an object or a list: an error in Terraform, unless inside `try` or
    `can`.
    """

    __slots__ = ()


class Hidden(Symbol):
    """A value marked as sensitive: its references are kept, the value is not. `parts` are the
    members of an object.
    """

    __slots__ = ("marker", "parts")

    def __init__(
        self, references: Iterable[Reference], marker: Sensitive, parts: dict[str, Hidden]
    ) -> None:
        super().__init__(HIDDEN, references)
        self.marker, self.parts = marker, parts

    def part(self, name: Any) -> Hidden:
        return self.parts.get(str(name)) or Hidden(self.references, Sensitive(), {})


def top(value: Any, references: list[Reference]) -> Any:
    """The value itself, with its references recorded. Raises `NotKnown` if it is unknown."""
    if not isinstance(value, Symbol):
        return value
    references.extend(value.references)
    if value.value is MISSING:
        raise NotKnown(value.text)
    return top(value.value, references)


def deep(value: Any, references: References) -> Any:
    """Like `top`, through lists and objects."""
    _pay(value, references.budget)
    value = top(value, references)
    if isinstance(value, list):
        return [deep(member, references) for member in cast(list[Any], value)]
    if isinstance(value, dict):
        return {
            name: deep(member, references) for name, member in cast(dict[str, Any], value).items()
        }
    if hasattr(value, "address"):  # a whole resource: its attributes are known one by one
        references.append(Reference(value.address, ""))
        raise NotKnown(value.address)
    if hasattr(value, "attribute"):
        raise NotKnown(value.name)
    return value


def _pay(value: Any, budget: Budget) -> None:
    if isinstance(value, str):
        budget.spend(1 + len(value) // TEXT_STEP)
    elif isinstance(value, Symbol):
        budget.spend(1 + len(value.references))
    else:
        budget.spend()


def shown(value: Any, references: References) -> Any:
    """Like `deep`, with text for unknown values: the form that graphs and rules use."""
    _pay(value, references.budget)
    if isinstance(value, Hidden):
        references.extend(value.references)
        return value.marker
    if isinstance(value, Symbol):
        references.extend(value.references)
        return value.text if value.value is MISSING else shown(value.value, references)
    if isinstance(value, list):
        return [shown(member, references) for member in cast(list[Any], value)]
    if isinstance(value, dict):
        return {
            str(name): shown(member, references)
            for name, member in cast(dict[str, Any], value).items()
        }
    if hasattr(value, "address"):
        references.append(Reference(value.address, ""))
        return "${" + str(value.address) + "}"
    if hasattr(
        value, "attribute"
    ):  # `var` or `aws_vpc` with nothing after it: an error to Terraform
        return "${" + str(getattr(value, "name", "")) + "}"
    return value


def with_references(value: Any, references: References) -> Any:
    """The value, as a symbol if it has references."""
    return Symbol(str(value), references, value) if references else value
