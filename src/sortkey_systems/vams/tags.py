"""Tags for assets, and their types. A type can be required: then every asset needs a tag of it.

A tag is written together with a mark on its type, so that a type is never deleted while a tag of it
is being written.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, field_validator

from sortkey import Action, Delete, Entity, ItemKey, Put, Store, Update, attr
from sortkey.errors import ConditionFailed, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import AccessObject, TagObject, TagTypeObject, Verb
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import Tag, TagType

E = TypeVar("E", bound=Entity)

SEVERAL_MAX = 40
"""Tags or types in one request: they are written in one transaction."""
REQUIRED_MARK = " [R]"
"""What follows the name of a required type where tags are listed."""

Name = Annotated[str, Field(pattern=r"^[\w\-. ]+$", min_length=1, max_length=256)]
Description = Annotated[str, Field(min_length=1, max_length=256)]


class TagValues(BaseModel):
    """A tag. In a change, what is not given stays."""

    tagName: Name
    description: Description | None = None
    tagTypeName: Name | None = None

    @field_validator("tagTypeName", mode="before")
    @classmethod
    def _without_mark(cls, value: Any) -> Any:
        return value.removesuffix(REQUIRED_MARK) if isinstance(value, str) else value


class TagTypeValues(BaseModel):
    """A type of tags. In a change, what is not given stays."""

    tagTypeName: Name
    description: Description | None = None
    required: str | None = None

    @field_validator("required", mode="before")
    @classmethod
    def _as_stored(cls, value: Any) -> Any:
        if value is None:
            return None
        if str(value).lower() not in ("true", "false"):
            raise ValueError("must be True or False")
        return str(value).capitalize()


class Tags:
    """The tags of an installation."""

    def __init__(self, store: Store, access: Access) -> None:
        self._store, self._access = store, access

    # -- reads

    def all(self, caller: Caller) -> list[dict[str, Any]]:
        """The tags that the caller may see, as lists show them."""
        is_visible, types = self._access.filter(caller), self._types()
        return [
            _tag_answer(tag, types)
            for tag in self._store.scan(Tag)
            if is_visible(TagObject(tag.tag_name))
        ]

    def all_types(self, caller: Caller) -> list[dict[str, Any]]:
        """The types that the caller may see, each with those of its tags that the caller may
        see.
        """
        is_visible, names = self._access.filter(caller), defaultdict[str, list[str]](list)
        for tag in self._store.scan(Tag):
            if tag.tag_type_name and is_visible(TagObject(tag.tag_name)):
                names[tag.tag_type_name].append(tag.tag_name)
        return [
            _type_answer(each, sorted(names[each.tag_type_name]))
            for each in self._types().values()
            if is_visible(TagTypeObject(each.tag_type_name))
        ]

    # -- tags

    def create(self, caller: Caller, several: Sequence[TagValues]) -> None:
        """New tags: all of them or none."""
        names = _names([each.tagName for each in several])
        self._require(caller, "POST", [TagObject(name) for name in names])
        for each in several:
            if each.description is None or each.tagTypeName is None:
                raise Invalid(f"the tag {each.tagName} needs a description and a tagTypeName")
        if known := self._known([Tag.key(tag_name=name) for name in names]):
            raise Invalid(f"the tag {known[0].tag_name} already exists")
        self._write([_tag(each) for each in several], are_new=True)
        self._record(caller, "tag.create", names)

    def change(self, caller: Caller, several: Sequence[TagValues]) -> None:
        """Change tags: all of them or none. What is not given stays."""
        names = _names([each.tagName for each in several])
        self._require(caller, "PUT", [TagObject(name) for name in names])
        found = self._known([Tag.key(tag_name=name) for name in names])
        known = {tag.tag_name: tag for tag in found}
        if missing := [name for name in names if name not in known]:
            raise NotThere(f"the tag {missing[0]} does not exist")
        changed = [_changed_tag(known[each.tagName], each) for each in several]
        self._write(changed, are_new=False)
        self._record(caller, "tag.update", names)

    def delete(self, caller: Caller, tag_name: str) -> None:
        """Delete a tag. Assets that have it keep its name until they are changed."""
        found = self._store.find(Tag.key(tag_name=tag_name), consistent=True)
        if found is None:
            raise NotThere(f"the tag {tag_name} does not exist")
        self._access.require(caller, "DELETE", TagObject(tag_name))
        self._store.delete(found)
        self._record(caller, "tag.delete", [tag_name])

    def _write(self, tags: Sequence[Tag], *, are_new: bool) -> None:
        type_names = sorted({tag.tag_type_name for tag in tags if tag.tag_type_name})
        keys = [TagType.key(tag_type_name=name) for name in type_names]
        known = {each.tag_type_name for each in self._known(keys)}
        if missing := [name for name in type_names if name not in known]:
            raise NotThere(f"the tag type {missing[0]} does not exist: create it first")
        mark = attr(TagType.mark).set(secrets.token_hex(8))
        exists = attr(Tag.tag_name).exists()
        writes = [Put(tag, "create") if are_new else Put(tag, when=exists) for tag in tags]
        try:
            self._store.transact(*writes, *(Update(key, (mark,)) for key in keys))
        except TransactionFailed:
            raise Invalid("tags or types were changed at the same time: try again") from None

    # -- types

    def create_types(self, caller: Caller, several: Sequence[TagTypeValues]) -> None:
        """New types: all of them or none."""
        names = _names([each.tagTypeName for each in several])
        self._require(caller, "POST", [TagTypeObject(name) for name in names])
        for each in several:
            if each.description is None:
                raise Invalid(f"the tag type {each.tagTypeName} needs a description")
        if known := self._known([TagType.key(tag_type_name=name) for name in names]):
            raise Invalid(f"the tag type {known[0].tag_type_name} already exists")
        rows = [
            TagType(
                tag_type_name=each.tagTypeName,
                description=each.description,
                required=each.required or "False",
            )
            for each in several
        ]
        try:
            self._store.transact(*(Put(row, "create") for row in rows))
        except TransactionFailed:
            raise Invalid("a tag type of this name was created at the same time") from None
        self._record(caller, "tagtype.create", names)

    def change_types(self, caller: Caller, several: Sequence[TagTypeValues]) -> None:
        """Change types: all of them or none. What is not given stays."""
        names = _names([each.tagTypeName for each in several])
        self._require(caller, "PUT", [TagTypeObject(name) for name in names])
        updates: list[Update[TagType]] = []
        for each in several:
            actions = _type_actions(each)
            if not actions:
                raise Invalid(f"nothing to change of the tag type {each.tagTypeName}")
            updates.append(Update(TagType.key(tag_type_name=each.tagTypeName), actions))
        try:
            self._store.transact(*updates)
        except TransactionFailed:
            raise NotThere("a tag type does not exist: GET /tag-types lists them") from None
        self._record(caller, "tagtype.update", names)

    def delete_type(self, caller: Caller, tag_type_name: str) -> None:
        """Delete a type that has no tags."""
        key = TagType.key(tag_type_name=tag_type_name)
        found = self._store.find(key, consistent=True)
        if found is None:
            raise NotThere(f"the tag type {tag_type_name} does not exist")
        self._access.require(caller, "DELETE", TagTypeObject(tag_type_name))
        if any(tag.tag_type_name == tag_type_name for tag in self._store.scan(Tag)):
            raise Invalid(f"the tag type {tag_type_name} has tags: delete them first")
        mark = attr(TagType.mark)
        try:
            self._store.transact(
                Delete(key, mark.missing() if found.mark is None else mark == found.mark)
            )
        except (TransactionFailed, ConditionFailed):
            raise Invalid(
                f"the tag type {tag_type_name} was changed meanwhile: try again"
            ) from None
        self._record(caller, "tagtype.delete", [tag_type_name])

    # --

    def _types(self) -> dict[str, TagType]:
        return {each.tag_type_name: each for each in self._store.scan(TagType)}

    def _known(self, keys: Sequence[ItemKey[E]]) -> list[E]:
        found = self._store.batch_get(keys, consistent=True)
        return [each for each in found if each is not None]

    def _require(self, caller: Caller, verb: Verb, subjects: Sequence[AccessObject]) -> None:
        self._access.require(caller, verb, *subjects)

    def _record(self, caller: Caller, action: str, names: Sequence[str]) -> None:
        self._access.audit.record("ACTIONS", caller, action, f"tags/{', '.join(names)}")


def _names(names: Sequence[str]) -> Sequence[str]:
    if len(set(names)) < len(names):
        raise Invalid("a name is given twice")
    return names


def _tag(values: TagValues) -> Tag:
    return Tag(
        tag_name=values.tagName,
        description=values.description,
        tag_type_name=values.tagTypeName,
    )


def _changed_tag(tag: Tag, values: TagValues) -> Tag:
    return tag.changed(
        description=values.description or tag.description,
        tag_type_name=values.tagTypeName or tag.tag_type_name,
    )


def _type_actions(values: TagTypeValues) -> tuple[Action, ...]:
    actions: list[Action] = []
    if values.description is not None:
        actions.append(attr(TagType.description).set(values.description))
    if values.required is not None:
        actions.append(attr(TagType.required).set(values.required))
    return tuple(actions)


def _tag_answer(tag: Tag, types: Mapping[str, TagType]) -> dict[str, Any]:
    kind = types.get(tag.tag_type_name or "")
    is_required = kind is not None and kind.required == "True"
    return {
        "tagName": tag.tag_name,
        "description": tag.description or "",
        "tagTypeName": (tag.tag_type_name or "") + (REQUIRED_MARK if is_required else ""),
        "required": str(is_required),
    }


def _type_answer(kind: TagType, names: Sequence[str]) -> dict[str, Any]:
    return {
        "tagTypeName": kind.tag_type_name,
        "description": kind.description or "",
        "required": kind.required or "False",
        "tags": list(names),
    }
