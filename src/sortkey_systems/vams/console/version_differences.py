"""The lines that show what differs between two versions: the service has compared them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sortkey_systems.vams.console.json_values import Json

Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One file or one value. Sizes are texts of numbers of bytes."""

    change: Change
    subject: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Differences:
    files: list[Difference]
    metadata: list[Difference]
    unchanged_files: int


def differences(compared: Json) -> Differences:
    """The lines of an answer of compareVersions, by their subjects."""
    files, metadata = compared["files"], compared["metadata"]
    found = [
        *(Difference("added", _path(each), "", _size(each)) for each in files["added"]),
        *(Difference("removed", _path(each), _size(each), "") for each in files["removed"]),
        *(
            Difference("changed", _path(each), _size(each["from"]), _size(each["to"]))
            for each in files["changed"]
        ),
    ]
    values = [
        *(Difference("added", _subject(row), "", _value(row)) for row in metadata["added"]),
        *(Difference("removed", _subject(row), _value(row), "") for row in metadata["removed"]),
        *(
            Difference("changed", _subject(row), str(row["previousValue"]), _value(row))
            for row in metadata["changed"]
        ),
    ]
    return Differences(_sorted(found), _sorted(values), int(files["unchanged"]))


def _sorted(found: list[Difference]) -> list[Difference]:
    return sorted(found, key=lambda each: each.subject)


def _path(file: Json) -> str:
    return "/" + str(file["relativeKey"]).lstrip("/")


def _size(file: Json) -> str:
    return "" if file.get("size") is None else str(file["size"])


def _value(row: Json) -> str:
    return str(row.get("metadataValue") or "")


def _subject(row: Json) -> str:
    """`serial`, `/a.glb: author`, `/a.glb: triangles (attribute)`."""
    path = str(row.get("filePath") or "/")
    name = str(row["metadataKey"])
    kind = " (attribute)" if row.get("type") == "attribute" else ""
    return f"{name}{kind}" if path in ("", "/") else f"{path}: {name}{kind}"
