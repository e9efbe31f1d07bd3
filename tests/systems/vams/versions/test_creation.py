"""Creating versions: several at once, interrupted ones, and assets that another program wrote."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from sortkey_systems.vams.failures import Conflict, Failure, Invalid, NotThere
from sortkey_systems.vams.model import Asset, AssetFileVersion, AssetVersion
from sortkey_systems.vams.versions.creation import PUBLISH_SECONDS_MAX, NewVersion, VersionWriter
from sortkey_systems.vams.versions.records import VersionRecords
from sortkey_systems.vams.versions.values import VersionChange, VersionValues
from tests.systems.vams.host import ADMIN, Requests


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Results of calls that begin together. Errors of the domain are results."""
    barrier = Barrier(count)

    def call(number: int) -> Any:
        barrier.wait(10)
        try:
            return work(number)
        except Failure as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


def stored_asset(requests: Requests, asset_id: str) -> Asset:
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    return asset


def ids(asset_id: str) -> dict[str, Any]:
    return {"database_id": "plant", "asset_id": asset_id}


def test_versions_that_are_created_at_once_get_different_numbers(requests: Requests) -> None:
    # The original gives both the same number, and one replaces the other.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/pump.glb")
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    wanted = VersionValues(comment="at once")
    created = at_once(8, lambda _: service.versions.create(caller, "plant", asset_id, wanted))
    numbers = sorted(int(each.version.asset_version_id) for each in created)
    assert numbers == list(range(1, 9))
    for number in numbers:
        files = AssetFileVersion.of_version(**ids(asset_id), asset_version_id=str(number))
        assert len(service.store.query(files)) == 1
    assert stored_asset(requests, asset_id).current_version_id == "8"


def test_one_of_two_versions_with_the_same_alias_is_refused_also_at_once(
    requests: Requests,
) -> None:
    # An alias that two versions have names neither.
    asset_id = requests.make_asset()
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    service.versions.create(caller, "plant", asset_id, VersionValues(comment="first"))

    def write(number: int) -> Any:
        if number % 2:
            wanted = VersionValues(comment="at once", versionAlias="RC1")
            return service.versions.create(caller, "plant", asset_id, wanted)
        change = VersionChange(versionAlias="RC1")
        version = "0" if number % 4 else "1"
        return service.versions.change(caller, "plant", asset_id, version, change)

    results = at_once(6, write)
    assert {type(each) for each in results if isinstance(each, Failure)} == {Invalid}
    versions = service.store.query(AssetVersion.of_asset(**ids(asset_id)))
    assert len([each for each in versions if each.version_alias == "RC1"]) == 1
    known = {each.asset_version_id for each in versions}
    rows = service.store.query(AssetFileVersion.of_asset(**ids(asset_id)))
    assert {row.asset_version_id for row in rows} <= known


def test_an_alias_that_is_set_between_the_check_and_the_write_is_seen(requests: Requests) -> None:
    # The moment at which two requests both find the alias unused.
    asset_id = requests.make_asset()
    store = requests.service.store
    records = VersionRecords(store)
    asset = stored_asset(requests, asset_id)
    first = records.get(asset, "0")

    class Raced(VersionWriter):
        """Another request sets the alias right after the last check before the write."""

        checks = 0

        def _check_alias(self, asset: Asset, alias: str | None, own_id: str | None) -> None:
            super()._check_alias(asset, alias, own_id)
            self.checks += 1
            if self.checks == 2:  # the first is before any row is written
                VersionWriter(store, records).change(asset, first, comment=None, alias="RC1")

    with pytest.raises(Invalid):
        Raced(store, records).create(asset, NewVersion("second", "RC1", "ada", []))
    named = [each.asset_version_id for each in records.all(asset) if each.version_alias == "RC1"]
    assert named == ["0"]


def test_the_current_version_is_the_one_with_the_highest_number(requests: Requests) -> None:
    # Version 1 has many files and is published after version 2.
    asset_id = requests.make_asset()
    store = requests.service.store
    records = VersionRecords(store)

    class Late(VersionWriter):
        """Publishes after another version was created."""

        def _publish(self, asset: Asset, version: AssetVersion) -> None:
            VersionWriter(store, records).create(asset, NewVersion("second", None, "ada", []))
            super()._publish(asset, version)

    asset = stored_asset(requests, asset_id)
    late = Late(store, records).create(asset, NewVersion("first", None, "ada", []))
    assert late.asset_version_id == "1"
    assert stored_asset(requests, asset_id).current_version_id == "2"
    listed = requests("GET", f"/database/plant/assets/{asset_id}/getVersions").json()["versions"]
    assert [each["Version"] for each in listed if each["isCurrent"]] == ["2"]


def test_an_interrupted_version_is_never_seen_and_its_number_not_used_again(
    requests: Requests,
) -> None:
    # The server can be killed between the rows of the files and the version.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/pump.glb")
    service, caller = requests.service, requests.service.access.caller(ADMIN)

    class Killed(BaseException):
        pass

    class Dying(VersionWriter):
        def _publish(self, asset: Asset, version: AssetVersion) -> None:
            raise Killed

    asset = stored_asset(requests, asset_id)
    files = service.versions.states(asset)
    writer = Dying(service.store, VersionRecords(service.store))
    with pytest.raises(Killed):
        writer.create(asset, NewVersion("lost", None, "ada", files))
    left = service.store.query(AssetFileVersion.of_asset(**ids(asset_id)))
    assert [row.asset_version_id for row in left] == ["1"]
    assert stored_asset(requests, asset_id).current_version_id == "0"
    created = service.versions.create(caller, "plant", asset_id, VersionValues(comment="again"))
    assert created.version.asset_version_id == "2"
    with pytest.raises(NotThere):
        service.versions.get(caller, "plant", asset_id, "1")
    service.versions.remove_all(asset)
    assert service.store.query(AssetFileVersion.of_asset(**ids(asset_id))) == []


def test_a_version_of_an_asset_that_was_deleted_meanwhile_leaves_nothing(
    requests: Requests,
) -> None:
    # The permanent delete of the asset has removed its rows already.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/pump.glb")
    asset = stored_asset(requests, asset_id)
    store = requests.service.store
    store.delete(asset)
    files = requests.service.versions.states(asset)
    with pytest.raises(NotThere):
        VersionWriter(store, VersionRecords(store)).create(
            asset, NewVersion("late", None, "ada", files)
        )
    assert store.query(AssetFileVersion.of_asset(**ids(asset_id))) == []
    versions = store.query(AssetVersion.of_asset(**ids(asset_id)))
    assert [each.asset_version_id for each in versions] == ["0"]  # its removal is not ours


def test_numbers_continue_in_an_asset_that_another_program_has_written(
    requests: Requests,
) -> None:
    # Data of the original, or the sample: versions without the counter, and none with 0.
    asset_id = requests.make_asset()
    store = requests.service.store
    asset = stored_asset(requests, asset_id)
    store.delete(AssetVersion.key(**ids(asset_id), asset_version_id="0"))
    for number in ("9", "10"):
        store.put(AssetVersion(**ids(asset_id), asset_version_id=number))
    store.put(asset.changed(current_version_id=None))
    caller = requests.service.access.caller(ADMIN)
    created = requests.service.versions.create(
        caller, "plant", asset_id, VersionValues(comment="next", versionAlias="mine")
    )
    assert created.version.asset_version_id == "11"
    assert stored_asset(requests, asset_id).current_version_id == "11"


@pytest.mark.slow
def test_a_version_of_many_files_has_them_all(requests: Requests) -> None:
    # More than a transaction or a page holds.
    asset_id = requests.make_asset()
    for number in range(300):
        requests.put_file("plant", asset_id, f"/scan/{number:04d}.e57", b"x")
    caller = requests.service.access.caller(ADMIN)
    wanted = VersionValues(comment="all")
    created = requests.service.versions.create(caller, "plant", asset_id, wanted)
    assert created.version.file_count == 300
    details = requests.service.versions.get(caller, "plant", asset_id, "1")
    paths = [file.relative_path for file in details.files]
    assert paths == [f"/scan/{number:04d}.e57" for number in range(300)]
    assert not any(file.is_permanently_deleted for file in details.files)


def test_a_version_that_takes_too_long_is_refused_and_leaves_nothing(requests: Requests) -> None:
    # Its rows may have been taken for those of an interrupted one: it would lack files.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/pump.glb")
    asset, store = stored_asset(requests, asset_id), requests.service.store
    instants = iter((0.0, PUBLISH_SECONDS_MAX + 1.0))
    writer = VersionWriter(store, VersionRecords(store), clock=lambda: next(instants))
    with pytest.raises(Conflict):
        writer.create(
            asset, NewVersion("slow", None, "ada", requests.service.versions.states(asset))
        )
    assert store.query(AssetFileVersion.of_asset(**ids(asset_id))) == []
