"""Indexes that stay what their table says: followed by its stream, reconciled with it, and rebuilt
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest

import sortkey
from sortkey import (
    Bool,
    Created,
    Date,
    DeleteDocument,
    Entity,
    EntitySource,
    Instant,
    Integer,
    ItemKey,
    Match,
    PutDocument,
    Search,
    Searchable,
    SearchQuery,
    SourcePage,
    Store,
    StreamWorker,
    Table,
    Text,
    Updated,
    camel,
    document,
    follow,
    key,
    reconcile,
    reindex,
    renew,
    streams_table,
)
from sortkey.runtime.search import finish_reindex, sources
from sortkey.testing import FrozenClock
from tests.contract.search_adapters import Open, adapter, open_index

__all__ = ["adapter", "open_index"]  # fixtures

articles = Table("Articles", key=("ownerId", "articleId"), stream="NEW_IMAGE")


class Article(Entity, table=articles, names=camel, archive="#deleted"):
    """What somebody wrote."""

    owner_id: str
    article_id: str
    title: str
    is_public: bool = True
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{ownerId}", "{articleId}")
    def key(*, owner_id: str, article_id: str):
        """An article of somebody."""


@document(
    Article,
    "articles",
    id="{ownerId}:{articleId}",
    fields={"title": Text(), "archived": Bool(), "updated": Date()},
)
def searchable_article(article: Article) -> Searchable:
    if not article.is_public:
        return None
    return {
        "title": article.title,
        "archived": article.in_archive,
        "updated": article.updated_at,
    }


class Clock(FrozenClock):
    """Goes on a millisecond with every look: no two writes are of one instant."""

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with sortkey.open(tmp_path / "data", clock=Clock()) as opened:
        opened.ensure(articles)
        yield opened


@pytest.fixture
def search(open_index: Open) -> Search[Article]:
    made = open_index(searchable_article)
    made.ensure()
    return made


@pytest.fixture
def source(store: Store) -> EntitySource[Article]:
    return EntitySource(store, searchable_article)


def article(number: int, title: str = "harbour", **more: Any) -> Article:
    return Article(owner_id=f"owner{number % 3}", article_id=f"a{number:04d}", title=title, **more)


def indexed(search: Search[Article]) -> dict[str, tuple[int, dict[str, Any]]]:
    search.refresh()
    return {hit.id: (hit.version, hit.fields) for hit in search.iterate()}


def documents_of(store: Store) -> dict[str, tuple[int, dict[str, Any]]]:
    """What the index should show: what the table says."""
    writes = [searchable_article.write_of(article) for article in store.scan(Article)]
    return {
        write.id: (write.version, write.fields)
        for write in writes
        if isinstance(write, PutDocument)
    }


# -- reconcile


def test_reconcile_finds_and_repairs_every_kind_of_drift(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # A worker that was down for a day, a table that was restored, a document that was deleted by
    # hand.
    stored = [store.create(article(number)) for number in range(8)]
    search.put(*stored)
    missing, stale, gone, private, ahead, *_ = stored
    search.write(
        [
            DeleteDocument(
                searchable_article.id_of(missing), searchable_article.version_of(missing) + 5
            )
        ]
    )
    store.update(
        Article.key(owner_id=stale.owner_id, article_id=stale.article_id), set={"title": "changed"}
    )
    store.delete(gone)
    store.update(
        Article.key(owner_id=private.owner_id, article_id=private.article_id),
        set={"is_public": False},
    )
    future = searchable_article.version_of(ahead) + 10**9
    search.write(
        [PutDocument(searchable_article.id_of(ahead), future, {"title": "from the future"})]
    )

    report = reconcile(search, source, repair=False)
    assert indexed(search) != documents_of(store)
    assert str(report) == "7 checked: 1 missing, 2 stale, 2 orphaned, not repaired"
    found = reconcile(search, source)
    assert (found.missing, found.stale, found.orphaned) == (
        report.missing,
        report.stale,
        report.orphaned,
    )
    assert {id: fields for id, (_, fields) in indexed(search).items()} == {
        id: fields for id, (_, fields) in documents_of(store).items()
    }
    assert reconcile(search, source).count == 0


def test_what_was_never_indexed_is_missing_and_then_it_is_not(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    for number in range(20):
        store.create(article(number))
    assert len(reconcile(search, source).missing) == 20
    assert reconcile(search, source).count == 0
    assert indexed(search) == documents_of(store)


def test_reconcile_deletes_nothing_that_was_made_while_it_read(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # The scan has passed the place, the handler has indexed it already: it is no orphan.
    store.create(article(1))

    class Busy(EntitySource[Article]):
        def pages(self, position: Any = None, /) -> Iterator[SourcePage[Article]]:
            yield from super().pages(position)
            search.put(store.create(article(2)))
            search.refresh()

    drift = reconcile(search, Busy(store, searchable_article))
    assert drift.orphaned == []
    assert indexed(search) == documents_of(store)


def test_an_archived_entity_is_found_under_the_same_id(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # It lies in another partition; its document stays where it was.
    search.put(store.create(article(1)))
    archived = store.archive(store.scan(Article)[0])
    assert [each.in_archive for each in source.find(["owner1:a0001"])] == [True]
    assert len(reconcile(search, source).stale) == 1
    assert indexed(search) == documents_of(store)
    assert search.count(Match.keyword("archived", True)) == 1
    assert archived.in_archive


def test_renew_makes_single_documents_what_the_source_says(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # For documents of several items: a handler knows the ids, and the truth is read.
    search.put(store.create(article(1)), store.create(article(2)))
    store.delete(article(1))
    store.create(article(3))
    store.put(article(2, "renewed"))
    renew(search, source, ["owner1:a0001", "owner2:a0002", "owner0:a0003", "owner9:never"])
    assert indexed(search) == documents_of(store)


def test_unreadable_items_are_named_and_the_rest_is_reconciled(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # One broken item must not keep a million others from being found.
    store.create(article(1))
    broken = {
        "ownerId": {"S": "x"},
        "articleId": {"S": "y"},
        "title": {"N": "5"},
        "isPublic": {"S": "?"},
    }
    store.backend.call("PutItem", {"TableName": "Articles", "Item": broken})
    drift = reconcile(search, source)
    assert len(drift.unreadable) == 1
    assert drift.missing == ["owner1:a0001"]


def test_what_became_unreadable_after_it_was_indexed_stays_found_and_keeps_no_other(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # It is in the source, so its document is no orphan; that of an item that is gone is.
    made = [store.create(article(number)) for number in range(1, 4)]
    search.put(*made)
    key = ItemKey.of_entity(made[0])
    broken = {**key.item, "title": {"N": "5"}, "isPublic": {"S": "?"}}
    store.backend.call("PutItem", {"TableName": key.table.name, "Item": broken})
    store.delete(made[1])
    drift = reconcile(search, source)
    assert len(drift.unreadable) == 1
    assert drift.orphaned == ["owner2:a0002"]
    assert search.query().ids == ["owner0:a0003", "owner1:a0001"]


# -- following a stream


other_articles = Table("OtherArticles", key=("ownerId", "articleId"), stream="NEW_AND_OLD_IMAGES")


class Other(Entity, table=other_articles, names=camel):
    """The same in a table whose stream shows more, without an archive."""

    owner_id: str
    article_id: str
    title: str
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{ownerId}", "{articleId}")
    def key(*, owner_id: str, article_id: str):
        """An article of somebody."""


@document(Other, "others", id="{ownerId}:{articleId}", fields={"title": Text()})
def searchable_other(other: Other) -> Searchable:
    return {"title": other.title}


def test_an_index_that_follows_a_stream_is_what_the_table_is(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # With NEW_IMAGE a delete shows only its key; the archive moves an item to another one.
    store.ensure(streams_table)
    worker = StreamWorker(store, [follow(search, source)], name="search", clock=Clock())
    for number in range(30):
        store.create(article(number))
    for number in range(0, 30, 3):
        store.put(article(number, "changed"))
    for number in range(0, 30, 5):
        store.delete(article(number))
    store.put(article(7, is_public=False))
    store.archive(store.get(Article.key(owner_id="owner2", article_id="a0008")))
    store.archive(store.get(Article.key(owner_id="owner2", article_id="a0011")))
    worker.run_until_idle()
    assert indexed(search) == documents_of(store)
    store.create(article(10, "again"))
    store.restore(store.get(Article.key(owner_id="owner2", article_id="a0008").archived()))
    worker.run_until_idle()
    assert indexed(search) == documents_of(store)
    assert len(documents_of(store)) == 24


@pytest.mark.slow
def test_a_hundred_thousand_changes_go_through_a_handler_into_the_index(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # A day of a small business, caught up with after a night: then the index is the table, and
    # nothing needs a repair.
    store.ensure(streams_table)
    for start in range(0, 60_000, 5_000):
        store.batch_write([article(number) for number in range(start, start + 5_000)])
    store.batch_write([article(number, "changed") for number in range(0, 60_000, 2)])
    gone = [article(number) for number in range(0, 60_000, 6)]
    store.batch_write(
        deletes=[
            Article.key(owner_id=article.owner_id, article_id=article.article_id)
            for article in gone
        ]
    )
    worker = StreamWorker(
        store, [follow(search, source)], name="search", clock=Clock(), batch_records=1000
    )
    assert worker.run_until_idle() == 100_000
    assert worker.dead_letters.list() == []
    search.refresh()
    assert (search.count(), search.count(Match.text("changed"))) == (50_000, 20_000)
    assert str(reconcile(search, source)) == "50000 checked: 0 missing, 0 stale, 0 orphaned"


def test_a_delete_that_is_undone_is_found_again(store: Store, open_index: Open) -> None:
    # What is put back has the version that it had: older than the delete.
    store.ensure(other_articles)
    store.ensure(streams_table)
    search: Search[Other] = open_index(searchable_other)
    search.ensure()
    source = EntitySource(store, searchable_other)
    worker = StreamWorker(store, [follow(search, source)], name="search", clock=Clock())
    first = store.create(Other(owner_id="o", article_id="a", title="harbour"))
    store.delete(first)
    worker.run_until_idle()
    assert search.get("o:a") is None
    store.put(first)
    worker.run_until_idle()
    assert search.get("o:a") is not None
    store.delete(first)
    worker.run_until_idle()
    assert search.get("o:a") is None
    store.put(first)
    assert reconcile(search, source).missing == ["o:a"]
    assert search.get("o:a") is not None


# -- rebuilding


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PAGE", 10)
    monkeypatch.setattr("sortkey.runtime.search.index_rebuild.NOTED_PAGES", 1)


class Watched(EntitySource[Article]):
    """A source that does something before each of its pages, as others would meanwhile."""

    def __init__(self, store: Store, meanwhile: Callable[[int], None]) -> None:
        super().__init__(store, searchable_article)
        self.meanwhile, self.read = meanwhile, 0

    def pages(self, position: Any = None, /) -> Iterator[SourcePage[Article]]:
        for page in super().pages(position):
            self.meanwhile(self.read)
            self.read += 1
            yield page

    def find(self, ids: Sequence[str], /) -> list[Article]:
        return super().find(ids)


@pytest.mark.usefixtures("small_pages")
def test_an_index_is_built_anew_while_it_is_searched_and_written(
    store: Store, search: Search[Article], open_index: Open
) -> None:
    # Nobody must see half an index, and no write of that time may be missing in the new one.
    search.put(*(store.create(article(number)) for number in range(50)))
    search.write([PutDocument("owner0:orphan", 1, {"title": "harbour"})])
    search.refresh()

    def meanwhile(page: int) -> None:
        assert search.count(Match.text("harbour")) >= 40
        if page < 5:
            search.put(store.create(article(100 + page, "new")))
            gone = store.delete(article(page))
            assert gone is not None
            search.write([searchable_article.removal_of(gone)])
            store.put(article(20 + page, "changed by another program"))

    done = reindex(search, Watched(store, meanwhile))
    assert done.written >= 50
    assert reconcile(search, EntitySource(store, searchable_article), repair=False).count == 0
    assert indexed(search) == documents_of(store)
    assert "owner0:orphan" not in indexed(search)
    assert indexed(open_index(searchable_article)) == documents_of(store)


@pytest.mark.usefixtures("small_pages")
def test_building_anew_goes_on_where_it_was_cut_off(
    store: Store, search: Search[Article], open_index: Open
) -> None:
    # A table of a hundred million items is not read twice because a process was stopped.
    search.put(*(store.create(article(number)) for number in range(50)))
    before = indexed(search)

    def stop(page: int) -> None:
        if page == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reindex(search, Watched(store, stop))
    assert indexed(search) == before
    search.close()
    again: Search[Article] = open_index(searchable_article)
    counted: list[int] = []
    reindex(again, EntitySource(store, searchable_article), on_progress=counted.append)
    assert counted[-1] == 20
    assert indexed(again) == documents_of(store)


@pytest.mark.usefixtures("small_pages")
def test_a_new_declaration_gets_a_new_index(
    store: Store, search: Search[Article], open_index: Open
) -> None:
    # What was indexed under other names is not there any more.
    search.put(*(store.create(article(number)) for number in range(30)))
    search.refresh()
    search.close()

    @document(
        Article,
        "articles",
        id="{ownerId}:{articleId}",
        fields={"name": Text(), "length": Integer()},
    )
    def other(article: Article) -> Searchable:
        return {"name": article.title, "length": len(article.title)}

    changed: Search[Article] = open_index(other)
    changed.ensure()
    reindex(changed, EntitySource(store, other))
    assert all(hit.fields.keys() == {"name", "length"} for hit in changed.iterate())
    page = changed.query(SearchQuery(Match.text("harbour", ["name"])).sorted_by("length"))
    assert page.total == 30
    assert page.hits[0].fields == {"name": "harbour", "length": 7}


def test_the_version_of_a_document_is_the_instant_of_its_last_write(store: Store) -> None:
    # It rises when an item is deleted and created again, which a counter does not.
    first = store.create(article(1))
    store.delete(first)
    second = store.create(article(1))
    assert searchable_article.version_of(second) > searchable_article.removal_of(first).version
    assert second.updated_at is not None
    assert second.updated_at - datetime(1970, 1, 1, tzinfo=UTC) == timedelta(
        microseconds=searchable_article.version_of(second)
    )


class Interrupted(EntitySource[Article]):
    """A source that is read once; then the program stops."""

    reads = 0

    def pages(self, position: Any = None, /) -> Iterator[Any]:
        self.reads += 1
        if self.reads > 1:
            raise KeyboardInterrupt
        return super().pages(position)


def test_a_rebuild_that_stops_before_its_last_comparison_is_finished_later(
    store: Store, search: Search[Article], source: EntitySource[Article]
) -> None:
    # The index answers by then. What changed while it was filled must still be looked for.
    store.create(article(1))
    assert finish_reindex(search, source) is None
    with pytest.raises(KeyboardInterrupt):
        reindex(search, Interrupted(store, searchable_article))
    assert search.query().ids == ["owner1:a0001"]
    store.create(article(2))
    drift = finish_reindex(search, source)
    assert drift is not None
    assert drift.missing == ["owner2:a0002"]
    assert finish_reindex(search, source) is None
