"""The attributes of an item that hold the pointer of a payload field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortkey.errors import InvalidItem, ModelError
from sortkey.model.annotations import alternatives
from sortkey.model.attributes import Action, Attr
from sortkey.model.codec import decode, encode
from sortkey.model.payloads import SCHEME, Payload, Pointer, StoredIn
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.layout import Layout

PARTS = ("version_id", "size", "sha256", "encoding", "inline")
"""The parts of a pointer besides the key. The names of their attributes end with these, in the
style of the key's attribute.
"""


@dataclass(frozen=True, slots=True)
class PayloadPlace:
    """The attributes of the pointer of one field. `parts` are those besides the key, by part."""

    declared: StoredIn
    attribute: str
    parts: Mapping[str, str]

    @classmethod
    def of(cls, attribute: str, declared: StoredIn) -> PayloadPlace:
        stem = attribute.removesuffix("Key").removesuffix("_key") or attribute
        return cls(declared, attribute, {part: _beside(attribute, stem, part) for part in PARTS})

    def read(self, members: Mapping[str, AttributeValue], owner: Item | None) -> Pointer | None:
        """The pointer in an item, or in its envelope."""
        if self.attribute not in members:
            return None
        values = {
            part: decode(members[name]) for part, name in self.parts.items() if name in members
        }
        text = members[self.attribute].get("S", "")
        if self.declared.uri:
            start = f"{SCHEME}{self.declared.bucket}/"
            if not text.startswith(start):
                raise InvalidItem(
                    f"{self.attribute} is {text!r}, but should begin with {start}", dict(members)
                )
            text = text.removeprefix(start)
        return Pointer(self.declared.bucket, text, owner=owner, **values)

    def attributes(self, payload: Payload[Any] | None) -> dict[str, Any]:
        """The attributes of a pointer as plain values, None if absent."""
        if payload is None:
            return {}
        pointer = payload.pointer
        if pointer is None:
            raise ModelError(
                f"the payload of {self.attribute} is not stored yet: write the entity with a "
                "store, "
                'as in sortkey.open("data", objects="data/buckets/{bucket}").put(entity)'
            )
        text = f"{SCHEME}{self.declared.bucket}/{pointer.key}" if self.declared.uri else pointer.key
        return {self.attribute: text} | {
            name: getattr(pointer, part) for part, name in self.parts.items()
        }

    def set_action(self, field: Attr[Any], payload: Payload[Any]) -> Action:
        """The action of `set`. A store replaces it by `pointer_actions` once the value is
        stored.
        """

        def render(names: Any) -> str:
            raise ModelError(
                f"{field!r} is a payload: only a store can set it, with update() or transact()"
            )

        return Action("SET", field, render, payload, is_plain_set=True)

    def remove_action(self, field: Attr[Any]) -> Action:
        paths = [(*field.path[:-1], name) for name in (self.attribute, *self.parts.values())]
        return Action("REMOVE", field, lambda names: ", ".join(names.path(path) for path in paths))

    def pointer_actions(self, field: Attr[Any], payload: Payload[Any]) -> list[Action]:
        """Write the pointer, and remove what is left of an earlier one."""
        values, inside = self.attributes(payload), field.path[:-1]
        sets = {name: encode(value) for name, value in values.items() if value is not None}

        def render(names: Any) -> str:
            return ", ".join(
                f"{names.path((*inside, name))} = {names.value(value)}"
                for name, value in sets.items()
            )

        removes = [
            Attr[Any](field.layout, field.place, (*inside, name), None)
            for name in values
            if name not in sets
        ]
        return [
            Action("SET", field, render, payload, is_plain_set=True),
            *(remove.remove() for remove in removes),
        ]


def check_payloads(layout: Layout) -> None:
    """Raise ModelError for payload fields that cannot work."""
    name = layout.entity.__name__
    taken = {place.attribute for place in layout.places.values()} | layout.written
    for place in layout.places.values():
        is_payload = any(
            _is_payload(alternative) for alternative in alternatives(place.info.annotation)
        )
        if is_payload and place.payload is None:
            raise ModelError(
                f'{name}.{place.name}: declare where it is stored: Annotated[..., StoredIn("bucket", '
                '"key")]'
            )
        if place.payload is None:
            continue
        if not is_payload:
            raise ModelError(
                f"{name}.{place.name} is StoredIn a bucket, so its type must be Payload[...]"
            )
        for attribute in place.payload.parts.values():
            if attribute in taken:
                raise ModelError(
                    f"{name}: {attribute} belongs to the payload {place.name}: read it from there"
                )
        declared = place.payload.declared
        for slot in declared.template.names:
            if slot not in layout.by_attribute and slot not in declared.parameters:
                raise ModelError(
                    f"{name}.{place.name}: {{{slot}}} in {declared.key} is neither a field nor "
                    "one of its `parameters`"
                )


def _is_payload(annotation: Any) -> bool:
    origin = getattr(annotation, "__origin__", annotation)
    return isinstance(origin, type) and issubclass(origin, Payload)


def _beside(attribute: str, stem: str, part: str) -> str:
    if "_" in attribute:
        return f"{stem}_{part}"
    return stem + "".join(word.capitalize() for word in part.split("_"))
