"""A folder of exported tables: JSON Lines for each table, and `export.json`, which has the progress
of each.

A line is `{"Item": {…}}` with DynamoDB JSON, as in AWS's exports, or the item as plain JSON. Plain
is for people and other programs: sets become lists, and binary values base64 texts.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, cast

from sortkey.errors import TransferFailed

Format = Literal["dynamodb", "plain"]
MANIFEST = "export.json"
DATA_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
_NO_DATA = re.compile(r"export\.json|import-[0-9a-f]{12}\.json|manifest-(?:files|summary)\.json")
"""What we, and AWS, write beside items. Other files may begin with the same words."""


@dataclass
class ExportedTable:
    """A table of an export. `bytes` are those of the file that are sure; `next` is where the table
    is to be read on.
    """

    name: str
    file: str
    definition: dict[str, Any]
    ttl: str | None = None
    recovery: bool = False
    items: int = 0
    bytes: int = 0
    next: dict[str, Any] | None = None
    is_done: bool = False


@dataclass
class Export:
    """What a folder holds."""

    folder: Path
    format: Format
    gzip: bool = False
    tables: list[ExportedTable] = field(default_factory=list[ExportedTable])

    @property
    def is_done(self) -> bool:
        return all(table.is_done for table in self.tables)

    def save(self) -> None:
        """Write it atomically: a second run depends on it."""
        content = {
            "version": 1,
            "format": self.format,
            "gzip": self.gzip,
            "tables": [asdict(t) for t in self.tables],
        }
        write_whole(self.folder / MANIFEST, content)


def read_export(folder: Path) -> Export | None:
    """The export in a folder, or None where there is none."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        tables = [ExportedTable(**table) for table in content["tables"]]
        return Export(folder, content["format"], content["gzip"], tables)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise TransferFailed(f"{folder / MANIFEST} cannot be read: {error}") from None


def write_whole(path: Path, content: dict[str, Any]) -> None:
    new_file = path.with_name(f"{path.name}.new")
    with open(new_file, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new_file, path)


# -- lines


def line_of(item: dict[str, Any], form: Format) -> bytes:
    import orjson

    return (
        orjson.dumps(
            {"Item": item} if form == "dynamodb" else {name: plain(v) for name, v in item.items()}
        )
        + b"\n"
    )


def plain(value: Mapping[str, Any]) -> Any:
    """An attribute value as JSON has it. Numbers keep every digit."""
    import orjson

    for kind, content in value.items():
        if kind == "N":
            return orjson.Fragment(content)
        if kind == "NULL":
            return None
        if kind == "NS":
            return [orjson.Fragment(element) for element in content]
        if kind == "L":
            return [plain(element) for element in content]
        if kind == "M":
            return {name: plain(member) for name, member in content.items()}
        return content
    return None


@dataclass(frozen=True)
class Line:
    """A line of a file, with its number."""

    path: Path
    number: int
    content: bytes

    def item(self, types: Mapping[str, str], key: Mapping[str, str]) -> dict[str, Any]:
        """The item in it, as DynamoDB JSON. It must have the key of the table."""
        try:
            parsed = _item(self.content, types)
            for name, kind in key.items():
                if kind not in parsed.get(name, ()):
                    raise ValueError(
                        f"the key attribute {name} is "
                        f"{'of another type' if name in parsed else 'missing'}"
                    )
            return parsed
        except (ValueError, TypeError) as error:
            raise TransferFailed(f"{self.path}, line {self.number}: {error}") from None


def lines_of(path: Path) -> Iterator[Line]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as file:
        for number, content in enumerate(file, 1):
            if content.strip():
                yield Line(path, number, content)


def _item(line: bytes, key_types: Mapping[str, str]) -> dict[str, Any]:
    from sortkey.errors import ModelError
    from sortkey.model.codec import encode

    read: Any = json.loads(line, parse_float=Decimal)
    if not isinstance(read, dict):
        raise ValueError("not a JSON object")
    known = cast(dict[str, Any], read)
    inner = known.get("Item")
    if known.keys() == {"Item"} and isinstance(inner, dict):
        return cast(dict[str, Any], inner)
    try:
        encoded = {name: encode(value) for name, value in known.items()}
    except ModelError as error:
        raise ValueError(str(error)) from None
    # Only for key attributes the type of a text is known.
    return {name: _typed(value, key_types.get(name)) for name, value in encoded.items()}


def _typed(value: Any, kind: str | None) -> Any:
    return {kind: next(iter(value.values()))} if kind in ("B", "N") else value


def data_files(path: Path) -> list[Path]:
    """The files of somebody else's export: one file, or all under a folder, in order. Manifests of
    AWS are left out.
    """
    if path.is_file():
        return [path]
    files = sorted(
        file for file in path.rglob("*") if file.name.endswith(DATA_SUFFIXES) and file.is_file()
    )
    return [file for file in files if not _NO_DATA.fullmatch(file.name)]
