"""Finds where an index and its source differ, by id, version and content, and repairs the index.
Writes may go on meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from sortkey.errors import InvalidItem
from sortkey.model.documents import DeleteDocument, DocumentWrite, PutDocument
from sortkey.runtime.search.port import IndexedDocument
from sortkey.runtime.search.search import BATCH, Search
from sortkey.runtime.search.sources import Source

T = TypeVar("T")
STEP_MAX = 2**61
"""Versions have 63 bits."""


@dataclass(slots=True)
class Drift:
    """What differed, as ids of documents. `is_repaired` is False after a run that only compared."""

    checked: int = 0
    missing: list[str] = field(default_factory=list[str])
    """In the source, not in the index."""
    stale: list[str] = field(default_factory=list[str])
    """Different in the index: an older version, another content, or a newer version than a source
    that was restored from a backup has.
    """
    orphaned: list[str] = field(default_factory=list[str])
    """In the index, but no longer in the source or no longer searchable."""
    unreadable: list[str] = field(default_factory=list[str])
    """Items of the source that cannot be read. They were skipped."""
    is_repaired: bool = True

    @property
    def count(self) -> int:
        return len(self.missing) + len(self.stale) + len(self.orphaned)

    def __str__(self) -> str:
        differences = (
            f"{len(self.missing)} missing, {len(self.stale)} stale, {len(self.orphaned)} orphaned"
        )
        rest = f", {len(self.unreadable)} unreadable" if self.unreadable else ""
        return f"{self.checked} checked: {differences}{rest}" + (
            "" if self.is_repaired or not self.count else ", not repaired"
        )


def reconcile(
    search: Search[T],
    source: Source[T],
    *,
    repair: bool = True,
    on_progress: Callable[[int], object] = lambda count: None,
) -> Drift:
    """Compare all of the source with all of the index, and repair what differs.

    With `repair=False` it only reports. `on_progress` is called with the number of documents
    compared so far.
    """
    drift = Drift(is_repaired=repair)
    search.refresh()
    seen: set[str] = set()
    for page in source.pages():
        drift.unreadable += page.unreadable
        drift.checked += len(page.entities)
        writes = [search.document.write_of(entity) for entity in page.entities]
        seen.update(write.id for write in writes)
        _compare(search, source, writes, drift)
        on_progress(drift.checked)
    _find_orphans(search, source, seen, drift)
    if repair:
        search.refresh()
    return drift


def renew(search: Search[T], source: Source[T], ids: Iterable[str]) -> None:
    """Index some documents again from the source, and delete those it no longer has.

    For change handlers whose documents are built from several items.
    """
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        # Read before the source: a document that becomes newer after this stays.
        known = search.versions_of(batch)
        writes = [search.document.write_of(entity) for entity in source.find(batch)]
        present = {write.id for write in writes}
        gone = [
            DeleteDocument(id, version + 1) for id, version in known.items() if id not in present
        ]
        settle(search, source, [*writes, *gone])


def settle(search: Search[Any], source: Source[Any], writes: Sequence[DocumentWrite]) -> None:
    """Write documents as the source has them. A write that the index rejects as outdated is read
    again; if the source still says the same, it is written with a higher version.

    An index can hold a newer version than the source after a delete was undone, or after a restore.
    """
    late, step = search.write(writes).late, 1
    first = {write.id: write for write in writes}
    while late and step <= STEP_MAX:
        now = {write.id: write for write in map(search.document.write_of, source.find(late))}
        same = [write for id in late if (write := now.get(id)) is not None and write == first[id]]
        late = search.write(replace(write, version=write.version + step) for write in same).late
        step *= 2


def _compare(
    search: Search[Any], source: Source[Any], writes: Sequence[DocumentWrite], drift: Drift
) -> None:
    """Compare a page of the source with the index. What differs is read again, because either may
    have changed since the page was read.
    """
    known = search.index.get([write.id for write in writes])
    differing = [write.id for write in writes if _differs(write, known.get(write.id))]
    if not differing:
        return
    known = search.index.get(differing)  # before the source, which is then at least as new
    fresh = {write.id: write for write in map(search.document.write_of, source.find(differing))}
    repairs = [
        repair
        for id in differing
        if (repair := _repair(id, fresh.get(id), known.get(id), drift)) is not None
    ]
    if drift.is_repaired:
        settle(search, source, repairs)


def _differs(write: DocumentWrite, have: IndexedDocument | None) -> bool:
    if have is None:
        return isinstance(write, PutDocument)
    if isinstance(write, DeleteDocument):
        return True
    return have.fields != write.fields or have.version < write.version


def _repair(
    id: str, write: DocumentWrite | None, have: IndexedDocument | None, drift: Drift
) -> DocumentWrite | None:
    """The write that makes the index agree with the source, noted as drift. None if they agree."""
    if write is None or isinstance(write, DeleteDocument):
        if have is None:
            return None
        drift.orphaned.append(id)
        return DeleteDocument(id, max(have.version + 1, write.version if write else 0))
    if not _differs(write, have):
        return None
    if have is None:
        drift.missing.append(id)
        return write
    drift.stale.append(id)
    # A newer version than the source has: the source was restored from a backup.
    return PutDocument(id, max(write.version, have.version), write.fields)


def _find_orphans(search: Search[Any], source: Source[Any], seen: set[str], drift: Drift) -> None:
    after: str | None = None
    while page := search.index.versions(after, BATCH):
        after = page[-1][0]
        unseen = {id: version for id, version in page if id not in seen}
        if not unseen:
            continue
        # The source was read a while ago. Look again for what was created since then.
        present = _present(search, source, list(unseen))
        orphans = [id for id in unseen if id not in present]
        drift.orphaned += orphans
        if drift.is_repaired:
            search.write(DeleteDocument(id, unseen[id] + 1) for id in orphans)


def _present(search: Search[Any], source: Source[Any], ids: list[str]) -> set[str]:
    """The ids that the source has and makes searchable, and those it has but cannot read."""
    try:
        writes = [search.document.write_of(entity) for entity in source.find(ids)]
    except InvalidItem:
        if len(ids) == 1:
            return set(ids)
        return {id for one in ids for id in _present(search, source, [one])}
    return {write.id for write in writes if isinstance(write, PutDocument)}
