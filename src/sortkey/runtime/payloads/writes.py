"""Writes of entities with payloads: the object first, the pointer last, and a writer that loses
leaves nothing behind.

No item shows an uploaded version until the item is written. If that write is refused, the version
is removed by its version id, so that no other writer's object is touched. If nobody knows whether
the item was written (no answer, a crash), the version stays for `sweep`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from sortkey.errors import (
    AlreadyExists,
    ClientError,
    ConditionFailed,
    ItemTooLarge,
    KeyValueError,
    ModelError,
    PreconditionFailed,
    ServiceError,
    StoreError,
    TableMissing,
    TransactionFailed,
)
from sortkey.model import fields
from sortkey.model.attributes import Action, Condition, condition
from sortkey.model.entity import Entity
from sortkey.model.layout import Layout, Place
from sortkey.model.operations import Delete, Put, PutMode, Test, Update, Write
from sortkey.model.payload_places import PayloadPlace
from sortkey.model.payloads import Payload, Pointer
from sortkey.model.queries import ItemKey
from sortkey.runtime import batches, reads, transactions, writes
from sortkey.runtime.context import Context
from sortkey.runtime.objects import check_key
from sortkey.runtime.payloads import Owner, Payloads, log
from sortkey.runtime.payloads.data import encoded
from sortkey.runtime.payloads.items import is_shown
from sortkey.runtime.steps import Steps, Work

E = TypeVar("E", bound=Entity)

REFUSED = (ConditionFailed, TransactionFailed, ItemTooLarge, ModelError, ClientError, TableMissing)
"""After these nothing was written. After any other error it may have been."""


@dataclass
class Draft:
    """The objects that one write has stored, and that no item shows yet."""

    payloads: Payloads
    stored: list[tuple[Layout, Pointer]] = field(default_factory=list[tuple[Layout, Pointer]])
    is_sent: bool = False
    owner: Owner | None = None

    def add(self, layout: Layout, pointer: Pointer) -> None:
        if pointer.inline is None:
            self.stored.append((layout, pointer))

    def discard(self, error: Exception) -> Steps[None]:
        """Remove what was stored, unless an item may show it: a retried request can be refused
        because its own first attempt succeeded."""
        if self.is_sent and not isinstance(error, REFUSED):
            return
        for layout, pointer in self.stored:
            yield from _removed(self.payloads, layout, pointer)


def put(context: Context, entity: E, mode: PutMode, when: Test) -> Steps[E]:
    """Store a whole entity with its payloads."""
    draft, layout = Draft(context.payloads), type(entity).__layout__
    once = _new_once(layout, entity)
    try:
        stored = yield from _with_pointers(context, draft, entity)
        guarded = _guarded(when, [] if mode == "create" else once)
        draft.is_sent = True
        return (yield from writes.put(context, stored, mode, guarded))
    except Exception as error:
        yield from draft.discard(error)
        if mode == "create" and isinstance(error, PreconditionFailed):
            yield from _raise_if_exists(draft, entity, error)
        _raise_if_written(layout, error, once)
        raise


def update(context: Context, operation: Update[E]) -> Steps[E]:
    """Change some fields, payloads among them."""
    draft, layout = Draft(context.payloads), operation.entity_class.__layout__
    try:
        write = yield from _updated(draft, operation)
        draft.is_sent = True
        return (yield from writes.update(context, write))
    except Exception as error:
        yield from draft.discard(error)
        _raise_if_written(layout, error, [place for place in _set_in(operation) if _is_once(place)])
        raise


def delete(context: Context, operation: Delete[E]) -> Steps[E | None]:
    """Delete an item, and then its objects. Without the buckets nothing is deleted: the objects
    would be left over.
    """
    yield from _open_buckets(context, [operation.entity_class])
    old = yield from writes.delete(context, operation)
    if old is not None:
        yield from collect(context, old)
    return old


def collect(context: Context, old: Entity) -> Steps[None]:
    """Remove the objects of a deleted item, except those that it shows again or shows in the
    archive.
    """
    layout = type(old).__layout__
    for place, _ in layout.payloads:
        payload: Payload[Any] | None = getattr(old, place.name)
        pointer = None if payload is None else payload.pointer
        if pointer is None or pointer.version_id is None or pointer.inline is not None:
            continue
        yield from _removed(context.payloads, layout, pointer)


def _removed(payloads: Payloads, layout: Layout, pointer: Pointer) -> Steps[None]:
    """Remove an object unless its item shows it. If that fails, the object is left to `sweep`."""
    try:
        is_needed = yield from is_shown(layout, pointer)
    except (StoreError, ServiceError) as error:
        log.warning(
            "%s (version %s) stays for the next sweep: %s", pointer.key, pointer.version_id, error
        )
        return
    if not is_needed:
        yield Work(partial(payloads.remove, pointer))


def transact(context: Context, operations: Sequence[Write[Any]], token: str | None) -> Steps[None]:
    """All of the writes with their payloads, or none."""
    draft = Draft(context.payloads)
    gone = yield from _to_be_deleted(
        context, [operation.key for operation in operations if isinstance(operation, Delete)]
    )
    try:
        stored_writes = list[Write[Any]]()
        for operation in operations:
            stored_writes.append((yield from _in_transaction(context, draft, operation)))
        draft.is_sent = True
        yield from transactions.transact(context, stored_writes, token=token)
    except Exception as error:
        yield from draft.discard(error)
        raise
    for old in gone:
        yield from collect(context, old)


def batch_write(
    context: Context, puts: Sequence[Entity], deletes: Sequence[ItemKey[Any]]
) -> Steps[list[Entity]]:
    """Many puts and deletes, each on its own."""
    draft = Draft(context.payloads)
    gone = yield from _to_be_deleted(context, deletes)
    try:
        entities = list[Entity]()
        for entity in puts:
            if names := [place.name for place in _new_once(type(entity).__layout__, entity)]:
                raise ModelError(
                    f"{names[0]} is written once, which a batch cannot guarantee: use create()"
                )
            entities.append((yield from _with_pointers(context, draft, entity)))
        draft.is_sent = True
        written = yield from batches.batch_write(context, entities, deletes)
    except Exception as error:
        yield from draft.discard(error)
        raise
    for old in gone:
        yield from collect(context, old)
    return written


# -- one operation


def _in_transaction(context: Context, draft: Draft, operation: Write[Any]) -> Steps[Write[Any]]:
    layout = operation.entity_class.__layout__
    if isinstance(operation, Put) and layout.payloads:
        stored = yield from _with_pointers(context, draft, operation.entity)
        when = _guarded(operation.when, _new_once(layout, operation.entity))
        return replace(operation, entity=stored, when=when)
    if isinstance(operation, Update):
        return (yield from _updated(draft, operation))
    return operation


def _with_pointers(context: Context, draft: Draft, entity: E) -> Steps[E]:
    """Store the values of an entity's payloads; the entity with pointers in their place."""
    layout = type(entity).__layout__
    if not layout.payloads:
        return entity
    created = layout.marked(fields.Created)
    if created is not None and getattr(entity, created.name) is None:
        # It may be part of the item's key, which is written on the object.
        entity = entity.changed(**{created.name: datetime.fromtimestamp(context.clock(), UTC)})
    values = entity.__pydantic_serializer__.to_python(entity, by_alias=True)
    owner = draft.owner = Owner(layout.table.name, _own_key(layout, entity))
    changes: dict[str, Any] = {}
    for place, payload_place in layout.payloads:
        payload: Payload[Any] | None = getattr(entity, place.name)
        if payload is not None:
            pointer = yield from _stored(draft, layout, payload_place, payload, values, owner)
            changes[place.name] = payload.published(pointer)
    return entity.changed(**changes) if changes else entity


def _updated(draft: Draft, operation: Update[E]) -> Steps[Update[E]]:
    layout = operation.entity_class.__layout__
    payload_places = _set_in(operation)
    if not payload_places:
        return operation
    current = yield from reads.find(operation.key, consistent=True)
    if current is None and not operation.upsert:
        raise ConditionFailed(
            f"{operation.describe()}: there is no such item; pass upsert=True to create it", None
        )
    values = _values(layout, operation, current)
    owner = Owner(layout.table.name, operation.key.item)
    actions = list[Action]()
    for action in operation.actions:
        place, payload = action.attr.place.payload, action.value
        if place is None or action.attr.place not in payload_places:
            actions.append(action)
            continue
        pointer = yield from _stored(draft, layout, place, payload, values, owner)
        actions += place.pointer_actions(action.attr, payload.published(pointer))
    once = [place for place in payload_places if _is_once(place)]
    return replace(operation, actions=tuple(actions), when=_guarded(operation.when, once))


def _stored(
    draft: Draft,
    layout: Layout,
    place: PayloadPlace,
    payload: Payload[Any],
    values: Mapping[str, Any],
    owner: Owner,
) -> Steps[Pointer]:
    """The pointer to a payload. A new value is stored first."""
    declared, pointer = place.declared, payload.pointer
    if pointer is None:
        key = check_key(declared.object_key(values, payload.parameters))
        data = yield Work(partial(encoded, payload, declared))
        match = (
            (yield from _leftover(draft.payloads, layout, place, key)) if declared.once else None
        )
        upload = partial(draft.payloads.upload, key, data, payload, declared, owner, match)
        pointer = yield Work(upload)
        draft.add(layout, pointer)
    elif pointer.owner is None or pointer.inline is not None:
        pointer = replace(pointer, owner=owner.key)
    elif pointer.owner != owner.key:
        # An item made from another one: the object of that one goes when it goes.
        key = _moved_key(place, pointer, values)
        pointer = yield Work(partial(draft.payloads.copy, pointer, key, owner))
        draft.add(layout, pointer)
    return pointer


def _leftover(
    payloads: Payloads, layout: Layout, place: PayloadPlace, key: str
) -> Steps[str | None]:
    """The ETag of what a crashed writer left under a key that is written once. Raises
    PreconditionFailed for an object that an item shows, or that no store wrote."""
    info = yield Work(partial(payloads.find, place.declared.bucket, key))
    if info is None:
        return None
    owner = Owner.of(info)
    if owner is not None:
        pointer = Pointer(place.declared.bucket, key, info.version_id, owner=owner.key)
        if owner.table == layout.table.name and not (yield from is_shown(layout, pointer)):
            return info.etag
    raise PreconditionFailed(f"{key} already exists, and is written once")


# -- pieces


def _set_in(operation: Update[Any]) -> list[Place]:
    """The payload fields that an update sets."""
    return [
        action.attr.place
        for action in operation.actions
        if action.attr.place.payload and isinstance(action.value, Payload)
    ]


def _is_once(place: Place) -> bool:
    return place.payload is not None and place.payload.declared.once


def _new_once(layout: Layout, entity: Entity) -> list[Place]:
    """The fields that are written once, and are about to be."""
    places: list[Place] = []
    for place, _ in layout.payloads:
        payload: Payload[Any] | None = getattr(entity, place.name)
        if _is_once(place) and payload is not None and payload.pointer is None:
            places.append(place)
    return places


def _guarded(when: Test, once: Sequence[Place]) -> Condition | None:
    """The condition, and that the item has no pointer where it may have only one ever."""
    test = None if when is None else condition(when)
    for place in once:
        missing = Condition(
            lambda names, place=place: f"attribute_not_exists({names.path(place.path)})", []
        )
        test = missing if test is None else test & missing
    return test


def _raise_if_written(layout: Layout, error: Exception, once: Sequence[Place]) -> None:
    """Raise the error for a condition that failed because a payload is there already."""
    item = error.item if type(error) is ConditionFailed else None
    for place in once:
        if item is not None and getattr(item, place.name) is not None:
            name = f"{layout.entity.__name__}.{place.name}"
            raise PreconditionFailed(f"{name} already exists, and is written once", item) from error


def _raise_if_exists(draft: Draft, entity: Entity, error: Exception) -> Steps[None]:
    """Raise AlreadyExists in place of an error about the payload: that is what the caller of
    create() has to know.
    """
    assert draft.owner is not None
    existing = yield from reads.find(ItemKey(type(entity), draft.owner.key, {}), consistent=True)
    if existing is not None:
        raise AlreadyExists(
            f"{Put(entity, 'create').describe()}: it exists already", existing
        ) from error


def _own_key(layout: Layout, entity: Entity) -> dict[str, Any]:
    """The item's key outside of the archive: an object stays where it is when its item is
    archived.
    """
    values = {
        name: layout.stored(name, getattr(entity, layout.by_attribute[name].name))
        for name in layout.primary.names
    }
    return dict(ItemKey.of(type(entity), values).item)


def _values(layout: Layout, operation: Update[Any], current: Entity | None) -> dict[str, Any]:
    """What is known of the item when it is updated, by attribute."""
    known: dict[str, Any] = {}
    if current is not None:
        known |= current.__pydantic_serializer__.to_python(current, by_alias=True)
    known |= operation.key.values
    for name, value in operation.assuming.items():
        attribute = layout.place(name).attribute
        known[attribute] = layout.stored(attribute, value)
    return known | {
        action.attr.place.attribute: action.value
        for action in operation.actions
        if action.is_plain_set
    }


def _moved_key(place: PayloadPlace, pointer: Pointer, values: Mapping[str, Any]) -> str:
    template = place.declared.template
    try:
        parsed = template.parse(pointer.key)
        parameters = {name: str(parsed[name]) for name in place.declared.parameters}
        return check_key(place.declared.object_key(values, parameters))
    except KeyValueError:
        return pointer.key


def _to_be_deleted(context: Context, keys: Sequence[ItemKey[Any]]) -> Steps[list[Entity]]:
    """The stored entities with payload fields that a transaction or a batch is about to delete."""
    wanted = [key for key in keys if key.entity.__layout__.payloads]
    yield from _open_buckets(context, [key.entity for key in wanted])
    entities = (yield from batches.batch_get(context, wanted, consistent=True)) if wanted else []
    return [pointer for pointer in entities if pointer is not None]


def _open_buckets(context: Context, entities: Sequence[type[Entity]]) -> Steps[None]:
    """Raises NotConfigured where the store lacks a bucket of the entities."""
    names = {
        place.declared.bucket for entity in entities for _, place in entity.__layout__.payloads
    }
    for name in sorted(names):
        yield Work(partial(context.payloads.bucket, name))
