"""The resources of a graph as a searchable list: `type:s3 surface:data exposed:true orders`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FIELDS = {
    "type": "resourceType",
    "address": "address",
    "label": "label",
    "provider": "provider",
    "surface": "threatSurface",
    "exposed": "internetExposed",
    "datastore": "datastore",
    "mode": "mode",
}


def inventory(
    graph: Mapping[str, Any], report: Mapping[str, Any] | None = None, search: str = ""
) -> list[dict[str, Any]]:
    """Rows without attributes, each with its number of findings, that match every word of the
    search.

    A word `field:part` searches one of FIELDS; any other the address, the label and the type. Case
    does not matter.
    """
    counts = _finding_counts(report)
    words = search.lower().split()
    rows = (
        {name: value for name, value in node.items() if name != "attributes"}
        for node in graph["nodes"]
    )
    return [{**row, "findings": counts.get(row["id"], 0)} for row in rows if _holds(row, words)]


def _holds(row: Mapping[str, Any], words: Sequence[str]) -> bool:
    return all(
        any(part in text for text in _texts(row, field)) for field, part in map(_split, words)
    )


def _split(word: str) -> tuple[str, str]:
    field, colon, part = word.partition(":")
    return (field, part) if colon and field in FIELDS else ("", word)


def _texts(row: Mapping[str, Any], field: str) -> Iterator[str]:
    for name in [FIELDS[field]] if field else ["address", "label", "resourceType"]:
        yield str(row[name]).lower()


def _finding_counts(report: Mapping[str, Any] | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    for finding in report["findings"] if report else ():
        for address in finding["evidence"][:1]:
            counts[address] = counts.get(address, 0) + 1
    return counts
