"""Sends one request to both sides and says where the answers differ.

Order that AWS leaves open is compared as a multiset; whole reads are drained page by page, because
pages of a scan hold other items on a server with another hash function.
"""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.oracle.differences import explained, parts_unseen
from tests.oracle.endpoints import OURS, Answer, Endpoint
from tests.oracle.healing import READS, WRITES, make_equal, tables_of
from tests.oracle.normal import as_multiset, normal, normal_value, plain_numbers

Request = dict[str, Any]
_PAGES_MAX = 500


class Stuck(Exception):
    """The oracle broke down over a change of its indexes, or never finished it: nothing can be
    compared any more.
    """


class Difference(AssertionError):
    """The two sides answered differently and no known reason covers it."""


@dataclass
class Pair:
    """Ours first, the oracle second."""

    ours: Endpoint
    oracle: Endpoint
    explained_count: Counter[str] = field(default_factory=Counter[str])
    outcomes: Counter[str] = field(default_factory=Counter[str])
    diverged: bool = False  # one side took what the other refused, and it could not be made good
    healed: set[str] = field(
        default_factory=set[str]
    )  # tables whose items were made equal again: their streams differ
    keep: Any = None  # what must live as long as the pair

    def call(self, operation: str, request: Request | str) -> tuple[Answer, Answer]:
        """Both raw answers, not compared."""
        body = request if isinstance(request, str) else json.dumps(request)
        ours, oracle = self.ours.call(operation, body), self.oracle.call(operation, body)
        for _ in range(3):
            if ours.ok or operation != "UpdateTable" or oracle.status != 500:
                break
            time.sleep(
                0.5
            )  # it broke down: another test changes indexes at the same moment. A refusal can be had again
            oracle = self.oracle.call(operation, body)
        return ours, oracle

    def same(self, operation: str, request: Request | str) -> Answer:
        """Both answers must be equal; gives ours."""
        ours, oracle = self.call(operation, request)
        self.compare(operation, request, ours, oracle)
        return ours

    def same_items(self, operation: str, request: Request, order_by: str | None = None) -> Answer:
        """A read whose order is open but for one attribute: drained on both sides, then equal, or
        one equal error.
        """
        ours, oracle = (
            drained(side, operation, request, order_by) for side in (self.ours, self.oracle)
        )
        self.compare(operation, request, ours, oracle)
        return ours

    def settle(self, table: str) -> None:
        """Wait on both sides until the table and its indexes are active."""
        for side in (self.ours, self.oracle):
            _settle(side, table)

    def compare(self, operation: str, request: Request | str, ours: Answer, oracle: Answer) -> None:
        oracle = replace(oracle, body=plain_numbers(oracle.body))
        if self.ours.name != OURS:
            ours = replace(ours, body=plain_numbers(ours.body))
        ours, oracle = _ordered(operation, normal(ours)), _ordered(operation, normal(oracle))
        self.outcomes[oracle.error or "ok"] += 1
        reason = None if ours == oracle else explained(operation, request, ours, oracle)
        if reason is not None:
            self.explained_count[reason.name] += 1
        elif ours != oracle:
            raise Difference(describe(operation, request, ours, oracle))
        if ours.ok != oracle.ok or parts_unseen(operation, request, ours):
            self._heal(operation, request)

    def _heal(self, operation: str, request: Request | str) -> None:
        """Make the oracle's items equal to ours again, so that one known difference does not hide
        what follows.
        """
        if operation not in WRITES:
            self.diverged = self.diverged or operation not in READS
            return
        tables = tables_of(json.loads(request) if isinstance(request, str) else request)
        self.healed |= tables
        self.diverged = self.diverged or not all(
            make_equal(self.ours, self.oracle, table) for table in tables
        )


def drained(
    endpoint: Endpoint, operation: str, request: Request, order_by: str | None = None
) -> Answer:
    """Every page of a Query or Scan as one answer: items in sum, counts added, the values of
    `order_by` in order.
    """
    total: dict[str, Any] = {"Items": [], "Count": 0, "ScannedCount": 0}
    page = dict(request)
    for _ in range(_PAGES_MAX):
        answer = endpoint.call(operation, json.dumps(page))
        if not answer.ok:
            return answer
        total["Items"] += answer.body.get("Items", [])
        total["Count"] += answer.body["Count"]
        total["ScannedCount"] += answer.body["ScannedCount"]
        if not (cursor := answer.body.get("LastEvaluatedKey")):
            order = {"Order": [item.get(order_by) for item in total["Items"]]} if order_by else {}
            items = [
                normal_value(plain_numbers(item) if endpoint.name != OURS else item)
                for item in total["Items"]
            ]
            return Answer(200, total | {"Items": as_multiset(items)} | order)
        page["ExclusiveStartKey"] = cursor
    raise AssertionError(f"{endpoint.name} gave {_PAGES_MAX} pages for {operation} and did not end")


def _settle(side: Endpoint, table: str) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        side.work()
        answer = side.call("DescribeTable", json.dumps({"TableName": table}))
        description = answer.body.get("Table", {})
        indexes = description.get("GlobalSecondaryIndexes", [])
        if not answer.ok or all(
            _statuse == "ACTIVE" for _statuse in _statuses(description, indexes)
        ):
            return
    raise (AssertionError if side.name == OURS else Stuck)(
        f"{side.name}: {table} did not become active"
    )


def _statuses(description: dict[str, Any], indexes: list[dict[str, Any]]) -> list[str]:
    return [description["TableStatus"], *(index["IndexStatus"] for index in indexes)]


def describe(operation: str, request: Request | str, ours: Answer, oracle: Answer) -> str:
    """A difference for a reader: the request to send again, and each field that differs."""
    sent = request if isinstance(request, str) else json.dumps(request, ensure_ascii=False)
    lines = [f"{operation} {_short(sent, 1500)}"]
    for name in ("status", "error", "message"):
        if getattr(ours, name) != getattr(oracle, name):
            lines.append(
                f"  {name}: ours {getattr(ours, name)!r} | oracle {getattr(oracle, name)!r}"
            )
    lines += [f"  {line}" for line in _fields("body", ours.body, oracle.body)]
    return "\n".join(lines)


def _fields(path: str, ours: Any, oracle: Any) -> list[str]:
    if ours == oracle:
        return []
    if isinstance(ours, dict) and isinstance(oracle, dict):
        names = sorted(ours.keys() | oracle.keys())
        return [
            line
            for n in names
            for line in _fields(f"{path}.{n}", ours.get(n, "<none>"), oracle.get(n, "<none>"))
        ]
    if isinstance(ours, list) and isinstance(oracle, list) and len(ours) == len(oracle):
        pairs = enumerate(zip(ours, oracle, strict=True))
        return [line for n, (a, b) in pairs for line in _fields(f"{path}[{n}]", a, b)]
    return [f"{path}: ours {_short(repr(ours))} | oracle {_short(repr(oracle))}"]


def _short(value: str, limit: int = 400) -> str:
    return value if len(value) <= limit else f"{value[:limit]}… ({len(value)} characters)"


def _ordered(operation: str, answer: Answer) -> Answer:
    if not answer.ok or operation not in _OPEN_ORDER:
        return answer
    return Answer(answer.status, _OPEN_ORDER[operation](answer.body))


def _scan(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"Items": as_multiset(body["Items"])} if "Items" in body else body


def _batch_get(body: dict[str, Any]) -> dict[str, Any]:
    responses = {table: as_multiset(items) for table, items in body.get("Responses", {}).items()}
    return body | {"Responses": responses, **_capacity_by_table(body)}


def _capacity_by_table(body: dict[str, Any]) -> dict[str, Any]:
    # One entry a table, in no promised order.
    capacity = body.get("ConsumedCapacity")
    return {"ConsumedCapacity": as_multiset(capacity)} if isinstance(capacity, list) else {}


def _tables_of_batch(body: dict[str, Any]) -> dict[str, Any]:
    return body | _capacity_by_table(body)


_OPEN_ORDER: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "Scan": _scan,
    "ExecuteStatement": _scan,
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _tables_of_batch,
    "TransactWriteItems": _tables_of_batch,
    "TransactGetItems": _tables_of_batch,
}
