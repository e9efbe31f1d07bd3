"""Random attribute values: small pools so that keys meet again, the edges of every type, some
wrong.
"""

import base64
import random
from typing import Any

Value = dict[str, Any]

_STRINGS = ("a", "b", "ab", "abc", "b#1", "é", "日本", "Z", " ", "0")
_NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "10",
    "1.5",
    "-2.50",
    "1E3",
    "100",
    "0.001",
    "12345678901234567890",
)
_EDGE_NUMBERS = (
    "9.9999999999999999999999999999999999999E+125",
    "1E-130",
    "-9.9999999999999999999999999999999999999E+125",
    "00012.300",
    "-0",
    "1e2",
    "+5",
    "0.00000000000000000000000000000000000001",
    "99999999999999999999999999999999999999",
)
_BYTES = (b"a", b"b", b"ab", b"\x00", b"\xff\x01", b"abc")
_WRONG: tuple[Value, ...] = (
    {"N": "abc"},
    {"N": ""},
    {"N": "1E126"},
    {"N": "1E-131"},
    {"N": "123456789012345678901234567890123456789"},
    {"SS": []},
    {"NS": []},
    {"SS": ["a", "a"]},
    {"NS": ["1", "1.0"]},
    {"NS": ["1", "x"]},
    {"NULL": False},
    {},
    {"S": "a", "N": "1"},
    {"BS": ["YQ==", "YQ=="]},
)


def scalar(source: random.Random, kind: str) -> Value:
    """A value that a key of this type takes."""
    if kind == "S":
        return {"S": source.choice(_STRINGS)}
    if kind == "N":
        return {"N": source.choice(_NUMBERS)}
    return {"B": base64.b64encode(source.choice(_BYTES)).decode()}


def value(source: random.Random, depth: int = 0) -> Value:
    """Any value; documents down to three levels."""
    kinds = ["S", "S", "N", "N", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "edge"]
    if depth < 3:
        kinds += ["L", "M", "M"]
    return _of_kind(source.choice(kinds), source, depth)


def wrong(source: random.Random) -> Value:
    """A value that DynamoDB refuses."""
    return dict(source.choice(_WRONG))


def _of_kind(kind: str, source: random.Random, depth: int) -> Value:
    match kind:
        case "edge":
            return {"N": source.choice(_EDGE_NUMBERS)} if source.random() < 0.5 else {"S": ""}
        case "BOOL":
            return {"BOOL": source.random() < 0.5}
        case "NULL":
            return {"NULL": True}
        case "SS" | "NS" | "BS":
            pool = {"SS": _STRINGS, "NS": _NUMBERS, "BS": _BYTES}[kind]
            chosen = source.sample(pool, source.randint(1, 4))
            return {
                kind: [
                    base64.b64encode(each).decode() if isinstance(each, bytes) else each
                    for each in chosen
                ]
            }
        case "L":
            return {"L": [value(source, depth + 1) for _ in range(source.randint(0, 3))]}
        case "M":
            names = source.sample(("a", "b", "x", "y"), source.randint(0, 3))
            return {"M": {name: value(source, depth + 1) for name in names}}
        case _:
            return scalar(source, kind)
