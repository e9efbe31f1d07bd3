"""Finds where an index and its source differ, by id, version and content, and mends it. Writes may
go on meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from sortkey.errors import InvalidItem
from sortkey.model.documents import DeleteDocument, DocumentWrite, PutDocument
from sortkey.runtime.search.search import BATCH, Search
from sortkey.runtime.search.sources import Source

T = TypeVar("T")
STEP_MAX = 2**61
"""Versions have 63 bits."""


@dataclass(slots=True)
class Drift:
    """What differed, as ids of documents. `is_mended` tells whether it still does."""

    checked: int = 0
    missing: list[str] = field(default_factory=list[str])
    """In the source, not in the index."""
    stale: list[str] = field(default_factory=list[str])
    """Other in the index than in the source: older, or newer where the source was set back, or of
    other content.
    """
    orphaned: list[str] = field(default_factory=list[str])
    """In the index, not in the source, or not to be found any more."""
    unreadable: list[str] = field(default_factory=list[str])
    """What the source has and cannot read: nothing was done about it."""
    is_mended: bool = True

    @property
    def count(self) -> int:
        return len(self.missing) + len(self.stale) + len(self.orphaned)

    def __str__(self) -> str:
        told = (
            f"{len(self.missing)} missing, {len(self.stale)} stale, {len(self.orphaned)} orphaned"
        )
        rest = f", {len(self.unreadable)} unreadable" if self.unreadable else ""
        return f"{self.checked} checked: {told}{rest}" + (
            "" if self.is_mended or not self.count else ", not mended"
        )


def reconcile(
    search: Search[T],
    source: Source[T],
    *,
    mend: bool = True,
    told: Callable[[int], object] = lambda count: None,
) -> Drift:
    """Compare all of the source with all of the index; `mend=False` only reports.

    `told` hears how many documents of the source have been compared so far.
    """
    drift = Drift(is_mended=mend)
    search.refresh()
    seen: set[str] = set()
    for page in source.pages():
        drift.unreadable += page.unreadable
        drift.checked += len(page.entities)
        writes = [search.document.write_of(each) for each in page.entities]
        seen.update(write.id for write in writes)
        _compare(search, source, writes, drift)
        told(drift.checked)
    _look_for_orphans(search, source, seen, drift)
    if mend:
        search.refresh()
    return drift


def renew(search: Search[T], source: Source[T], ids: Iterable[str]) -> None:
    """Make some documents what the source says now, and delete those that it does not have any
    more.

    For handlers of changes whose documents are made of several items.
    """
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        known = search.versions_of(
            batch
        )  # before the source is read: what is newer than this stays
        writes = [search.document.write_of(each) for each in source.find(batch)]
        there = {write.id for write in writes}
        gone = [DeleteDocument(id, version + 1) for id, version in known.items() if id not in there]
        settle(search, source, [*writes, *gone])


def settle(search: Search[Any], source: Source[Any], writes: Sequence[DocumentWrite]) -> None:
    """Write what the source has said. What comes too late is asked for again: if it is still so, it
    shall be so.

    An index can know a newer version than the source has: of a delete that was undone, or before a
    restore.
    """
    late, step = search.write(writes).late, 1
    said = {write.id: write for write in writes}
    while late and step <= STEP_MAX:
        now = {write.id: write for write in map(search.document.write_of, source.find(late))}
        same = [write for id in late if (write := now.get(id)) is not None and write == said[id]]
        late = search.write(replace(write, version=write.version + step) for write in same).late
        step *= 2


def _compare(
    search: Search[Any], source: Source[Any], writes: Sequence[DocumentWrite], drift: Drift
) -> None:
    known = search.index.get([write.id for write in writes])
    mending: list[DocumentWrite] = []
    ahead: dict[str, int] = {}
    for write in writes:
        have = known.get(write.id)
        if have is None:
            if isinstance(write, PutDocument):
                drift.missing.append(write.id)
                mending.append(write)
        elif isinstance(write, DeleteDocument):
            drift.orphaned.append(write.id)
            mending.append(DeleteDocument(write.id, max(write.version, have.version + 1)))
        elif have.version > write.version:
            if have.fields != write.fields:
                ahead[write.id] = have.version
        elif have.version < write.version or have.fields != write.fields:
            drift.stale.append(write.id)
            mending.append(write)
    mending += _set_back(search, source, ahead, drift)
    if drift.is_mended:
        settle(search, source, mending)


def _set_back(
    search: Search[Any], source: Source[Any], ahead: dict[str, int], drift: Drift
) -> list[DocumentWrite]:
    """Documents that are newer than what was read: because they were written just now, or the
    source was set back.
    """
    if not ahead:
        return []
    made = [search.document.write_of(each) for each in source.find(list(ahead))]
    older = [
        each for each in made if isinstance(each, PutDocument) and each.version < ahead[each.id]
    ]
    drift.stale += [each.id for each in older]
    return [PutDocument(each.id, ahead[each.id], each.fields) for each in older]


def _look_for_orphans(
    search: Search[Any], source: Source[Any], seen: set[str], drift: Drift
) -> None:
    after: str | None = None
    while page := search.index.versions(after, BATCH):
        after = page[-1][0]
        unseen = {id: version for id, version in page if id not in seen}
        if not unseen:
            continue
        # The read was a while ago: what was made since then is there now.
        there = _there(search, source, list(unseen))
        orphans = [id for id in unseen if id not in there]
        drift.orphaned += orphans
        if drift.is_mended:
            search.write(DeleteDocument(id, unseen[id] + 1) for id in orphans)


def _there(search: Search[Any], source: Source[Any], ids: list[str]) -> set[str]:
    """Those of some ids that the source has, and shows. What it has and cannot read is
    there, too.
    """
    try:
        writes = [search.document.write_of(each) for each in source.find(ids)]
    except InvalidItem:
        return (
            set(ids)
            if len(ids) == 1
            else {id for each in ids for id in _there(search, source, [each])}
        )
    return {write.id for write in writes if isinstance(write, PutDocument)}
