"""Pages and their cursors: opaque, signed, bound to the query and to the tenant."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest

from sortkey import AsyncStore, Page, Store
from sortkey.errors import BadCursor, ModelError
from sortkey.runtime.store import Store as SyncStore
from tests.contract.store.models import Asset, Rule, Stage
from tests.contract.store.stores import SECRET, Awaiting


@pytest.fixture
def journey(store: Store, fresh: str) -> str:
    store.batch_write(
        [
            Rule(journey_id=fresh, rule_id=f"{n:02d}", title="odd" if n % 2 else "even")
            for n in range(11)
        ]
    )
    return fresh


def beside(store: Any, **settings: Any) -> Any:
    """Another store on the same backend: another process, or another tenant of it."""
    if isinstance(store, Awaiting):
        return Awaiting(AsyncStore(store._store.backend, **settings), store._runner)
    return SyncStore(store.backend, **settings)


def walk(store: Store, query: Any, size: int) -> list[list[str]]:
    """The ids of every page, to the end."""
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        page: Page[Rule] = store.page(query, cursor=cursor, size=size)
        pages.append([rule.rule_id for rule in page.items])
        cursor = page.cursor
        if cursor is None:
            return pages


@pytest.mark.parametrize("size", [1, 3, 10, 11, 12])
def test_pages_have_all_of_a_query_once(store: Store, journey: str, size: int) -> None:
    # Every page but the last is full, and no item is lost or given twice between them.
    pages = walk(store, Rule.of_journey(journey_id=journey), size)
    assert [rule for page in pages for rule in page] == [f"{n:02d}" for n in range(11)]
    assert all(len(page) == size for page in pages[:-1])


@pytest.mark.parametrize("size", [1, 2, 4, 5, 6])
def test_pages_behind_a_filter_are_as_full(store: Store, journey: str, size: int) -> None:
    # Whoever shows a page of five does not want to show two.
    odd = Rule.of_journey(journey_id=journey).where(Rule.title == "odd").descending()
    pages = walk(store, odd, size)
    assert [rule for page in pages for rule in page] == ["09", "07", "05", "03", "01"]
    assert all(len(page) == size for page in pages[:-1])


def test_pages_of_an_index_go_on_where_they_ended(store: Store, journey: str) -> None:
    # The position in an index has the table's key too.
    stages = [Stage(journey_id=journey, order=1, stage_id=f"{n}") for n in range(5)]
    store.batch_write(stages)
    pages = []
    cursor = None
    while True:
        page = store.page(
            Stage.in_status(journey_id=journey, status="pending"), cursor=cursor, size=2
        )
        pages.append([stage.stage_id for stage in page.items])
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(each for page in pages for each in page) == [f"{n}" for n in range(5)]


@pytest.fixture
def ranking(store: Store, fresh: str) -> str:
    """Unevenly many in three shards, and some that are equal in what orders them."""
    many = [
        Asset(database_id=fresh, asset_id=f"a{n:02d}", count=n * 7 % 20 // 2, path=f"/{n % 5}")
        for n in range(40)
    ]
    store.batch_write(many)
    return fresh


def walk_ranked(store: Store, query: Any, size: int) -> list[list[Asset]]:
    pages, cursor = list[list[Asset]](), None
    while True:
        page = store.page(query, cursor=cursor, size=size)
        pages.append(page.items)
        cursor = page.cursor
        if cursor is None:
            return pages


@pytest.mark.parametrize("size", [1, 3, 7, 13, 39, 40, 41])
def test_pages_of_a_spread_index_are_those_of_the_whole(
    store: Store, ranking: str, size: int
) -> None:
    # A web page shows a ranking; that it lies in shards is nobody's business. Full pages, one
    # order, each item once.
    for query in (
        Asset.ranked(database_id=ranking),
        Asset.ranked(database_id=ranking).descending(),
    ):
        pages = walk_ranked(store, query, size)
        assert [asset for page in pages for asset in page] == store.query(query)
        assert all(len(page) == size for page in pages[:-1])


@pytest.mark.parametrize("size", [1, 2, 5])
def test_pages_of_a_spread_index_are_full_behind_a_filter(
    store: Store, ranking: str, size: int
) -> None:
    # Shards that have nothing to show are read on, and their places kept.
    rare = Asset.ranked(database_id=ranking).between(2, 9).where(Asset.path == "/3")
    pages = walk_ranked(store, rare, size)
    assert [asset for page in pages for asset in page] == store.query(rare)
    assert [len(page) for page in pages[:-1]] == [size] * (len(pages) - 1)


def test_pages_of_a_spread_index_go_on_while_items_come_and_go(store: Store, ranking: str) -> None:
    # The cursor has a place in each shard, not a number: what is behind it is given, whatever
    # happens before it.
    query = Asset.ranked(database_id=ranking)
    first = store.page(query, size=10)
    for asset in first.items[:5]:
        store.delete(asset)
    store.put(Asset(database_id=ranking, asset_id="late", count=50))
    rest = [asset for page in walk_from(store, query, first.cursor) for asset in page]
    assert [asset.asset_id for asset in rest][-1] == "late"
    assert len({asset.asset_id for asset in rest}) == len(rest) == 31


def walk_from(store: Store, query: Any, cursor: str | None) -> list[list[Asset]]:
    pages = list[list[Asset]]()
    while cursor is not None:
        page = store.page(query, cursor=cursor, size=4)
        pages.append(page.items)
        cursor = page.cursor
    return pages


def test_a_cursor_of_a_spread_index_is_bound_to_its_query(store: Store, ranking: str) -> None:
    # With the places of all shards in it: one of another ranking would begin anywhere.
    cursor = store.page(Asset.ranked(database_id=ranking), size=4).cursor
    assert cursor is not None
    for other in (Asset.ranked(database_id="x"), Asset.ranked(database_id=ranking).descending()):
        with pytest.raises(BadCursor, match="belongs to another query"):
            store.page(other, cursor=cursor)
    with pytest.raises(BadCursor):
        store.page(Asset.ranked(database_id=ranking), cursor=forged(cursor, lambda raw: raw[:-1]))


def test_a_cursor_holds_in_another_process(store: Store, journey: str) -> None:
    # With the same secret: a web server has several of them.
    query = Rule.of_journey(journey_id=journey)
    first = store.page(query, size=4)
    again = beside(store, secret=SECRET).page(query, cursor=first.cursor, size=4)
    assert [rule.rule_id for rule in again.items] == ["04", "05", "06", "07"]


@pytest.mark.parametrize(
    "other",
    [
        lambda j: Rule.of_journey(journey_id=j + "x"),
        lambda j: Rule.of_journey(journey_id=j).descending(),
        lambda j: Rule.of_journey(journey_id=j).where(Rule.title == "odd"),
        lambda j: Rule.of_journey(journey_id=j).at_least("02"),
        lambda j: Stage.of_journey(journey_id=j),
        lambda j: Rule.by_weight(journey_id=j),
    ],
)
def test_a_cursor_of_another_query_is_refused(store: Store, journey: str, other: Any) -> None:
    # It would begin in the middle of what the caller may not even see.
    cursor = store.page(Rule.of_journey(journey_id=journey), size=4).cursor
    with pytest.raises(BadCursor, match="belongs to another query"):
        store.page(other(journey), cursor=cursor)


@pytest.mark.parametrize(
    "settings", [{"tenant": "other", "secret": SECRET}, {"secret": b"another secret"}]
)
def test_a_cursor_of_another_tenant_or_secret_is_refused(
    store: Store, journey: str, settings: dict[str, Any]
) -> None:
    # A cursor is handed to browsers, and passed on by them.
    query = Rule.of_journey(journey_id=journey)
    cursor = beside(store, **settings).page(query, size=4).cursor
    with pytest.raises(BadCursor):
        store.page(query, cursor=cursor)


def forged(cursor: str, change: Any) -> str:
    raw = bytearray(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    return urlsafe_b64encode(bytes(change(raw))).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"RULE#03", b"RULE#09"),
        lambda raw: raw[:-1],
        lambda raw: bytes(16) + raw[16:],
        lambda raw: raw[:16],
        lambda raw: raw[16:],
    ],
)
def test_a_forged_cursor_is_refused(store: Store, journey: str, change: Any) -> None:
    # The key in it can be read, but not changed.
    query = Rule.of_journey(journey_id=journey)
    cursor = store.page(query, size=4).cursor
    assert cursor is not None
    with pytest.raises(BadCursor):
        store.page(query, cursor=forged(cursor, change))


@pytest.mark.parametrize("cursor", ["", "x", "no cursor", "ü", "AAAA" * 20])
def test_what_is_no_cursor_is_refused(store: Store, journey: str, cursor: str) -> None:
    # Whatever a client sends.
    with pytest.raises(BadCursor):
        store.page(Rule.of_journey(journey_id=journey), cursor=cursor)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda store, query: store.page(query, size=0), "a page of 0 entities reads nothing"),
        (lambda store, query: store.page(query.limit(3)), "has a limit, and a page has a size"),
    ],
)
def test_a_page_that_cannot_be_meant_is_refused(
    store: Store, journey: str, ask: Any, message: str
) -> None:
    # An argument that is ignored is worse than one that is refused.
    with pytest.raises(ModelError, match=message):
        ask(store, Rule.of_journey(journey_id=journey))
