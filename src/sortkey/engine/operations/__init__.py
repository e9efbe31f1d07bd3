"""All operations by their name on the wire. Each is the `run` of the module with its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from sortkey.engine.answers import Answer

Run = Callable[[Any, dict[str, Any]], Answer]


class Operations(Mapping[str, Run]):
    """Imports `PutItem` from put_item.py when it is first used, so that a server starts without
    loading them all.
    """

    def __getitem__(self, name: str) -> Run:
        if name not in self._files():
            raise KeyError(name)
        return _load(self._files()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    @staticmethod
    @cache
    def _files() -> dict[str, str]:
        return {_wire_name(module.name): module.name for module in iter_modules(__path__)}


@cache
def _load(file: str) -> Run:
    return import_module(f"{__name__}.{file}").run


def _wire_name(file: str) -> str:
    return re.sub(r"(?:^|_)(\w)", lambda match: match[1].upper(), file)


OPERATIONS: Mapping[str, Run] = Operations()
STREAM_OPERATIONS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
"""The operations that AWS has in a separate service."""

_READS = ("BatchGet", "Describe", "Get", "List", "Query", "Scan", "TransactGet")


@cache
def only_reads(name: str) -> bool:
    """Whether an operation only reads. PartiQL's may do either, and count as writes."""
    return name.startswith(_READS)
