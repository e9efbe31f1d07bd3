"""The scope of an expression: its module, the names bound by loops, and its budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.symbols import References


class Names(Protocol):
    """Resolves a name that is not bound by a loop."""

    def lookup(self, name: str) -> Any: ...
    def read_file(self, path: str) -> str | None: ...


@dataclass(slots=True)
class Scope:
    """Where an expression is evaluated: its module, and the names bound by enclosing loops."""

    module: Names
    names: Mapping[str, Any] = field(default_factory=dict[str, Any])
    budget: Budget = field(default_factory=Budget)

    def references(self) -> References:
        """A list for the references of values that are visited here."""
        return References(self.budget)

    def bind(self, **names: Any) -> Scope:
        return Scope(self.module, {**self.names, **names}, self.budget)
