"""Creations at the same time, and ids."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sortkey_systems.vams.assets.values import NewAsset, asset_id_of
from sortkey_systems.vams.failures import Failure
from sortkey_systems.vams.model import Asset, AssetVersion, Database
from tests.systems.vams.host import ADMIN, Requests, hosted


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("creation")) as opened:
        yield opened


def at_once(count: int, function: Callable[[int], Any]) -> list[Any]:
    """Call a function in threads that begin together; gives results or failures."""
    results: list[Any] = [None] * count
    barrier = threading.Barrier(count)

    def run(number: int) -> None:
        barrier.wait(10)
        try:
            results[number] = function(number)
        except Failure as failure:
            results[number] = failure

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


def wanted(database_id: str, **more: Any) -> NewAsset:
    values = {"databaseId": database_id, "assetName": "Pump", "description": "of a test", **more}
    return NewAsset.model_validate(values)


def test_of_two_creations_with_one_id_one_succeeds(requests: Requests) -> None:
    # The other would replace the record, and the count would be wrong.
    requests.make_database("race")
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    for number in range(10):
        body = wanted("race", assetId=f"pump-{number}")
        results = at_once(4, lambda _, body=body: service.assets.create(caller, body))
        assert [isinstance(each, Asset) for each in results].count(True) == 1
        refused = [str(each) for each in results if not isinstance(each, Asset)]
        assert all("already exists" in each for each in refused)
    stored = service.store.get(Database.key(database_id="race"))
    assert stored.asset_count == 10
    versions = service.store.query(AssetVersion.of_asset(database_id="race", asset_id="pump-0"))
    assert [each.asset_version_id for each in versions] == ["0"]


def test_of_two_databases_with_one_bucket_one_gets_the_folder(requests: Requests) -> None:
    # Nobody sees the other's asset when both begin, but the claim of the folder decides.
    names = [requests.make_database(f"folder-{number}") for number in range(4)]
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    for number in range(10):
        results = at_once(
            4,
            lambda thread, number=number: service.assets.create(
                caller, wanted(names[thread], assetId=f"shared-{number}")
            ),
        )
        assert [isinstance(each, Asset) for each in results].count(True) == 1


def test_a_database_is_deleted_or_gets_an_asset_but_not_both(requests: Requests) -> None:
    # An asset in a database that is gone could not be found.
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    for number in range(10):
        name = requests.make_database(f"ending-{number}")
        created, deleted = at_once(
            2,
            lambda thread, name=name: (
                service.databases.delete(caller, name)
                if thread
                else service.assets.create(caller, wanted(name))
            ),
        )
        is_created = isinstance(created, Asset)
        assert is_created == isinstance(deleted, Failure)
        assert (service.databases.find(name) is not None) == is_created


@pytest.mark.parametrize("good", ["pump-p101", "x" * 256, "Pumpe 3 (neu)", "\u6f22\u5b57", "a.b"])
def test_ids_that_name_a_folder_are_taken(good: str) -> None:
    assert asset_id_of(good) == good


@pytest.mark.parametrize("bad", ["\ud800", "a\x1fb", 'a"b', "a|b", "a*b", "a?b", "<a>", " a", ""])
def test_ids_that_no_bucket_can_hold_are_refused(bad: str) -> None:
    # They come from programs, too.
    with pytest.raises(ValueError, match="asset id"):
        asset_id_of(bad)
