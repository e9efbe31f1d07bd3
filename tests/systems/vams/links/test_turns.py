"""Links that are written at once: together they must not make what each alone would not."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from sortkey.errors import TransactionFailed
from sortkey_systems.vams.failures import Failure, Invalid
from sortkey_systems.vams.links import service as links
from sortkey_systems.vams.links.graph import LinkGraph
from sortkey_systems.vams.links.turns import read_turn
from sortkey_systems.vams.links.values import LinkValues
from sortkey_systems.vams.model import AssetLink
from tests.systems.vams.host import ADMIN, Requests


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    barrier = Barrier(count)

    def call(number: int) -> Any:
        barrier.wait(10)
        try:
            return work(number)
        except Failure as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


def values(one: str, other: str, **more: Any) -> LinkValues:
    ids = {"fromAssetDatabaseId": "plant", "toAssetDatabaseId": "plant"}
    kind = {"relationshipType": "parentChild", **more}
    return LinkValues(**ids, fromAssetId=one, toAssetId=other, **kind)


def has_cycle(requests: Requests, asset_ids: list[str]) -> bool:
    """Whether two of the assets are above each other."""
    graph = LinkGraph(requests.service.store)
    above = {each: {name for _, name in graph.ancestors(("plant", each))} for each in asset_ids}
    return any(other in above[each] and each in above[other] for each in above for other in above)


@pytest.mark.parametrize("count", [2, 5])
def test_links_that_would_close_a_ring_together_do_not(requests: Requests, count: int) -> None:
    # Each request alone sees no cycle; all of them together would be one.
    ring = [requests.make_asset(assetName=f"Ring {number}") for number in range(count)]
    service, caller = requests.service, requests.service.access.caller(ADMIN)

    def write(number: int) -> AssetLink:
        return service.links.create(caller, values(ring[number], ring[(number + 1) % count]))

    results = at_once(count, write)
    losers = [each for each in results if isinstance(each, Failure)]
    assert [type(each) for each in losers] == [Invalid]
    assert not has_cycle(requests, ring)


def test_a_link_that_is_written_between_the_check_and_the_write_is_seen(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The moment at which two requests both find no cycle.
    one, other = requests.make_asset(), requests.make_asset()
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    check = links.check_among

    def raced(link: AssetLink, graph: LinkGraph) -> None:
        check(link, graph)
        monkeypatch.setattr(links, "check_among", check)
        service.links.create(caller, values(other, one))

    monkeypatch.setattr(links, "check_among", raced)
    with pytest.raises(Invalid):
        service.links.create(caller, values(one, other))
    assert not has_cycle(requests, [one, other])


def test_only_one_of_the_same_links_at_once_is_written(requests: Requests) -> None:
    # A double click, or a client that tries again.
    one, other = requests.make_asset(), requests.make_asset()
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    for kind in ("parentChild", "related"):
        results = at_once(
            4, lambda _, kind=kind: service.links.create(
                caller, values(one, other, relationshipType=kind)
            )
        )  # fmt: skip
        assert len([each for each in results if isinstance(each, AssetLink)]) == 1


def test_a_link_that_the_indexes_do_not_show_yet_counts(requests: Requests) -> None:
    # On AWS an index shows a new item a little later than its table.
    one, other = requests.make_asset(), requests.make_asset()
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    link = service.links.create(caller, values(one, other))
    graph = read_turn(service.store).graph

    class Blind:
        """A store whose indexes show nothing."""

        def query(self, *_: Any) -> list[Any]:
            return []

    graph._store = Blind()  # pyright: ignore
    assert graph.between(("plant", one), ("plant", other)) == [link]
    assert list(graph.ancestors(("plant", other))) == [("plant", one)]


def test_a_turn_ends_once(requests: Requests) -> None:
    # The second writer must look again.
    store = requests.service.store
    first, second = read_turn(store), read_turn(store)
    store.transact(first.end("link-a"))
    with pytest.raises(TransactionFailed):
        store.transact(second.end("link-b"))
    store.transact(read_turn(store).end("link-b"))
