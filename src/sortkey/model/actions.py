"""Actions: the steps of an update. They are built from fields, in `attributes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sortkey.model.conditions import Condition, Render
from sortkey.model.expressions import Names

if TYPE_CHECKING:
    from sortkey.model.attributes import Attr

Section = Literal["SET", "REMOVE", "ADD", "DELETE"]


@dataclass(frozen=True, slots=True)
class Action:
    """One step of an update: what to do with the attribute at a path."""

    section: Section
    attr: Attr[Any]
    render: Render
    value: Any = None
    """What the field is set to, where that is known: keys are rebuilt from it."""
    is_plain_set: bool = False
    within: Condition | None = None
    """What must hold for the field to stay within its limits."""


def render_actions(actions: Sequence[Action], names: Names) -> str:
    """The update expression of all actions."""
    sections: dict[str, list[str]] = {}
    for action in actions:
        sections.setdefault(action.section, []).append(action.render(names))
    return " ".join(f"{section} {', '.join(rendered)}" for section, rendered in sections.items())
