"""Terraform's functions on known values. A call of any other function stays unresolved, with its
references.
"""

# Terraform's values are not typed for Python; wrong types are caught in `call`.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import base64
import hashlib
import ipaddress
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from sortkey_systems.applens.json_depth import loads
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.redaction import redacted
from sortkey_systems.applens.parsing.symbols import (
    Absent,
    NotKnown,
    References,
    Symbol,
    deep,
    shown,
    top,
    with_references,
)

SIZE_MAX = 1_000_000
"""Characters of a text, elements of a list. Larger results are left unresolved."""
JSON_VALUES_MAX = 200_000
"""Values in one JSON text, checked before it is created."""
BITS_MAX = 4096
"""Bits of a whole number. Terraform has 512; Python takes very long to print very long numbers, and
finally refuses.
"""


def call(name: str, arguments: list[Any], budget: Budget, text: Callable[[], str]) -> Any:
    """The value of a call, or a symbol if an argument or the function is unknown."""
    references = References(budget)
    try:
        if name == "jsonencode":
            return with_references(within(_jsonencode(arguments[0], references)), references)
        if name == "sensitive":
            return redacted(arguments[0], budget)
        if name == "nonsensitive":  # meant for people who run Terraform; a report is read by more
            return arguments[0]
        if name in WALKING:
            return WALKING[name](references, *[top(argument, references) for argument in arguments])
        if name in STRUCTURAL:
            return STRUCTURAL[name](*[top(argument, references) for argument in arguments])
        values = [deep(argument, references) for argument in arguments]
        return with_references(within(PLAIN[name](*values)), references)
    except NoMatch:
        return Absent("${null}", references)
    except NotKnown:
        pass
    except (LookupError, StopIteration, ValueError, TypeError, AttributeError, ArithmeticError):
        pass
    references.clear()
    shown(arguments, references)
    return Symbol("${" + text() + "}", references)


class NoMatch(Exception):
    """A regular expression does not match: an error in Terraform, unless inside `try` or `can`."""


def within(value: Any) -> Any:
    """The value, unless it is too large: then `NotKnown` is raised."""
    if isinstance(value, str | list) and len(cast(str, value)) > SIZE_MAX:
        raise NotKnown("too large")
    if isinstance(value, int) and value.bit_length() > BITS_MAX:
        raise NotKnown("too large")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotKnown("too large")
    return value


def as_text(value: Any) -> str:
    """A number or boolean as Terraform writes it in a text."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None or isinstance(value, list | dict):
        raise TypeError
    return str(value)


def _values(of: Any) -> list[Any]:
    return list(cast(dict[str, Any], of).values()) if isinstance(of, dict) else list(of)


def _distinct(references: References, items: list[Any]) -> list[Any]:
    seen: dict[str, Any] = {}
    for item in items:
        seen.setdefault(
            item.text if isinstance(item, Symbol) else repr(shown(item, references)), item
        )
    return list(seen.values())


def _flatten(references: References, items: list[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        references.budget.spend()
        inner = item.value if isinstance(item, Symbol) and item.known else item
        if isinstance(inner, list):
            flat.extend(_flatten(references, cast(list[Any], inner)))
        else:
            flat.append(item)
    return flat


def _setproduct(references: References, *sets: list[Any]) -> list[Any]:
    references.budget.spend(math.prod(len(members) for members in sets) * len(sets))
    return [list(combination) for combination in itertools.product(*sets)]


def _merge(*maps: dict[str, Any] | None) -> dict[str, Any]:
    return {
        name: value for members in maps if members is not None for name, value in members.items()
    }


def _lookup(of: dict[str, Any], name: str, *default: Any) -> Any:
    return of[name] if name in of else default[0]


def _one(items: list[Any]) -> Any:
    if len(items) > 1:
        raise ValueError
    return items[0] if items else None


def _coalesce(*items: Any) -> Any:
    return next(item for item in items if item is not None and item != "")


def _toset(references: References, items: list[Any]) -> list[Any]:
    def order(item: Any) -> str:
        return item.text if isinstance(item, Symbol) else str(shown(item, references))

    return sorted(_distinct(references, items), key=order)


def _set(items: Iterable[Any]) -> list[Any]:
    """Functions whose arguments must be known completely."""
    return sorted({repr(item): item for item in items}.values(), key=str)


def _zipmap(names: list[Any], values: list[Any]) -> dict[str, Any]:
    return dict(zip([str(top(name, [])) for name in names], values, strict=False))


def _keys(of: dict[str, Any]) -> list[str]:
    return sorted(of)


WALKING: dict[str, Callable[..., Any]] = {
    "flatten": _flatten,
    "distinct": _distinct,
    "toset": _toset,
    "setproduct": _setproduct,
}
"""Like STRUCTURAL, for functions that visit the elements. Visits are counted in the budget."""

STRUCTURAL: dict[str, Callable[..., Any]] = {
    "merge": _merge,
    "concat": lambda *lists: [item for members in lists for item in members],
    "tolist": list,
    "tomap": lambda of: {**of},
    "list": lambda *items: list(items),
    "values": lambda of: [of[name] for name in sorted(of)],
    "keys": _keys,
    "element": lambda items, at: items[int(at) % len(items)],
    "lookup": _lookup,
    "length": len,
    "one": _one,
    "coalesce": _coalesce,
    "coalescelist": lambda *lists: next(members for members in lists if members),
    "reverse": lambda items: items[::-1],
    "slice": lambda items, start, end: items[int(start) : int(end)],
    "compact": lambda items: [item for item in items if item not in (None, "")],
    "chunklist": lambda items, size: [
        items[at : at + int(size)] for at in range(0, len(items), int(size))
    ],
    "zipmap": _zipmap,
}
"""Functions whose outermost value must be known. Elements may be symbols."""


def _format(pattern: str, *values: Any) -> str:
    if re.search(r"\d{4}", pattern):
        raise ValueError
    verbs = re.sub(r"%(?:\[\d+\])?[-+# 0]*[\d.]*[vqsdtfgexXob%]", "", pattern)
    if "%" in verbs or "%[" in pattern:
        raise ValueError
    used = iter(values)

    def one(verb: re.Match[str]) -> str:
        flags, kind = verb.groups()
        if kind == "%":
            return "%"
        value = next(used, None)
        if kind in "vst":
            return f"%{flags}s" % as_text(value)
        return json.dumps(value) if kind == "q" else f"%{flags}{kind}" % value

    widths = 1000 * pattern.count("%") if re.search(r"%[-+# 0]*\d", pattern) else 0
    _refuse_long(
        len(pattern) + widths + sum(len(value) for value in values if isinstance(value, str))
    )
    return re.sub(r"%([-+# 0]*[\d.]*)([vqsdtfgexXob%])", one, pattern)


def _refuse_long(characters: int) -> None:
    """Checked before a text is created: one that is too long may not fit into memory."""
    if characters > SIZE_MAX:
        raise ValueError


def _formatlist(pattern: str, items: list[Any]) -> list[str]:
    _refuse_long(
        len(pattern) * len(items) + sum(len(item) for item in items if isinstance(item, str))
    )
    return [_format(pattern, item) for item in items]


def _join(by: str, items: list[Any]) -> str:
    texts = [as_text(item) for item in items]
    _refuse_long(sum(map(len, texts)) + len(by) * len(texts))
    return by.join(texts)


def _split(by: str, text: str) -> list[str]:
    _refuse_long(len(text))
    return text.split(by)


def _indent(by: int, text: str) -> str:
    spaces = " " * min(int(by), 100)
    _refuse_long(len(text) + text.count("\n") * len(spaces))
    return text.replace("\n", "\n" + spaces)


def _jsonencode(value: Any, references: References) -> str:
    """The JSON of a value. Unknown parts appear as their text."""
    before = references.budget.values_left
    plain = shown(value, references)
    if before - references.budget.values_left > JSON_VALUES_MAX:
        raise NotKnown("too large")
    return json.dumps(plain)


def _jsondecode(text: str) -> Any:
    _refuse_long(len(text))
    return loads(text)


def _replace(text: str, old: str, new: str) -> str:
    if len(old) > 1 and old.startswith("/") and old.endswith("/"):
        raise ValueError  # a regular expression of RE2's kind
    _refuse_long(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def _cidrsubnet(prefix: str, bits: int, number: int) -> str:
    network = ipaddress.ip_network(prefix, strict=False)
    length = network.prefixlen + int(bits)
    size = 1 << (network.max_prefixlen - length)
    if not 0 <= number < 1 << int(bits):
        raise ValueError
    return f"{ipaddress.ip_address(int(network.network_address) + number * size)}/{length}"


def _range(*bounds: int) -> list[int]:
    numbers = range(*(int(bound) for bound in bounds))
    if len(numbers) > SIZE_MAX:
        raise ValueError
    return list(numbers)


def _tonumber(value: Any) -> int | float:
    number = float(value)
    return int(number) if number.is_integer() else number


REGEX_CHARACTERS_MAX = 200
_RISKY = re.compile(r"\)[*+{]|\\\d|\(\?[^P:]")
"""Repeated groups, back references, lookaround: patterns that could take for ever, or that RE2 does
not support.
"""


def _compiled(pattern: str, text: str) -> re.Pattern[str]:
    repeats = len(re.findall(r"(?<!\\)[*+{]", pattern))
    if (
        len(text) > REGEX_CHARACTERS_MAX
        or len(pattern) > REGEX_CHARACTERS_MAX
        or repeats > 3
        or _RISKY.search(pattern)
    ):
        raise ValueError
    try:
        return re.compile(pattern)
    except re.error:
        raise ValueError from None


def _captured(match: re.Match[str]) -> Any:
    """The groups by name or in order; the whole match if there are no groups."""
    return match.groupdict() or list(match.groups()) or match[0]


def _regex(pattern: str, text: str) -> Any:
    match = _compiled(pattern, text).search(text)
    if match is None:
        raise NoMatch
    return _captured(match)


PLAIN: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "max": max,
    "min": min,
    "sum": sum,
    "range": _range,
    "parseint": lambda text, base: int(text, int(base)),
    "chomp": lambda text: text.rstrip("\r\n"),
    "format": _format,
    "formatlist": _formatlist,
    "join": _join,
    "split": _split,
    "lower": lambda text: text.lower(),
    "upper": lambda text: text.upper(),
    "title": lambda text: text.title(),
    "replace": _replace,
    "substr": lambda text, start, length: (
        text[int(start) :][: int(length)] if length >= 0 else text[int(start) :]
    ),
    "strrev": lambda text: text[::-1],
    "startswith": lambda text, with_: text.startswith(with_),
    "endswith": lambda text, with_: text.endswith(with_),
    "strcontains": lambda text, part: part in text,
    "trim": lambda text, letters: text.strip(letters),
    "trimspace": lambda text: text.strip(),
    "trimprefix": lambda text, prefix: text.removeprefix(prefix),
    "trimsuffix": lambda text, suffix: text.removesuffix(suffix),
    "indent": _indent,
    "regex": _regex,
    "regexall": lambda pattern, text: [
        _captured(match) for match in _compiled(pattern, text).finditer(text)
    ],
    "contains": lambda items, item: item in _values(items),
    "index": lambda items, item: items.index(item),
    "sort": sorted,
    "alltrue": lambda items: all(item in (True, "true") for item in items),
    "anytrue": lambda items: any(item in (True, "true") for item in items),
    "setunion": lambda *sets: _set(item for members in sets for item in members),
    "setintersection": lambda *sets: _set(
        item for item in sets[0] if all(item in members for members in sets)
    ),
    "setsubtract": lambda left, right: _set(item for item in left if item not in right),
    "tostring": lambda value: None if value is None else as_text(value),
    "tonumber": lambda value: None if value is None else _tonumber(value),
    "tobool": lambda value: {"true": True, "false": False, True: True, False: False, None: None}[
        value
    ],
    "base64encode": lambda text: base64.b64encode(text.encode()).decode(),
    "base64decode": lambda text: base64.b64decode(text).decode(),
    "jsondecode": _jsondecode,
    "md5": lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
    "sha1": lambda text: hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(),
    "sha256": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "cidrsubnet": _cidrsubnet,
    "cidrhost": lambda prefix, number: str(ipaddress.ip_network(prefix, strict=False)[int(number)]),
    "cidrnetmask": lambda prefix: str(ipaddress.ip_network(prefix, strict=False).netmask),
}
