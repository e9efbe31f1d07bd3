"""The description of a model: as plain values for programs, and as a page of text for people.
Nothing here reads or writes data.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from sortkey.model.document_descriptions import documents_of
from sortkey.model.field_descriptions import fields_of, parts_of
from sortkey.model.keys import BoundKey, BoundQuery, Declared
from sortkey.model.patterns import AccessPattern, Model
from sortkey.model.tables import GSI, LSI, Projection, Table

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

WIDTH = 100
LAST_COLUMN_MIN = 30
MANY = 100
"""How many items the second figure of a query's cost is for."""

Description = dict[str, Any]


def describe(model: Model) -> Description:
    """Everything in a model as JSON values."""
    return {
        "name": model.name,
        "doc": model.doc,
        "tables": [_table(table) for table in model.tables],
        "patterns": [_pattern(pattern) for pattern in model.patterns()],
        "documents": documents_of(model),
    }


def page(description: Description, width: int = WIDTH) -> str:
    """A description as text: tables, their entities with their access patterns, patterns over
    several entities, and search documents.
    """
    counts = [
        _count(len(description["tables"]), "table"),
        _count(
            sum(len(table["entities"]) for table in description["tables"]), "entity", "entities"
        ),
        _count(len(description["patterns"]), "access pattern"),
        *(
            [_count(len(description["documents"]), "search document")]
            if description["documents"]
            else []
        ),
    ]
    lines = [
        description["name"],
        "=" * len(description["name"]),
        *_wrapped(description["doc"], width),
        ", ".join(counts),
    ]
    own = {entity["name"] for table in description["tables"] for entity in table["entities"]}
    for table in description["tables"]:
        lines += ["", "", *_table_lines(table, width)]
        for entity in table["entities"]:
            patterns = [
                pattern
                for pattern in description["patterns"]
                if pattern["name"].startswith(f"{entity['name']}.")
            ]
            lines += ["", *_entity_lines(entity, patterns, width)]
    shared = [
        pattern
        for pattern in description["patterns"]
        if pattern["name"].partition(".")[0] not in own
    ]
    if shared:
        lines += ["", "", *_heading("More access patterns")]
        for pattern in shared:
            lines += ["", *_indented(_pattern_lines(pattern, width - 2))]
    if description["documents"]:
        lines += ["", "", *_heading("Search documents")]
        for document in description["documents"]:
            lines += ["", *_indented(_document_lines(document, width - 2))]
    return "\n".join(lines) + "\n"


def parameters_of(pattern: AccessPattern) -> Sequence[inspect.Parameter]:
    """The parameters of an access pattern, including optional ones."""
    function = pattern.function
    declared = function.declared if isinstance(function, (BoundKey, BoundQuery)) else function
    if isinstance(declared, Declared):
        return declared.parameters
    return tuple(inspect.signature(declared).parameters.values())


# -- values


def _table(table: Table) -> Description:
    return {
        "name": table.name,
        "doc": table.doc,
        "key": list(table.key),
        "types": dict(table.types),
        "indexes": [_index(table, index) for index in table.indexes],
        "ttl": table.ttl,
        "stream": table.stream,
        "point_in_time_recovery": table.pitr,
        "deletion_protection": table.deletion_protection,
        "billing": table.billing,
        "kms": table.kms,
        "entities": [_entity(entity) for entity in table.entities],
    }


def _index(table: Table, index: GSI | LSI) -> Description:
    projection: Projection | list[str] = index.projection
    return {
        "name": index.name,
        "kind": "global" if isinstance(index, GSI) else "local",
        "key": list(table.key_attributes(index.name).names),
        "projection": list(projection) if isinstance(projection, tuple) else projection,
        "doc": index.doc,
    }


def _entity(entity: type[Entity]) -> Description:
    layout = entity.__layout__
    keys = [
        {
            "index": key.index,
            "templates": {attribute: template.text for attribute, template in key.templates},
            "shards": key.shards,
        }
        for key in layout.keys.values()
    ]
    return {
        "name": entity.__name__,
        "doc": inspect.getdoc(entity) or "",
        "kind": layout.kind,
        "kind_attribute": None if layout.kind is None else layout.table.kind_attribute,
        "envelope": layout.envelope,
        "archive": layout.archive,
        "version": layout.schema_version,
        "unique": [list(group) for group in layout.unique],
        "keys": keys,
        "fields": fields_of(layout),
        "parts": parts_of(layout),
    }


def _pattern(pattern: AccessPattern) -> Description:
    description: Description = {
        "name": pattern.name,
        "arguments": [_argument(parameter) for parameter in parameters_of(pattern)],
        "doc": pattern.doc,
        "gives": pattern.entity,
    }
    try:
        one, many = pattern.explain(), pattern.explain(items=MANY)
    except Exception as error:  # the function may fail in any way with a made-up argument
        return description | {"problem": f"{type(error).__name__}: {error}"}
    cost = {str(explained.items): explained.read_units for explained in (one, many)}
    details = {name: value for name, value in asdict(one).items() if name in _EXPLAINED}
    return description | details | {"read_units": cost}


_EXPLAINED = (
    "operation",
    "table",
    "index",
    "key_condition",
    "filter",
    "projection",
    "requests",
    "item_bytes",
)


def _argument(parameter: inspect.Parameter) -> str:
    return (
        parameter.name
        if parameter.default is parameter.empty
        else f"{parameter.name}={parameter.default!r}"
    )


# -- text


def _table_lines(table: Description, width: int) -> list[str]:
    rows = [("key", _key(table["key"], table["types"]))]
    for index in table["indexes"]:
        parts = [
            _key(index["key"], table["types"]),
            f"{index['kind']}, {_projection(index['projection'])}",
            index["doc"],
        ]
        rows.append((index["name"], "; ".join(filter(None, parts))))
    rows.append(("settings", ", ".join(_settings(table))))
    return [
        *_heading(f"Table {table['name']}"),
        *_wrapped(table["doc"], width),
        *_columns(rows, width, 2),
    ]


def _settings(table: Description) -> list[str]:
    return [
        f"TTL by {table['ttl']}" if table["ttl"] else "no TTL",
        f"stream of {table['stream']}" if table["stream"] else "no stream",
        "point-in-time recovery"
        if table["point_in_time_recovery"]
        else "no point-in-time recovery",
        *(["protected from deletion"] if table["deletion_protection"] else []),
        "on demand" if table["billing"] == "PAY_PER_REQUEST" else "provisioned",
        *(
            [f"KMS key {table['kms']}" if isinstance(table["kms"], str) else "KMS"]
            if table["kms"]
            else []
        ),
    ]


def _entity_lines(entity: Description, patterns: Sequence[Description], width: int) -> list[str]:
    where = [
        f"{entity['kind_attribute']} {entity['kind']!r}" if entity["kind"] else "",
        f"fields under {entity['envelope']}" if entity["envelope"] else "",
        f"archive {entity['archive']!r}" if entity["archive"] else "",
        f"version {entity['version']}" if entity["version"] > 1 else "",
        *(f"unique {' with '.join(group)}" for group in entity["unique"]),
    ]
    notes = ", ".join(filter(None, where))
    lines = [f"  {entity['name']}" + (f" ({notes})" if notes else "")]
    lines += _indented(_wrapped(entity["doc"], width - 4), 4)
    lines += ["", *_key_lines(entity["keys"], width)]
    lines += ["", *_columns([_field_row(field) for field in entity["fields"]], width, 4)]
    for part in entity["parts"]:
        lines += [
            "",
            f"    {part['name']}",
            *_columns([_field_row(field) for field in part["fields"]], width, 6),
        ]
    for pattern in patterns:
        lines += ["", *_indented(_pattern_lines(pattern, width - 4), 4)]
    return lines


def _key_lines(keys: Sequence[Description], width: int) -> list[str]:
    """Partition and sort key side by side, or below each other if they are too long."""
    rows = [(key["index"] or "key", *key["templates"].values(), _shards(key)) for key in keys]
    beside = _columns(
        [(name, partition, " ".join(filter(None, rest))) for name, partition, *rest in rows],
        width,
        4,
    )
    if max(map(len, beside)) <= width and len(beside) == len(rows):
        return beside
    return _columns([(name, "\n".join(filter(None, rest))) for name, *rest in rows], width, 4)


def _shards(key: Description) -> str:
    return f"(shards 0 to {key['shards'] - 1})" if key["shards"] else ""


def _field_row(field: Description) -> tuple[str, str, str]:
    default = field.get("default", "None")
    facts = ", ".join(
        [field["type"], *([] if default == "None" else [f"default {default}"]), *field["notes"]]
    )
    states = [
        f"{source} → {', '.join(targets)}" for source, targets in field.get("states", {}).items()
    ]
    return (
        field["name"],
        field["path"],
        "\n".join([facts, *states, *filter(None, [field.get("doc")])]),
    )


def _pattern_lines(pattern: Description, width: int) -> list[str]:
    call = f"{pattern['name']}({', '.join(pattern['arguments'])})"
    lines = wrap(call, width, subsequent_indent=" " * 4) + _indented(
        _wrapped(pattern["doc"], width - 2)
    )
    if "problem" in pattern:
        return lines + _indented(
            _wrapped(f"cannot be explained with made-up arguments: {pattern['problem']}", width - 2)
        )
    rows = [(pattern["operation"], pattern["key_condition"])]
    rows += [(name, pattern[name]) for name in ("index", "filter") if pattern[name]]
    costs = [
        f"{units:g} for {_count(int(items), 'item')}"
        for items, units in pattern["read_units"].items()
    ]
    several = f", in {pattern['requests']} requests" if pattern["requests"] > 1 else ""
    rows.append(
        ("read units", f"{', '.join(costs)} of {pattern['item_bytes'] // 1024} KB{several}")
    )
    return lines + _columns(rows, width, 2)


def _document_lines(document: Description, width: int) -> list[str]:
    rows = [
        ("id", document["id"]),
        ("index", f"{document['index']} on OpenSearch, {document['folder']} in a folder"),
        ("made of", ", ".join(document["made_of"])),
        ("follows", ", ".join(document["follows"]) or "nothing"),
    ]
    fields = [(field["name"], field["type"], field["for"]) for field in document["fields"]]
    head = [*_indented(_wrapped(document["doc"], width - 2)), *_columns(rows, width, 2)]
    return [document["name"], *head, "", *_columns(fields, width, 2)]


def _key(names: Sequence[str], types: dict[str, str]) -> str:
    return ", ".join(f"{name} ({types[name]})" if name in types else name for name in names)


def _projection(projection: str | Sequence[str]) -> str:
    if isinstance(projection, str):
        return {"ALL": "all attributes", "KEYS_ONLY": "keys only"}[projection]
    return f"with {', '.join(projection)}"


def _heading(text: str) -> list[str]:
    return [text, "-" * len(text)]


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def _wrapped(text: str, width: int) -> list[str]:
    return [
        line
        for paragraph in text.split("\n\n")
        for line in wrap(paragraph, width, break_on_hyphens=False, break_long_words=False)
    ]


def _indented(lines: Iterable[str], by: int = 2) -> list[str]:
    return [" " * by + line if line else line for line in lines]


def _columns(rows: Sequence[tuple[str, ...]], width: int, indent: int) -> list[str]:
    """Rows in columns. The last column is wrapped, and may have several lines. In a row whose other
    cells leave no room for it, it begins on the next line.
    """
    if not rows:
        return []
    limit = width - indent - LAST_COLUMN_MIN
    narrow = [row for row in rows if sum(len(cell) + 2 for cell in row[:-1]) <= limit] or rows
    widths = [max(len(row[number]) for row in narrow) for number in range(len(rows[0]) - 1)]
    begin = indent + sum(widths) + 2 * len(widths)
    room, lines = max(width - begin, LAST_COLUMN_MIN), list[str]()
    for *cells, last in rows:
        first = " " * indent + "".join(
            f"{cell:<{size}}  " for cell, size in zip(cells, widths, strict=True)
        )
        several = [
            line for paragraph in last.split("\n") for line in _wrapped(paragraph, room)
        ] or [""]
        if len(first) > begin:
            lines.append(first.rstrip())
            first = " " * begin
        lines += [(first + several[0]).rstrip(), *(" " * begin + more for more in several[1:])]
    return lines
