"""A whole journey as JSON, and back: METADATA, stages, rules, jobs and the catalog of reports, as
stored.

The export is `journeys/{journey_id}/backup.json` in the bucket of backups. Full logs and reports
are not included.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from sortkey import Entity, Store, Template
from sortkey.errors import (
    InvalidItem,
    ModelError,
    NotFound,
    SerializationException,
    ValidationException,
)
from sortkey.web import Refused
from sortkey_systems.jobengine import plain_items
from sortkey_systems.jobengine.buckets import Buckets, uri
from sortkey_systems.jobengine.journeys import deletion
from sortkey_systems.jobengine.model import Job, Journey, Report, Rule, Stage, StageJob
from sortkey_systems.jobengine.model import get_journey_complete as complete_journey
from sortkey_systems.jobengine.storable import NotStorable, storable

BACKUP_FILE = Template("journeys/{journey_id}/backup.json")
FORMAT = 1
NESTING_MAX = 30
KINDS: dict[str, type[Entity]] = {"stages": Stage, "rules": Rule, "jobs": Job, "reports": Report}

Complete = dict[str, Any]
"""`{"format": 1, "journey": {…}, "stages": […], "rules": […], "jobs": […], "reports": […]}`, each
as stored.
"""


class NotABackup(Refused):
    """The data is not a complete journey. The message says what is wrong."""

    status = 422


def get_journey_complete(store: Store, journey_id: str) -> Complete:
    """All of a journey but its logs, in two queries. Raises NotFound."""
    details, jobs = (store.collection(query) for query in complete_journey(journey_id))
    journey = details.one(Journey)
    if journey is None:
        raise NotFound(f"there is no journey {journey_id}")
    entities = [*details, *jobs]
    parts = {
        name: [_plain(entity) for entity in entities if isinstance(entity, kind)]
        for name, kind in KINDS.items()
    }
    return {"format": FORMAT, "journey": _plain(journey), **parts}


def import_journey_complete(
    store: Store, data: Mapping[str, Any] | str | bytes, *, replace: bool = False
) -> Journey:
    """Store a journey from `get_journey_complete`. An existing one is refused unless `replace` is
    set.

    METADATA is written last, so a listed journey is complete. Raises AlreadyExists, NotABackup,
    WrongState.
    """
    journey, rest = _read(data)
    stored = store.find(Journey.key(journey_id=journey.journey_id), consistent=True)
    if stored is not None and replace:
        deletion.delete(store, journey.journey_id)
    if stored is None or replace:
        lines = [StageJob.of(entity) for entity in rest if isinstance(entity, Job)]
        _write(store, [*rest, *lines])
    try:
        return store.create(journey)
    except (ValidationException, SerializationException) as error:
        raise NotABackup(f"its METADATA cannot be stored: {error}") from error


def export(store: Store, buckets: Buckets, journey_id: str) -> str:
    """Write the backup of a journey and return its `s3://` address. Older ones stay as versions of
    the object.
    """
    content = json.dumps(
        get_journey_complete(store, journey_id), ensure_ascii=False, indent=1
    ).encode()
    name = _file(journey_id)
    buckets.backups.put(name, content, content_type="application/json")
    return uri(buckets.backups, name)


def restore(store: Store, buckets: Buckets, journey_id: str, *, replace: bool = False) -> Journey:
    """Import the newest backup of a journey. Raises ObjectNotFound, AlreadyExists."""
    return import_journey_complete(store, buckets.backups.read(_file(journey_id)), replace=replace)


def _write(store: Store, entities: list[Entity]) -> None:
    try:
        store.batch_write(entities)
    except (
        ValidationException,
        SerializationException,
    ) as error:  # of attributes that no program here knows
        raise NotABackup(f"an item of it cannot be stored: {error}") from error


def _file(journey_id: str) -> str:
    name = BACKUP_FILE.render({"journey_id": journey_id})
    assert name is not None  # the template has one slot, and it is filled
    return name


def _plain(entity: Entity) -> dict[str, Any]:
    return plain_items.to_plain(entity.to_item())


def _read(data: Mapping[str, Any] | str | bytes) -> tuple[Journey, list[Entity]]:
    document = _storable(_parsed(data))
    if document.get("format") != FORMAT:
        raise NotABackup(f"a backup has the format {FORMAT}, not {document.get('format')!r}")
    (journey,) = _entities("journey", Journey, [document.get("journey")])
    rest = [
        entity
        for name, kind in KINDS.items()
        for entity in _entities(name, kind, document.get(name))
    ]
    others = {
        other for item in rest if (other := getattr(item, "journey_id", None)) != journey.journey_id
    }
    if others:
        raise NotABackup(
            f"the backup of {journey.journey_id} has items of {', '.join(map(str, others))}"
        )
    return journey, rest


def _parsed(data: Mapping[str, Any] | str | bytes) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    try:
        document = json.loads(data, parse_float=plain_items.number)
    except ValueError as error:
        raise NotABackup(f"a backup is JSON: {error}") from None
    if not isinstance(document, dict):
        raise NotABackup("a backup is a JSON object")
    return cast("dict[str, Any]", document)


def _storable(data: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return storable(dict(data), NESTING_MAX)
    except NotStorable as error:
        raise NotABackup(f"the backup has values that an item cannot store: {error}") from None


def _entities(name: str, kind: type[Any], items: Any) -> Iterable[Any]:
    if not isinstance(items, list):
        raise NotABackup(f"a backup has a list {name}")
    for number, item in enumerate(cast("list[Any]", items)):
        if not isinstance(item, dict):
            raise NotABackup(f"{name} {number} is not a JSON object")
        try:
            yield kind.from_item(plain_items.from_plain(cast("dict[str, Any]", item)))
        except (InvalidItem, ModelError, ValueError, TypeError) as error:
            # Only the faults of an item that is not stored: its number says which one it is.
            faults = (
                "; ".join(error.faults)
                if isinstance(error, InvalidItem) and error.faults
                else error
            )
            raise NotABackup(f"{name} {number} is not a valid {kind.__name__}: {faults}") from None
