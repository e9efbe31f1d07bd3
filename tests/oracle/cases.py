"""Tables of cases: a name that says what is tried, and a request. Names of tables in it start with
`@`.

@hash     key pk (S)
@range    key pk (S), sk (N)
@binary   key pk (B), sk (B)
@indexed  key pk (S), sk (S); local index by_l (l N, all);
          global indexes by_g (g S, h N, all), keys_only (g S), some (h N, includes a)
@missing  not there
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.endpoints import Answer
from tests.oracle.pair import Pair

Case = dict[str, Any] | str
Mark = Callable[..., Any]


def S(text: str) -> dict[str, str]:
    return {"S": text}


def N(text: str | int) -> dict[str, str]:
    return {"N": str(text)}


def B(text: str) -> dict[str, str]:
    return {"B": text}


def cases(table: dict[str, Case]) -> Mark:
    """Parametrise a test with `case`, one a row of the table."""
    return pytest.mark.parametrize("case", list(table.values()), ids=list(table))


def wrong_types(members: dict[str, Any]) -> dict[str, Case]:
    """For each member of a good request, the request with that member of another JSON type, and
    with null.
    """
    made: dict[str, Case] = {}
    for name, good in members.items():
        for label, bad in _OTHERS.items():
            if type(bad) is not type(good):
                made[f"{name} is {label}"] = members | {name: bad}
        made[f"{name} is null"] = members | {name: None}
        made[f"{name} is left out"] = {
            other: value for other, value in members.items() if other != name
        }
    return made


_OTHERS: dict[str, Any] = {
    "a number": 12,
    "a string": "text",
    "a list": ["x"],
    "a map": {"x": "y"},
    "true": True,
}


class Arena:
    """Both sides with the tables above, filled a little."""

    def __init__(self, pair: Pair, prefix: str) -> None:
        self.pair, self.prefix, self.news = pair, prefix, 0
        self._fill()

    def _fill(self) -> None:
        self.pair.diverged = False
        for definition in _DEFINITIONS:
            self._prepare("CreateTable", definition)
            self.pair.settle(self.name(definition["TableName"]))
        for table, items in _ITEMS.items():
            for item in items:
                self._prepare("PutItem", {"TableName": table, "Item": item})

    def same(self, operation: str, case: Case) -> Answer:
        """Send a case to both sides; equal answers, or the test fails with the difference."""
        return self.pair.same(operation, self._named(case))

    def same_afterwards(self, operation: str, case: Case) -> None:
        """Compare what is stored now; or, when a known difference has parted the two sides, begin
        afresh.
        """
        if self.pair.diverged:
            self.close()
            self._fill()
        else:
            self.same(operation, case)

    def same_items(self, operation: str, case: dict[str, Any]) -> Answer:
        return self.pair.same_items(operation, json.loads(self._named(case)))

    def name(self, token: str) -> str:
        return token.replace("@", f"{self.prefix}-") + (str(self.news) if token == "@new" else "")

    def close(self) -> None:
        for definition in _DEFINITIONS:
            self.pair.call("DeleteTable", {"TableName": self.name(definition["TableName"])})
        self.pair.ours.work()

    def _prepare(self, operation: str, request: dict[str, Any]) -> None:
        answers = self.pair.call(operation, self._named(request))
        assert all(answer.ok for answer in answers), answers

    def _named(self, case: Case) -> str:
        text = case if isinstance(case, str) else json.dumps(case)
        for token in ("hash", "range", "binary", "indexed", "missing", "new"):
            text = text.replace(f"@{token}", self.name(f"@{token}"))
        return text


def _definition(name: str, types: dict[str, str], sort: str | None, **more: Any) -> dict[str, Any]:
    keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
    return {
        "TableName": name,
        "AttributeDefinitions": [
            {"AttributeName": n, "AttributeType": t} for n, t in types.items()
        ],
        "KeySchema": keys + ([{"AttributeName": sort, "KeyType": "RANGE"}] if sort else []),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def index(
    name: str, hash_name: str, sort: str | None, projection: str, *include: str
) -> dict[str, Any]:
    """An index as CreateTable takes it."""
    keys = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    return {
        "IndexName": name,
        "KeySchema": keys + ([{"AttributeName": sort, "KeyType": "RANGE"}] if sort else []),
        "Projection": {"ProjectionType": projection}
        | ({"NonKeyAttributes": list(include)} if include else {}),
    }


_DEFINITIONS = (
    _definition("@hash", {"pk": "S"}, None),
    _definition("@range", {"pk": "S", "sk": "N"}, "sk"),
    _definition("@binary", {"pk": "B", "sk": "B"}, "sk"),
    _definition(
        "@indexed",
        {"pk": "S", "sk": "S", "l": "N", "g": "S", "h": "N"},
        "sk",
        LocalSecondaryIndexes=[index("by_l", "pk", "l", "ALL")],
        GlobalSecondaryIndexes=[
            index("by_g", "g", "h", "ALL"),
            index("keys_only", "g", None, "KEYS_ONLY"),
            index("some", "h", None, "INCLUDE", "a"),
        ],
    ),
)

_ITEMS: dict[str, list[dict[str, Any]]] = {
    "@hash": [
        {
            "pk": S("one"),
            "s": S("text"),
            "n": N(5),
            "bin": B("YWJj"),
            "t": {"BOOL": True},
            "z": {"NULL": True},
            "ss": {"SS": ["a", "b", "c"]},
            "ns": {"NS": ["1", "2"]},
            "bs": {"BS": ["YQ==", "Yg=="]},
            "l": {"L": [N(1), S("two"), {"L": [N(3)]}, {"M": {"x": N(4)}}]},
            "m": {
                "M": {
                    "x": S("X"),
                    "n": N(1),
                    "l": {"L": [N(1), N(2)]},
                    "deep": {"M": {"er": S("D")}},
                }
            },
        },
        {"pk": S("two"), "n": N(-1), "s": S("")},
    ],
    "@range": [
        {"pk": S("p"), "sk": N(n), "a": N(n * n), "b": S("x" * (n % 3))} for n in range(-2, 8)
    ]
    + [{"pk": S("q"), "sk": N(f"{n}.5"), "a": S("q")} for n in range(3)],
    "@binary": [
        {"pk": B("YQ=="), "sk": B(text), "a": N(1)} for text in ("AA==", "AQI=", "/w==", "YWI=")
    ],
    "@indexed": [
        {
            "pk": S("p"),
            "sk": S(f"s{n}"),
            "l": N(9 - n),
            "g": S("gG"[n % 2]),
            "h": N(n),
            "a": S("a"),
            "b": N(n),
        }
        for n in range(6)
    ]
    + [
        {"pk": S("p"), "sk": S("sparse"), "a": S("only")},
        {"pk": S("r"), "sk": S("s0"), "g": S("g"), "b": N(1)},
    ],
}
