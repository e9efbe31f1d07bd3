"""A model's description as a page of Markdown, for a wiki or for the repository."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Description = dict[str, Any]

PROJECTIONS = {"ALL": "all attributes", "KEYS_ONLY": "keys only"}


def markdown(model: Description) -> str:
    """The tables with their keys, indexes and settings, their entities with keys and fields, then
    all access patterns and search documents.
    """
    parts = [f"# {model['name']}", model["doc"]]
    for table in model["tables"]:
        parts += _table(table)
    if model["patterns"]:
        patterns = [_pattern(pattern) for pattern in model["patterns"]]
        parts += [
            "## Access patterns",
            _rows(("pattern", "purpose", "request", "read units"), patterns),
        ]
    if model["documents"]:
        parts.append("## Search documents")
    for document in model["documents"]:
        parts += _document(document)
    return "\n\n".join(filter(None, parts)) + "\n"


def _table(table: Description) -> list[str]:
    keys = [("table", _key(table["key"], table["types"]), "", table["doc"])]
    for index in table["indexes"]:
        projection = PROJECTIONS.get(str(index["projection"])) or _codes(index["projection"])
        keys.append(
            (
                index["name"],
                _key(index["key"], table["types"]),
                f"{index['kind']}, {projection}",
                index["doc"],
            )
        )
    settings = {
        f"TTL by `{table['ttl']}`": table["ttl"],
        f"stream of `{table['stream']}`": table["stream"],
        "point-in-time recovery": table["point_in_time_recovery"],
        "protected from deletion": table["deletion_protection"],
        "provisioned capacity": table["billing"] != "PAY_PER_REQUEST",
        "encrypted with KMS": table["kms"],
    }
    enabled = ", ".join(text for text, is_on in settings.items() if is_on)
    parts = [
        f"## Table {table['name']}",
        _rows(("index", "key", "contents", "purpose"), keys),
        f"Settings: {enabled}." if enabled else "",
    ]
    return parts + [part for entity in table["entities"] for part in _entity(entity)]


def _entity(entity: Description) -> list[str]:
    facts = [
        f"`{entity['kind_attribute']}` is `{entity['kind']}`" if entity["kind"] else "",
        f"fields are nested in `{entity['envelope']}`" if entity["envelope"] else "",
        f"the partition key of archived items ends with `{entity['archive']}`"
        if entity["archive"]
        else "",
        f"version {entity['version']}" if entity["version"] > 1 else "",
        *(f"{_codes(group)} unique" for group in entity["unique"]),
    ]
    summary = "; ".join(filter(None, facts))
    keys = [
        (
            _index(key),
            *(f"`{attribute}` = `{text}`" for attribute, text in key["templates"].items()),
        )
        for key in entity["keys"]
    ]
    parts = [f"### {entity['name']}", entity["doc"], f"Items: {summary}." if summary else ""]
    parts += [_rows(("index", "partition key", "sort key"), keys), _fields(entity["fields"])]
    return parts + [
        text
        for part in entity["parts"]
        for text in (f"#### {part['name']}", _fields(part["fields"]))
    ]


def _index(key: Description) -> str:
    return (key["index"] or "table") + (f", in {key['shards']} shards" if key["shards"] else "")


def _fields(fields: Sequence[Description]) -> str:
    rows: list[Sequence[str]] = []
    for field in fields:
        states = [
            f"{source} → {', '.join(targets)}"
            for source, targets in field.get("states", {}).items()
        ]
        default = field.get("default", "None")
        notes = [
            *([] if default == "None" else [f"default `{default}`"]),
            *map(_note, field["notes"]),
            *states,
        ]
        names = [_code(field[key]) for key in ("name", "path", "type")]
        rows.append((*names, "; ".join(notes), field.get("doc") or ""))
    return _rows(("field", "stored as", "type", "rules", "purpose"), rows)


def _note(note: str) -> str:
    """A note as Markdown. A regular expression is quoted: it may contain Markdown."""
    word, _, rest = note.partition(" ")
    return f"matches `{rest}`" if word == "matches" else note


def _pattern(pattern: Description) -> Sequence[str]:
    call = _code(f"{pattern['name']}({', '.join(pattern['arguments'])})")
    if "problem" in pattern:
        return call, pattern["doc"], "", ""
    place = f"{pattern['operation']} on {pattern['table']}" + (
        f", {pattern['index']}" if pattern["index"] else ""
    )
    condition = f", filter {_code(pattern['filter'])}" if pattern["filter"] else ""
    units = ", ".join(f"{units:g} for {items}" for items, units in pattern["read_units"].items())
    return call, pattern["doc"], f"{place}: {_code(pattern['key_condition'])}{condition}", units


def _document(document: Description) -> list[str]:
    origin = f"Id `{document['id']}`. Built from {', '.join(document['made_of'])}."
    fields = [(_code(field["name"]), field["type"], field["for"]) for field in document["fields"]]
    return [
        f"### {document['name']}",
        document["doc"],
        origin,
        _rows(("field", "type", "purpose"), fields),
    ]


def _key(names: Sequence[str], types: dict[str, str]) -> str:
    return ", ".join(
        f"`{name}` ({types[name]})" if name in types else f"`{name}`" for name in names
    )


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, without columns that are empty in every row."""
    whole = [[*map(_cell, row), *[""] * (len(head) - len(row))] for row in rows]
    filled = [number for number in range(len(head)) if any(row[number] for row in whole)]
    lines = [[head[number] for number in filled], ["---"] * len(filled)]
    lines += [[row[number] for number in filled] for row in whole]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
