"""Requests of every operation, random but of the right shape: what the fuzzer breaks afterwards.

Those on items come from the oracle's generator, which knows its tables. The rest is made from AWS's
published shapes, with names, ARNs and tokens that the server has given in earlier answers, so that
many requests mean something.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from sortkey.engine.not_offered import REASONS
from sortkey.engine.operations import OPERATIONS
from sortkey.engine.shapes.model import Shape, input_shape, shape
from tests.oracle.random_requests import random_request
from tests.oracle.random_tables import PLAIN, Table
from tests.oracle.random_values import value

_LEVELS_MAX = 8
_KEPT_MAX = 40
NAMES = sorted({*OPERATIONS, *REASONS})


class Requests:
    """Makes requests, and learns from answers."""

    def __init__(self, tables: list[Table], source: random.Random) -> None:
        self._tables, self._source = tables, source
        self._known: dict[str, list[str]] = {}

    def draw(self) -> tuple[str, dict[str, Any]]:
        """An operation and its request."""
        if self._source.random() < 0.5:
            draft = random_request(self._tables, self._source)
            return draft.operation, copy.deepcopy(draft.request)  # parts of it belong to the table
        operation = self._source.choice(NAMES)
        if operation == "DeleteTable" and self._source.random() < 0.9:
            operation = "DescribeTable"  # without tables all requests on items are refused alike
        request: dict[str, Any] = self._of(input_shape(operation), "", 0)
        return operation, request

    def learn(self, answer: Any) -> None:
        """Keep the ARNs, ids and tokens of an answer, to ask for them later."""
        for name, text in _texts(answer):
            kept = self._known.setdefault(name, [])
            if text not in kept:
                kept.append(text)
                del kept[:-_KEPT_MAX]

    def _of(self, of: Shape, member: str, level: int) -> Any:
        source = self._source
        if of.name == "AttributeValue":
            return value(source)
        if of.type == "structure":
            wanted = [
                m
                for m in of.members
                if m in of.required or (level < _LEVELS_MAX and source.random() < 0.3)
            ]
            return {name: self._of(shape(of.members[name]), name, level + 1) for name in wanted}
        if of.type == "list":
            return [
                self._of(shape(of.element), member, level + 1)
                for _ in range(self._count(of, level))
            ]
        if of.type == "map":
            count = self._count(of, level)
            return {
                self._key(of): self._of(shape(of.element), member, level + 1) for _ in range(count)
            }
        return self._scalar(of, member)

    def _count(self, of: Shape, level: int) -> int:
        least = of.least or 0
        return (
            least if level >= _LEVELS_MAX else min(least + self._source.randint(0, 2), of.most or 3)
        )

    def _key(self, of: Shape) -> str:
        return self._source.choice([*self._table_names(), *PLAIN, "#n", ":v"])

    def _scalar(self, of: Shape, member: str) -> Any:
        source = self._source
        match of.type:
            case "boolean":
                return source.random() < 0.5
            case "integer" | "long":
                return source.choice([of.least or 0, of.most or 100, source.randint(0, 1000)])
            case "double" | "timestamp":
                return source.choice([0, 1_800_000_000, 1_800_000_000.5, -1])
            case "blob":
                return source.choice(["", "YQ==", "AAEC"])
            case _:
                return self._text(of, member)

    def _text(self, of: Shape, member: str) -> str:
        source = self._source
        if of.enum:
            return source.choice(of.enum)
        known = self._known.get(member) or self._known.get(of.name)
        if known and source.random() < 0.7:
            return source.choice(known)
        if "TableName" in member or "TableName" in of.name:
            return source.choice([*self._table_names(), f"fuzz-made-{source.randint(0, 5)}"])
        if "IndexName" in member:
            return source.choice(
                [index.name for table in self._tables for index in table.indexes] or ["by_nothing"]
            )
        if "Expression" in member:
            return source.choice(
                ["a = :v", "SET a = :v", "#n", "attribute_exists(a)", "a, b", "pk = :v"]
            )
        return source.choice(
            [
                *PLAIN,
                "pk",
                "bucket",
                "2012-10-17",
                "arn:aws:dynamodb:us-east-1:000000000000:table/x",
            ]
        )

    def _table_names(self) -> list[str]:
        return [table.name for table in self._tables]


def _texts(answer: Any) -> Iterator[tuple[str, str]]:
    if isinstance(answer, dict):
        for name, content in answer.items():
            if isinstance(content, str) and name.endswith(
                ("Arn", "Token", "Iterator", "Id", "Name", "Number")
            ):
                yield _asked_as(name), content
            else:
                yield from _texts(content)
    elif isinstance(answer, list):
        for element in answer[:20]:
            yield from _texts(element)


def _asked_as(name: str) -> str:
    """The member in which a request gives back what an answer held under this name."""
    same = {
        "NextShardIterator": "ShardIterator",
        "TableArn": "ResourceArn",
        "LatestStreamArn": "StreamArn",
    }
    return same.get(name, name)
