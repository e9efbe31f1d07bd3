"""Pages of assets: what they cost does not grow with the database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.model import Asset, AssetVersion, Database
from sortkey_systems.vams.pages import Page, Paging
from tests.systems.vams.host import ADMIN, Requests, hosted

MANY = 2000


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("pages")) as opened:
        for name, count in (("few-assets", 60), ("many-assets", MANY)):
            opened.make_database(name)
            fill(opened, name, count)
        yield opened


def fill(requests: Requests, database_id: str, count: int) -> None:
    """Assets with a version each, written at once."""
    store = requests.service.store
    database = store.get(Database.key(database_id=database_id))
    rows: list[Any] = []
    for number in range(count):
        ids: dict[str, Any] = {"database_id": database_id, "asset_id": f"asset-{number:05}"}
        rows.append(
            Asset(
                **ids,
                asset_name=f"Pump {number}",
                description="of a test",
                tags=("pump", "hall 3"),
                bucket_id=database.default_bucket_id,
                current_version_id="0",
            )
        )
        rows.append(AssetVersion(**ids, asset_version_id="0", comment="Initial Version"))
    store.batch_write(rows)
    store.put(database.changed(asset_count=count))


class Counted:
    """A backend that counts calls and the items that they read."""

    def __init__(self, backend: Any) -> None:
        self._backend, self.calls, self.items = backend, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        answer = self._backend.call(operation, request)
        self.calls += 1
        self.items += answer.get("ScannedCount", 0)
        return answer


def page(requests: Requests, database_id: str, paging: Paging) -> Page[dict[str, Any]]:
    caller = requests.service.access.caller(ADMIN)
    found = requests.service.assets.page(caller, paging, database_id=database_id)
    return Page(requests.service.assets.answers(found.items), found.token)


def cost(requests: Requests, database_id: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    store = requests.service.store
    counted = Counted(store.backend)
    with monkeypatch.context() as patched:
        patched.setattr(store, "backend", counted)
        second = page(requests, database_id, Paging(20)).token
        page(requests, database_id, Paging(20, second))
        requests.service.databases.answers(
            requests.service.access.caller(ADMIN),
            [store.get(Database.key(database_id=database_id))],
        )
    return counted.calls, counted.items


def test_a_page_reads_as_much_of_a_large_database_as_of_a_small_one(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page that is read by a scan gets slower with every asset; so would a count.
    small_calls, small_items = cost(requests, "few-assets", monkeypatch)
    calls, read = cost(requests, "many-assets", monkeypatch)
    assert calls == small_calls
    assert read <= small_items + 64
    assert read < 200


def test_a_page_takes_little_time(requests: Requests) -> None:
    # Of the first page and of one in the middle, in milliseconds of the processor.
    middle = page(requests, "many-assets", Paging(MANY // 2)).token
    for paging in (Paging(100), Paging(100, middle)):
        assert len(page(requests, "many-assets", paging).items) == 100
        best = min(elapsed_ms(requests, paging) for _ in range(10))
        assert best < 15, best


def elapsed_ms(requests: Requests, paging: Paging) -> float:
    start = time.process_time()
    page(requests, "many-assets", paging)
    return (time.process_time() - start) * 1000


def test_assets_without_a_current_version_show_their_newest(requests: Requests) -> None:
    # Rows of other programs name none, and "10" comes after "9".
    store = requests.service.store
    store.put(Asset(database_id="few-assets", asset_id="zzz", asset_name="Foreign"))
    ids: dict[str, Any] = {"database_id": "few-assets", "asset_id": "zzz"}
    for number in (9, 10, 1):
        store.put(AssetVersion(**ids, asset_version_id=str(number), comment="of another"))
    found = page(requests, "few-assets", Paging(1000)).items[-1]
    assert found["currentVersion"]["Version"] == "10"
    assert found["bucketName"] is None
