"""A stream record as a change of an entity, with typed old and new values. Pure.

Records come from DynamoDB Streams or from AWS Lambda, which spell a few names differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from pydantic import BaseModel

from sortkey.errors import InvalidItem, ModelError
from sortkey.model.attributes import attr
from sortkey.model.queries import ItemKey
from sortkey.model.query_requests import fits, key_of
from sortkey.model.tables import StreamView
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.layout import Layout, Path

E = TypeVar("E", bound="Entity")
E_co = TypeVar("E_co", bound="Entity", covariant=True)
ChangeKind = Literal["created", "changed", "deleted"]
Record = Mapping[str, Any]

GUARD = "UNIQUE#"
"""The prefix of the keys of guard items, which are not entities."""

_KINDS: dict[str, ChangeKind] = {"INSERT": "created", "MODIFY": "changed", "REMOVE": "deleted"}
_SERVICE = "dynamodb.amazonaws.com"
_EMPTY_MAP: AttributeValue = {"M": {}}


@dataclass(frozen=True, slots=True)
class Change(Generic[E_co]):
    """One change of one entity. `old` and `new` are None if there is no such image, or the stream's
    view does not have it.

    `id` is the same whenever the same change is read. `by` is "ttl" if the service deleted an
    expired item.
    """

    entity: type[E_co]
    kind: ChangeKind
    old: E_co | None
    new: E_co | None
    at: datetime
    sequence_number: str
    id: str
    by: Literal["user", "ttl"]
    view: StreamView
    record: Record = field(repr=False, compare=False)

    @property
    def key(self) -> ItemKey[E_co]:
        return key_of(self.entity, self.record["dynamodb"]["Keys"])

    @property
    def latest(self) -> E_co | None:
        """The new image, or the old one of a deleted item. None if the view has neither."""
        return self.old if self.new is None else self.new

    def touched(self, *fields: Any) -> bool:
        """Whether one of the fields has changed: `change.touched(Asset.tags)`."""
        self._need_both()
        return any(self._value(self.old, field) != self._value(self.new, field) for field in fields)

    def became(self, field: Any, value: Any) -> bool:
        """Whether a field has this value now and did not have it before."""
        self._need_both()
        return self.new is not None and self._value(self.new, field) == value != self._value(
            self.old, field
        )

    def _need_both(self) -> None:
        if self.view != "NEW_AND_OLD_IMAGES":
            raise ModelError(
                f"the stream of {self.entity.__name__} shows {self.view}: the old values are not "
                "known. "
                'Declare its table with stream="NEW_AND_OLD_IMAGES"'
            )

    def _value(self, entity: Entity | None, field: Any) -> Any:
        at = attr(field)
        return (
            None
            if entity is None
            else _inside(getattr(entity, at.place.name), at.path[len(at.place.path) :])
        )


def _inside(value: Any, steps: Path) -> Any:
    """The value at a path inside a field, or None."""
    for step in steps:
        if isinstance(value, BaseModel):
            names = [
                name
                for name, info in type(value).model_fields.items()
                if step in (info.alias or name, name)
            ]
            value = getattr(value, names[0]) if names else (value.model_extra or {}).get(str(step))
        elif isinstance(value, Mapping):
            value = cast(Mapping[Any, Any], value).get(step)
        elif isinstance(value, Sequence) and isinstance(step, int):
            value = (
                cast(Sequence[Any], value)[step] if step < len(cast(Sequence[Any], value)) else None
            )
        else:
            return None
    return value


def change_of(entity: type[E], record: Record) -> Change[E] | None:
    """The change of an entity, or None for a record of another entity. Raises InvalidItem."""
    content = record["dynamodb"]
    old, new = _of_kind(entity, content.get("OldImage")), _of_kind(entity, content.get("NewImage"))
    if old is None and new is None and not _known_by_key(entity, content):
        return None
    return Change(
        entity=entity,
        kind=_kind(record, old, new),
        old=None if old is None else _read(entity, old),
        new=None if new is None else _read(entity, new),
        at=datetime.fromtimestamp(content["ApproximateCreationDateTime"], UTC),
        sequence_number=content["SequenceNumber"],
        id=record["eventID"],
        by="ttl" if _principal(record) == _SERVICE else "user",
        view=content["StreamViewType"],
        record=record,
    )


def _kind(record: Record, old: Item | None, new: Item | None) -> ChangeKind:
    """An item that changed its kind counts as deleted for the old kind and as created for the new
    one.
    """
    content = record["dynamodb"]
    if "OldImage" in content and "NewImage" in content:
        if old and new:
            return "changed"
        return "deleted" if old else "created"
    return _KINDS[record["eventName"]]


def _principal(record: Record) -> str | None:
    identity: Mapping[str, str] = record.get("userIdentity") or {}
    return identity.get("PrincipalId") or identity.get("principalId")


# -- whether an item is of an entity


def _of_kind(entity: type[Entity], image: Item | None) -> Item | None:
    if image is None:
        return None
    layout = entity.__layout__
    kind = image.get(layout.table.kind_attribute, {}).get("S")
    if layout.kind is not None:
        return image if kind == layout.kind else None
    nameless = [
        entity.__layout__ for entity in layout.table.entities if entity.__layout__.kind is None
    ]
    return image if kind is None and _fits_best(layout, nameless, image) else None


def _known_by_key(entity: type[Entity], content: Mapping[str, Any]) -> bool:
    """Without an image, the form of the key decides."""
    if "OldImage" in content or "NewImage" in content:
        return False
    layout = entity.__layout__
    return _fits_best(
        layout, [entity.__layout__ for entity in layout.table.entities], content["Keys"]
    )


def _fits_best(layout: Layout, others: list[Layout], item: Item) -> bool:
    """Whether the key matches this entity's template, and no other entity matches with more literal
    text.
    """
    if not fits(layout, item) or _is_guard(others, item):
        return False
    return all(_fixed_text(other) <= _fixed_text(layout) for other in others if fits(other, item))


def _is_guard(layouts: list[Layout], item: Item) -> bool:
    if not any(layout.unique for layout in layouts):
        return False
    names = layouts[0].table.key
    return all(str(item.get(name, {}).get("S", "")).startswith(GUARD) for name in names)


def _fixed_text(layout: Layout) -> int:
    return sum(len(template.skeleton.replace("{}", "")) for _, template in layout.primary.templates)


# -- images


def _read(entity: type[E], image: Item) -> E:
    try:
        return entity.from_item(image)
    except InvalidItem:
        healed: Item = _healed(image)
        if healed == image:
            raise
        return entity.from_item(healed)


def _healed(value: Any) -> Any:
    """DynamoDB Local loses the type of an empty map in a stream's image."""
    if isinstance(value, list):
        return [
            _EMPTY_MAP if element == {} else _healed(element) for element in cast(list[Any], value)
        ]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    if members == _EMPTY_MAP:
        return members
    return {
        name: _EMPTY_MAP if member == {} else _healed(member) for name, member in members.items()
    }
