"""The item and the values that the tables of these tests speak of."""

from __future__ import annotations

from typing import Any

ITEM: dict[str, dict[str, Any]] = {
    "p": {"S": "k"},
    "a": {"S": "hello"},
    "n": {"N": "5"},
    "b": {"B": "aGVsbG8="},
    "l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]},
    "m": {
        "M": {
            "x": {"N": "1"},
            "y": {"M": {"z": {"S": "q"}}},
            "l": {"L": [{"S": "a"}, {"S": "b"}]},
        }
    },
    "ss": {"SS": ["a", "b", "c"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["YQ==", "Yg=="]},
    "bo": {"BOOL": True},
    "nu": {"NULL": True},
}

VALUES: dict[str, dict[str, Any]] = {
    ":s": {"S": "hello"},
    ":n": {"N": "5"},
    ":one": {"N": "1"},
    ":nine": {"N": "9"},
    ":b": {"B": "aGU="},
    ":ss": {"SS": ["a"]},
    ":ns": {"NS": ["1"]},
    ":l": {"L": [{"N": "7"}]},
    ":m": {"M": {}},
    ":t": {"BOOL": True},
    ":null": {"NULL": True},
    ":h": {"S": "h"},
    ":empty": {"S": ""},
    ":S": {"S": "S"},
}


def used_in(text: str) -> dict[str, dict[str, Any]] | None:
    """Those of VALUES that an expression names, or None."""
    words = "".join(c if c.isalnum() or c in ":_" else " " for c in text).split()
    return {key: value for key, value in VALUES.items() if key in words} or None
