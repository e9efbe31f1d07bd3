"""Stored computed fields: the fields they depend on, and their values after an update."""

from __future__ import annotations

import dis
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import CodeType
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.fields import ComputedFieldInfo

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.layout import Layout


def sources(entity: type[Entity], info: ComputedFieldInfo) -> frozenset[str]:
    """The fields that a computed field reads, found by the names in its code. All fields if the
    code passes the entity on, or names none.
    """
    names: set[str] = set()
    seen: set[CodeType] = set()
    waiting = [_code(info.wrapped_property)]
    while waiting:
        code = waiting.pop()
        if code is None:
            return frozenset(entity.model_fields)
        if code in seen:
            continue
        seen.add(code)
        for name in _read_of_self(code):
            if name in entity.model_fields:
                names.add(name)
            else:
                waiting.append(_code(getattr(entity, name, None)) if name else None)
    return frozenset(names or entity.model_fields)


def value_after(layout: Layout, name: str, known: Mapping[str, Any]) -> Any:
    """The stored value of a computed field for stored source values, given by attribute."""
    entity = layout.entity
    values = {
        layout.by_attribute[attribute].name: layout.loaded(attribute, value)
        for attribute, value in known.items()
    }
    computed = getattr(entity.model_construct(**values), name)
    return TypeAdapter[Any](entity.model_computed_fields[name].return_type).dump_python(
        computed, by_alias=True
    )


def _code(of: Any) -> CodeType | None:
    function: Callable[..., Any] | None = (
        getattr(of, "fget", None) or getattr(of, "func", None) or of
    )
    return getattr(function, "__code__", None)


def _read_of_self(code: CodeType) -> list[str]:
    """The names that code reads of its first argument. Contains "" if the argument is used in
    another way.
    """
    own = code.co_varnames[0] if code.co_argcount else None
    steps = list(dis.get_instructions(code))
    names: list[str] = []
    for step, following in pairwise(steps):
        argument: Any = step.argval
        if argument == own and step.opname.startswith("LOAD_FAST"):
            reads = following.opname in ("LOAD_ATTR", "LOAD_METHOD")
            names.append(str(following.argval) if reads else "")
        elif own is not None and isinstance(argument, tuple) and own in argument:
            names.append("")  # two loads in one instruction
        elif argument == own and step.opname in ("LOAD_CLOSURE", "MAKE_CELL", "LOAD_DEREF"):
            names.append("")  # a comprehension or a function inside uses it
    return names
