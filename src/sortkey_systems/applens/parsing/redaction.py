"""Sensitive values of the source: variables, outputs and `sensitive(…)`. They are dropped before
anything uses them.
"""

from __future__ import annotations

from typing import Any, cast

from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.symbols import Hidden, NotKnown, References, Symbol, shown, top
from sortkey_systems.applens.resources import Resource
from sortkey_systems.applens.secrecy import sensitive


def is_sensitive(block: s.Block) -> bool:
    """Whether a variable or an output is declared sensitive, or ephemeral: never to be stored."""
    marks = [block.body.arguments.get(name) for name in ("sensitive", "ephemeral")]
    return any(mark is not None and not _is_false(mark.expression) for mark in marks)


def _is_false(mark: s.Expression) -> bool:
    return isinstance(mark, s.Literal) and mark.value in (False, "false", None)


def redacted(value: Any, budget: Budget, *, is_written: bool = True) -> Any:
    """The placeholder for a sensitive value, which keeps its references. Empty values stay as they
    are.

    `is_written` is false for a value that is already reported where it is declared.
    """
    if value is None or value == "" or isinstance(value, Hidden):
        return value
    references = References(budget)
    plain = shown(value, references)
    marker = sensitive(plain, is_written=is_written and not isinstance(value, Symbol))
    return Hidden(references, marker, _parts(value, budget, is_written))


def _parts(value: Any, budget: Budget, is_written: bool) -> dict[str, Hidden]:
    try:
        members = top(value, [])
    except NotKnown:
        return {}
    if not isinstance(members, dict):
        return {}
    inner = cast(dict[str, Any], members).items()
    redacted_members = {
        str(name): redacted(member, budget, is_written=is_written) for name, member in inner
    }
    return {name: member for name, member in redacted_members.items() if isinstance(member, Hidden)}


def redacted_declaration(declaration: Resource) -> Resource:
    """A declaration of a sensitive value. Rules still learn whether the source states it."""
    for name, value in declaration.attributes.items():
        declaration.attributes[name] = sensitive(value, is_written=True) if value else value
    return declaration
