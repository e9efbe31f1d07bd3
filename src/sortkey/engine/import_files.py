"""The files of an import: lines of DynamoDB JSON, or CSV, plain or gzipped, as an iterator of
records.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from sortkey.engine.tables import Table
from sortkey.errors import SortkeyError

LINE_BYTES_MAX = 16 * 1024 * 1024
"""A longer line cannot be an item, and must not fill the memory."""


class BadRecord(SortkeyError):
    """A record of a file is not an item."""


@dataclass(frozen=True)
class Record:
    """`item` returns the raw item, or raises BadRecord."""

    size: int
    item: Callable[[], dict[str, Any]]


def is_manifest(key: str) -> bool:
    """The files of an export besides its data."""
    name = key.rsplit("/", 1)[-1]
    return name == "_started" or (
        name.startswith("manifest-") and name.endswith((".json", ".md5", ".checksum"))
    )


def records(path: Path, description: dict[str, Any], table: Table) -> Iterator[Record]:
    """The records of a file, in its order."""
    zipped = description["InputCompressionType"] == "GZIP"
    with gzip.open(path, "rb") if zipped else path.open("rb") as file:
        content = cast("BinaryIO", file)
        if description["InputFormat"] == "CSV":
            options: dict[str, Any] = description.get("InputFormatOptions") or {}
            yield from _csv_records(content, options.get("Csv") or {}, table)
        else:
            yield from _json_records(content)


def _json_records(file: BinaryIO) -> Iterator[Record]:
    while line := file.readline(LINE_BYTES_MAX):
        if line.strip():
            yield Record(len(line), lambda line=line: _json_item(line))


def _json_item(line: bytes) -> dict[str, Any]:
    try:
        item = orjson.loads(line).get("Item")
    except (ValueError, AttributeError):
        item = None
    if not isinstance(item, dict):
        raise BadRecord("not a line of DynamoDB JSON with an Item")
    return cast("dict[str, Any]", item)


def _csv_records(file: BinaryIO, options: dict[str, Any], table: Table) -> Iterator[Record]:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
    rows = csv.reader(text, delimiter=options.get("Delimiter", ","))
    header: list[str] | None = options.get("HeaderList")
    for row in rows:
        if header is None:
            header = row
        elif row:
            size = sum(map(len, row)) + len(row)
            yield Record(size, lambda row=row, names=header: _csv_item(names, row, table))


def _csv_item(names: list[str], row: list[str], table: Table) -> dict[str, Any]:
    """Keys have the types of the table; everything else is text, as AWS imports it."""
    if len(row) != len(names):
        raise BadRecord(f"{len(row)} values for {len(names)} columns")
    typed = {
        name: {table.types.get(name, "S"): value} for name, value in zip(names, row, strict=True)
    }
    return {
        name: value
        for name, value in typed.items()
        if name not in table.types or value != {table.types[name]: ""}
    }
