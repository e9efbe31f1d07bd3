"""Rows of the sample that are there before anybody can call anything: users, roles, permissions,
buckets.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from typing import Any

from sortkey import Entity, Store
from sortkey_systems.vams import model as vams
from sortkey_systems.vams.access.control import change_mark
from sortkey_systems.vams.access.definitions import ConstraintDefinition

ENTITIES = {entity.__name__: entity for entity in vams.model.entities}
Row = dict[str, Any]
PACKAGE = "sortkey_systems.vams.sample"


def sample_document() -> Row:
    """What the sample has, as the file says it."""
    return tomllib.loads((files(PACKAGE) / "sample.toml").read_text("utf-8"))


def write_rows(store: Store, document: Row) -> None:
    """Write the rows. Doing it twice is fine."""
    rows = [ENTITIES[name](**row) for name, rows in document["rows"].items() for row in rows]
    store.batch_write([*rows, *_api_keys(document["api_keys"])])
    store.batch_write([*_constraints(document["constraints"]), change_mark().entity])


def _api_keys(keys: dict[str, Row]) -> Iterator[Entity]:
    for raw, row in keys.items():
        yield vams.ApiKey(**row, api_key_hash=sha256(raw.encode()).hexdigest())


def _constraints(rows: list[Row]) -> Iterator[Entity]:
    for row in rows:
        definition = ConstraintDefinition(
            constraintId=row["id"],
            name=row["id"],
            description=row["description"],
            objectType=row["object_type"],
            criteriaAnd=row.get("all", []),
            criteriaOr=row.get("any", []),
            groupPermissions=_permissions("groupId", row.get("groups", {}), row),
            userPermissions=_permissions("userId", row.get("users", {}), row),
        )
        yield definition.head()
        yield from definition.rows()


def _permissions(name: str, verbs: dict[str, list[str]], row: Row) -> list[Any]:
    kind = row.get("type", "allow")
    return [
        {name: principal, "permission": verb, "permissionType": kind}
        for principal, several in verbs.items()
        for verb in several
    ]
