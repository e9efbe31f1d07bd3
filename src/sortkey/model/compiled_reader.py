"""Generates a function for each entity that reads its values from an item, as one would write it by
hand.

    def read(item):
        if not item.keys() <= known: raise KeyError
        found = {"stageId": item["stageId"]["S"], "tags": [e0["S"] for e0 in item["tags"]["L"]]}
        if (value := item.get("note")) is not None: found["note"] = value["S"]
        return found

It is several times as fast as a loop over the attributes, and reading is most of what a store does.
For an unusual item it raises, and the caller falls back to `Layout.read`, which handles every form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from sortkey.model.codec import decode
from sortkey.model.insides import may_be_none
from sortkey.values.attributes import AttributeValue

if TYPE_CHECKING:
    from sortkey.model.layout import Layout, Place

Reader = Callable[[Mapping[str, AttributeValue]], dict[str, Any]]
_TYPES: dict[Any, str] = {str: "S", int: "N", float: "N", Decimal: "N", bool: "BOOL"}


def compiled_reader(layout: Layout) -> Reader:
    """The reader of an entity. It raises KeyError or TypeError for an unusual item."""
    namespace: dict[str, Any] = {
        "decode": decode,
        "known": layout.known.keys(),
        "known_inside": layout.known_inside.keys(),
    }
    places = [
        place for place in layout.places.values() if not place.key_only and place.payload is None
    ]
    lines = ["def read(item):", *_checks(layout), *_values(places)]
    for number, (attribute, template, wanted) in enumerate(layout.parsers):
        namespace[f"parse{number}"] = template.parse
        lines.append(f"    parsed = parse{number}(item[{attribute!r}]['S'])")
        lines += [f"    found[{name!r}] = parsed[{name!r}]" for name in wanted]
    for number, (place, payload) in enumerate(layout.payloads):
        namespace |= {f"pointer{number}": payload.read, "key_in": layout.key_in}
        where = "item" if len(place.path) == 1 else "inside"
        lines.append(f"    if {place.attribute!r} in {where}:")
        lines.append(f"        found[{place.attribute!r}] = pointer{number}({where}, key_in(item))")
    lines.append("    return found")
    exec("\n".join(lines), namespace)  # names come in as literals (repr), never as code
    return namespace["read"]


def _checks(layout: Layout) -> list[str]:
    """Lines that refuse unknown attributes, archived items and older versions."""
    lines = ["    if not item.keys() <= known: raise KeyError"]
    if layout.envelope is not None:
        lines.append(f"    inside = item[{layout.envelope!r}]['M']")
        lines.append("    if not inside.keys() <= known_inside: raise KeyError")
    if layout.archive is not None:
        partition = layout.primary.attributes.partition
        lines.append(
            f"    if item[{partition!r}]['S'].endswith({layout.archive!r}): raise KeyError"
        )
    if layout.kind is not None:
        kind, attribute = {"S": layout.kind}, layout.table.kind_attribute
        lines.append(f"    if item[{attribute!r}] != {kind!r}: raise KeyError")
    if layout.schema_version > 1:
        lines.append("    raise KeyError")
    return lines


def _values(places: Sequence[Place]) -> list[str]:
    nullable = [
        place for place in places if place.info.is_required() and may_be_none(place.info.annotation)
    ]
    required = [place for place in places if place.info.is_required() and place not in nullable]
    members = ", ".join(
        [
            *(f"{place.attribute!r}: {_expression(place, _source(place))}" for place in required),
            *(f"{place.attribute!r}: None" for place in nullable),
        ]
    )
    lines = [f"    found = {{{members}}}"]
    for place in places:
        if place not in required:
            where = "item" if len(place.path) == 1 else "inside"
            lines.append(f"    if (value := {where}.get({place.attribute!r})) is not None:")
            lines.append(f"        found[{place.attribute!r}] = {_expression(place, 'value')}")
    return lines


def _source(place: Place) -> str:
    return f"{'item' if len(place.path) == 1 else 'inside'}[{place.attribute!r}]"


def _expression(place: Place, source: str) -> str:
    if place.info.annotation is datetime or datetime in get_args(place.info.annotation):
        texts = any(getattr(marker, "return_type", None) is str for marker in place.info.metadata)
        return f"{source}['S']" if texts else f"decode({source})"
    return _of_type(place.info.annotation, source, 0)


def _of_type(annotation: Any, source: str, depth: int) -> str:
    """An expression that reads a value of a type. Numbers stay text, which pydantic parses."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        kinds = {
            _of_type(argument, source, depth) for argument in arguments if argument is not NoneType
        }
        return kinds.pop() if len(kinds) == 1 else f"decode({source})"
    if annotation in _TYPES:
        return f"{source}[{_TYPES[annotation]!r}]"
    if origin is Literal and all(isinstance(argument, str) for argument in arguments):
        return f"{source}['S']"
    if origin is list:
        element = f"e{depth}"
        return f"[{_of_type(arguments[0], element, depth + 1)} for {element} in {source}['L']]"
    if origin is dict and arguments[0] is str:
        member = f"m{depth}"
        return f"{{k: {_of_type(arguments[1], member, depth + 1)} for k, {member} in {source}['M'].items()}}"
    return f"decode({source})"
