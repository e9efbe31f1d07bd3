"""Builds TMF documents from rows: fields, references, characteristics and defaults.

Pure except for reference lookups, which are made once per batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

from sortkey_systems.jobengine.sources import Batch, Row, Source
from sortkey_systems.jobengine.stages.data_migration.conversion import (
    NotConverted,
    converted,
    plain,
)
from sortkey_systems.jobengine.stages.migration_planning.etl_script import Dataset, EtlPlan
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import ReferenceMapping
from sortkey_systems.jobengine.tmf import Resource, resources

Document = dict[str, Any]
Found = dict[Any, list[str]]
"""Referenced ids by column value."""

_VALUES_IN = {
    "productSpecCharacteristic": "productSpecCharacteristicValue",
    "prodSpecCharValueUse": "productSpecCharacteristicValue",
    "specCharacteristic": "characteristicValueSpecification",
}


@dataclass(slots=True)
class Finding:
    """A problem with a value (`path`), or with a whole row (no path). Such a row is not written."""

    origin: str
    path: str
    reason: str
    value: str = ""


@dataclass(slots=True)
class Built:
    """A document, or None if the row was refused, with the problems found."""

    origin: str
    id: str
    document: Document | None
    findings: list[Finding] = field(default_factory=list[Finding])


def origin_of(table: str, position: list[Any]) -> str:
    """Identifies the source row of a document. Rows and origins correspond one to one."""
    return f"{table}:{orjson.dumps(position).decode()}"


def id_of(row: Row, dataset: Dataset) -> str | None:
    """The document id of a row, or None if part of its key is missing."""
    if not dataset.key:
        text = orjson.dumps(
            {name: plain(value) for name, value in row.items()}, option=orjson.OPT_SORT_KEYS
        )
        return dataset.id_prefix + hashlib.sha256(text).hexdigest()[:16]
    parts = [row[name] for name in dataset.key]
    if any(part is None for part in parts):
        return None
    texts = [str(plain(part)) for part in parts]
    return dataset.id_prefix + (texts[0] if len(texts) == 1 else "-".join(map(_joinable, texts)))


def _joinable(part: str) -> str:
    """Escape the joining hyphen, so that ("a-b", "c") and ("a", "b-c") stay different."""
    return part.replace("~", "~0").replace("-", "~1")


def build_batch(source: Source, plan: EtlPlan, dataset: Dataset, batch: Batch) -> list[Built]:
    """The documents of a batch. Deterministic: the same batch gives the same documents."""
    lookups = [
        (reference, *_looked_up(source, plan, dataset, reference, batch.rows))
        for reference in dataset.references
    ]
    resource = resources()[dataset.resource]
    built: list[Built] = []
    for row, position in zip(batch.rows, batch.positions, strict=True):
        origin = origin_of(dataset.table, position)
        built.append(_built(row, origin, dataset, resource, lookups))
    return built


# -- one document

Lookup = tuple[ReferenceMapping, Callable[[Row], Any], Found]


def _built(
    row: Row, origin: str, dataset: Dataset, resource: Resource, lookups: list[Lookup]
) -> Built:
    document_id = id_of(row, dataset)
    if document_id is None:
        refused = Finding(origin, "", f"the key ({', '.join(dataset.key)}) is missing")
        return Built(origin, "", None, [refused])
    document: Document = {
        "id": document_id,
        "href": f"{resource.href}/{document_id}",
        "@type": resource.name,
    }
    findings: list[Finding] = []
    for mapping in dataset.fields:
        value = row[mapping.column]
        try:
            put(document, mapping.path, converted(value, mapping, resource.name), resource)
        except NotConverted as error:
            findings.append(Finding(origin, mapping.path, str(error), str(plain(value))[:200]))
    for path, default in dataset.defaults.items():
        put(document, path, default.replace("{id}", document_id), resource)
    for mapping, value_of, lookup in lookups:
        findings += _refer(document, mapping, value_of(row), lookup, resource, origin)
    _add_characteristics(document, row, dataset, resource)
    missing = [
        attribute.path for attribute in resource.required if at(document, attribute.path) is None
    ]
    if missing:
        findings.append(Finding(origin, "", _missing(missing, dataset)))
    return Built(origin, document_id, None if missing else document, findings)


def _missing(paths: list[str], dataset: Dataset) -> str:
    """Why a row is refused. Names a column that may hold the missing value."""
    unknown = [path for path in paths if path not in dataset.undecided]
    texts = [f"{', '.join(unknown)} is required and missing"] if unknown else []
    for path in paths:
        if columns := dataset.undecided.get(path):
            texts.append(f"{path} is required, and {', '.join(columns)} was not mapped to it")
    return "; ".join(texts)


def put(document: Document, path: str, value: Any, resource: Resource) -> None:
    """Set a value by its path. In an array, the first element is set."""
    if value is None:
        return
    *heads, last = path.split(".")
    here = document
    for number, head in enumerate(heads):
        if number == 0 and head in resource.lists:
            elements: list[Document] = here.setdefault(head, [{}])
            here = elements[0]
        else:
            here = here.setdefault(head, {})
    here[last] = value


def at(document: Any, path: str) -> Any:
    """The value at a path, or None. In an array, the first element is used."""
    here = document
    for part in path.split("."):
        if isinstance(here, list):
            here = next(iter(cast("list[Any]", here)), None)
        if not isinstance(here, dict):
            return None
        here = cast("Document", here).get(part)
    return here


def _value_type(value: Any) -> str:
    if isinstance(value, int):
        return "integer"
    return "decimal" if isinstance(value, float) else "string"


def _add_characteristics(
    document: Document, row: Row, dataset: Dataset, resource: Resource
) -> None:
    where = resource.characteristics
    for name in dataset.characteristics:
        value = plain(row[name])
        if value is None or where is None:
            continue
        kind = _value_type(value)
        inner = {_VALUES_IN[where]: [{"value": value}]} if where in _VALUES_IN else {"value": value}
        document.setdefault(where, []).append({"name": name, "valueType": kind, **inner})


# -- references


def _refer(
    document: Document,
    mapping: ReferenceMapping,
    value: Any,
    lookup: Found,
    resource: Resource,
    origin: str,
) -> list[Finding]:
    ids = lookup.get(value, [])
    if mapping.kind == "own" and value is not None and not ids:
        return [
            Finding(origin, mapping.path, f"{mapping.target_table} has no such row", str(value))
        ]
    if "." not in mapping.path:
        if ids:
            document[mapping.path] = ids[0]
        return []
    targets = [_reference(reference_id, mapping) for reference_id in ids]
    if targets and mapping.many:
        document.setdefault(mapping.path.split(".")[0], []).extend(targets)
    elif targets:
        *heads, _ = mapping.path.split(".")
        put(document, ".".join(heads), targets[0], resource)
    return []


def _reference(reference_id: str, mapping: ReferenceMapping) -> Document:
    role = {"role": mapping.role} if mapping.role else {}
    href = f"{resources()[mapping.resource].href}/{reference_id}"
    return {"id": reference_id, "href": href, **role, "@referredType": mapping.resource}


def _looked_up(
    source: Source, plan: EtlPlan, dataset: Dataset, mapping: ReferenceMapping, rows: list[Row]
) -> tuple[Callable[[Row], Any], Found]:
    """Which value of a row to look up, and what each value refers to, for a whole batch."""
    target = plan.dataset(mapping.target_table)
    assert target is not None
    if mapping.kind == "own":
        column = mapping.column or ""
        values = _values(rows, column)
        key = mapping.target_column or column
        return (lambda row: row[column]), _by(source, mapping.target_table, key, values, target)
    column = dataset.key[0] if len(dataset.key) == 1 else ""
    values = _values(rows, column) if column else []
    via, via_column = mapping.via or "", mapping.via_column or ""
    if mapping.kind == "listed":
        return (lambda row: row.get(column)), _by(source, via, via_column, values, target)
    joins = source.related(via, via_column, values)
    others = _values(joins, mapping.via_target or "")
    ids = _by(source, mapping.target_table, target.key[0], others, target)
    lookup: Found = {}
    for join in joins:
        lookup.setdefault(join[via_column], []).extend(ids.get(join[mapping.via_target or ""], []))
    return (lambda row: row.get(column)), lookup


def _by(source: Source, table: str, column: str, values: list[Any], dataset: Dataset) -> Found:
    lookup: Found = {}
    for row in source.related(table, column, values) if values else ():
        document_id = id_of(row, dataset)
        # The second of two equal rows is not written, and is not referred to.
        if document_id is not None and document_id not in lookup.setdefault(row[column], []):
            lookup[row[column]].append(document_id)
    return lookup


def _values(rows: list[Row], column: str) -> list[Any]:
    return sorted({row[column] for row in rows if row[column] is not None}, key=str)
