"""Which tags an asset may and must have: known ones, and one of each required type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sortkey import Store
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.model import Tag, TagType


def check_tags(store: Store, tags: Sequence[str]) -> tuple[str, ...]:
    """The tags, each once. Raises Invalid for an unknown tag, and if a required type of tags that
    has any is missing.
    """
    wanted = tuple(dict.fromkeys(tags))
    found = store.batch_get([Tag.key(tag_name=name) for name in wanted], consistent=True)
    known = {tag.tag_name for tag in found if tag is not None}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise Invalid(f"unknown tags: {', '.join(unknown[:10])}; GET /tags lists the tags")
    for type_name, names in _required(store).items():
        if not names & set(wanted):
            raise Invalid(f"an asset needs a tag of the type {type_name}: GET /tags lists them")
    return wanted


def _required(store: Store) -> dict[str, set[str]]:
    """The tags of the types that are required. A type without tags cannot be required."""
    required = {each.tag_type_name for each in store.scan(TagType) if is_required(each)}
    if not required:
        return {}
    names: dict[str, set[str]] = defaultdict(set)
    for tag in store.scan(Tag):
        type_name = tag.tag_type_name
        if type_name is not None and type_name in required:
            names[type_name].add(tag.tag_name)
    return names


def is_required(tag_type: TagType) -> bool:
    """Whether assets need a tag of this type. It is stored as the text True or False."""
    return (tag_type.required or "").lower() == "true"
