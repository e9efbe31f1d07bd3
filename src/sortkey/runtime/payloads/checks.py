"""Compares items with objects: finds pointers to missing or changed objects, and objects without a
pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from sortkey.errors import InvalidItem, ObjectCorrupt, ObjectNotFound
from sortkey.model.expressions import Names
from sortkey.model.layout import Layout
from sortkey.model.payloads import Pointer, StoredIn
from sortkey.model.query_requests import fits
from sortkey.runtime.context import Context
from sortkey.runtime.objects import ObjectVersion
from sortkey.runtime.payloads import Owner, Payloads
from sortkey.runtime.payloads.items import is_shown, pointers
from sortkey.runtime.steps import Call, Steps, Work
from sortkey.values.attributes import Item

if TYPE_CHECKING:
    from sortkey.model.patterns import Model

FindingKind = Literal["missing", "changed", "orphaned", "unreadable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem. `item` is the key of the item that refers to the object, if any."""

    kind: FindingKind
    bucket: str
    key: str
    version_id: str | None
    detail: str
    table: str | None = None
    item: Item | None = None
    size: int | None = None


@dataclass(slots=True)
class Sweep:
    """What a sweep has removed."""

    removed: list[Finding] = field(default_factory=list[Finding])

    @property
    def bytes(self) -> int:
        return sum(finding.size or 0 for finding in self.removed)


Shown = set[tuple[str, str, str | None]]
"""(bucket, key, version) of all pointers."""


def verify(
    context: Context, model: Model, grace: timedelta, *, quick: bool
) -> Steps[list[Finding]]:
    """All problems: first of objects that items refer to, then objects without an item."""
    findings, payloads = list[Finding](), context.payloads
    check = _headed if quick else _read
    candidates = yield from _candidates(context, model, grace)
    pointers_shown: Shown = set()
    for layout in _layouts(model):
        for item in (yield from _items(layout)):
            for pointer in _pointers(layout, item, findings):
                pointers_shown.add((pointer.bucket, pointer.key, pointer.version_id))
                if pointer.inline is None:
                    findings += yield Work(partial(_checked, check, payloads, layout, pointer))
    for bucket, version in _unshown(candidates, pointers_shown):
        if not (yield from _is_needed(payloads, model, bucket, version)):
            findings.append(_orphan(bucket, version))
    return findings


def sweep(context: Context, model: Model, grace: timedelta) -> Steps[Sweep]:
    """Remove what no item shows. Objects are listed before items are read, so a pointer published
    meanwhile is seen. Items may move meanwhile, too: they are read twice, and finally the item that
    is named on the object is read."""
    done, payloads = Sweep(), context.payloads
    left = yield from _candidates(context, model, grace)
    for _ in range(2):
        left = list(_unshown(left, (yield from _pointers_of_items(model)))) if left else []
    for bucket, version in left:
        if not (yield from _is_needed(payloads, model, bucket, version)):
            yield Work(partial(payloads.remove, Pointer(bucket, version.key, version.version_id)))
            done.removed.append(_orphan(bucket, version))
    return done


def _pointers_of_items(model: Model) -> Steps[Shown]:
    pointers_shown: Shown = set()
    for layout in _layouts(model):
        for item in (yield from _items(layout)):
            pointers_shown |= {
                (pointer.bucket, pointer.key, pointer.version_id)
                for pointer in _pointers(layout, item, [])
            }
    return pointers_shown


# -- items


def _layouts(model: Model) -> list[Layout]:
    return [entity.__layout__ for entity in model.entities if entity.__layout__.payloads]


def _items(layout: Layout) -> Steps[list[Item]]:
    """The key and the pointers of every item of an entity that has a pointer."""
    names, table = Names(), layout.table
    tests = [f"attribute_exists({names.path(place.path)})" for place, _ in layout.payloads]
    paths = [(name,) for name in {*table.key, table.kind_attribute}]
    for place, payload in layout.payloads:
        paths += [(*place.path[:-1], name) for name in (payload.attribute, *payload.parts.values())]
    request: dict[str, Any] = {"TableName": table.name, "ConsistentRead": True}
    request["FilterExpression"] = " OR ".join(tests)
    request["ProjectionExpression"] = ", ".join(names.path(path) for path in paths)
    names.put_into(request)
    items: list[Item] = []
    while True:
        answer = yield Call("Scan", request, f"{layout.entity.__name__}.payloads")
        items += [item for item in answer["Items"] if _is_of(layout, item)]
        if answer.get("LastEvaluatedKey") is None:
            return items
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _is_of(layout: Layout, item: Item) -> bool:
    kind = item.get(layout.table.kind_attribute, {}).get("S")
    return kind == layout.kind if layout.kind is not None else fits(layout, item)


def _pointers(layout: Layout, item: Item, findings: list[Finding]) -> list[Pointer]:
    try:
        return pointers(layout, item)
    except InvalidItem as error:
        key = layout.key_in(item)
        findings.append(Finding("unreadable", "", "", None, str(error), layout.table.name, key))
        return []


# -- objects that items show

Check = Callable[[Payloads, Pointer], str | None]
"""Returns what is wrong with an object, or None. Raises ObjectNotFound and ObjectCorrupt."""


def _checked(check: Check, payloads: Payloads, layout: Layout, pointer: Pointer) -> list[Finding]:
    def finding(kind: FindingKind, detail: str) -> list[Finding]:
        at = (pointer.bucket, pointer.key, pointer.version_id)
        return [Finding(kind, *at, detail, layout.table.name, pointer.owner, pointer.size)]

    try:
        wrong = check(payloads, pointer)
    except ObjectNotFound as error:
        return finding("missing", str(error))
    except ObjectCorrupt as error:
        return finding("changed", str(error))
    return [] if wrong is None else finding("changed", wrong)


def _headed(payloads: Payloads, pointer: Pointer) -> str | None:
    info = payloads.bucket(pointer.bucket).head(pointer.key, pointer.version_id)
    if pointer.size is not None and pointer.size != info.size:
        return f"it has {info.size:,} bytes, but the item says {pointer.size:,}"
    if None not in (pointer.sha256, info.sha256) and pointer.sha256 != info.sha256:
        return f"its SHA-256 is {info.sha256}, but the item says {pointer.sha256}"
    return None


def _read(payloads: Payloads, pointer: Pointer) -> str | None:
    with payloads.reader(pointer) as reader:
        if pointer.size is not None and pointer.size != reader.info.size:
            return f"it has {reader.info.size:,} bytes, but the item says {pointer.size:,}"
        for _ in reader:
            pass
    return None


# -- objects that no item shows


def _candidates(
    context: Context, model: Model, grace: timedelta
) -> Steps[list[tuple[str, ObjectVersion]]]:
    """Versions under the keys of payload fields that are old enough to have a pointer."""
    before = datetime.fromtimestamp(context.clock(), UTC) - grace
    declared = [payload.declared for layout in _layouts(model) for _, payload in layout.payloads]
    candidates: list[tuple[str, ObjectVersion]] = []
    for bucket in dict.fromkeys(place.bucket for place in declared):
        of_bucket = [place for place in declared if place.bucket == bucket]
        listed: list[ObjectVersion] = yield Work(
            partial(_listed, context.payloads, bucket, of_bucket, before)
        )
        candidates += [(bucket, version) for version in listed]
    return candidates


def _listed(
    payloads: Payloads, bucket: str, declared: Sequence[StoredIn], before: datetime
) -> list[ObjectVersion]:
    versions: dict[tuple[str, str], ObjectVersion] = {}
    for prefix in {place.template.literal_prefix for place in declared}:
        for version in payloads.bucket(bucket).versions(prefix):
            if version.is_marker or version.modified_at > before:
                continue
            if any(place.template.matches(version.key) for place in declared):
                versions[version.key, version.version_id] = version
    return list(versions.values())


def _unshown(
    candidates: Sequence[tuple[str, ObjectVersion]], pointers_shown: Shown
) -> Iterator[tuple[str, ObjectVersion]]:
    """A pointer without a version shows whatever is under its key."""
    for bucket, version in candidates:
        if not pointers_shown & {
            (bucket, version.key, version.version_id),
            (bucket, version.key, None),
        }:
            yield bucket, version


def _is_needed(
    payloads: Payloads, model: Model, bucket: str, version: ObjectVersion
) -> Steps[bool]:
    """Whether the item that is named on an object shows it after all, or the object is already
    gone.
    """
    try:
        info = yield Work(partial(payloads.bucket(bucket).head, version.key, version.version_id))
    except ObjectNotFound:
        return True
    owner = Owner.of(info)
    if owner is None:
        return False
    for layout in _layouts(model):
        pointer = Pointer(bucket, version.key, version.version_id, owner=owner.key)
        if layout.table.name == owner.table and (yield from is_shown(layout, pointer)):
            return True
    return False


def _orphan(bucket: str, version: ObjectVersion) -> Finding:
    detail = f"no item shows it; written {version.modified_at:%Y-%m-%d %H:%M:%S}Z"
    return Finding("orphaned", bucket, version.key, version.version_id, detail, size=version.size)
