"""The files of archived assets, and what interrupts an archive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.assets.values import AssetChange
from sortkey_systems.vams.failures import Conflict, NotThere
from sortkey_systems.vams.model import Asset, AssetVersion, Database
from tests.systems.vams.host import ADMIN, Requests, hosted


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("archive")) as opened:
        opened.make_database("plant")
        yield opened


def live(requests: Requests, asset_id: str) -> list[str]:
    """The paths of the objects of an asset that are not hidden."""
    asset = requests.service.assets.find("plant", asset_id, archived=True)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    return [place.relative(each.key) for each in place.objects.list(place.prefix).objects]


def archive(requests: Requests, asset_id: str) -> None:
    answer = requests("DELETE", f"/database/plant/assets/{asset_id}/archiveAsset")
    assert answer.status_code == 200, answer.text


def unarchive(requests: Requests, asset_id: str) -> None:
    path = f"/database/plant/assets/{asset_id}/unarchiveAsset"
    answer = requests("PUT", path, {"confirmUnarchive": True})
    assert answer.status_code == 200, answer.text


@pytest.mark.accepts("VA-42", "VA-43")
def test_VA_42_files_are_hidden_and_come_back_except_those_archived_before(
    requests: Requests,
) -> None:
    # Whoever archived a file on its own did not mean the asset's archive to undo it.
    asset_id = requests.make_asset()
    for name in ("/a.glb", "/b.glb", "/sub/c.glb"):
        requests.put_file("plant", asset_id, name)
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    place.objects.delete(place.key("/b.glb"))
    archive(requests, asset_id)
    requests.run_jobs()
    assert live(requests, asset_id) == []
    unarchive(requests, asset_id)
    requests.run_jobs()
    assert live(requests, asset_id) == ["/a.glb", "/sub/c.glb"]
    assert place.objects.read(place.key("/a.glb")) == b"bytes"
    markers = [each for each in place.objects.versions(place.prefix) if each.is_marker]
    assert [each.key for each in markers] == [place.key("/b.glb")]


@pytest.mark.accepts("VA-47")
def test_VA_47_the_current_version_is_marked_with_the_asset(requests: Requests) -> None:
    # Version lists of an archived asset must show it so, and symmetrically on the way back.
    asset_id = requests.make_asset()
    key = AssetVersion.key(database_id="plant", asset_id=asset_id, asset_version_id="0")
    archive(requests, asset_id)
    assert requests.service.store.get(key).is_archived
    unarchive(requests, asset_id)
    assert not requests.service.store.get(key).is_archived


def test_an_asset_that_comes_back_before_its_files_are_hidden_keeps_them(
    requests: Requests,
) -> None:
    # Both jobs wait; the first must see that it is not wanted any more.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/a.glb")
    archive(requests, asset_id)
    unarchive(requests, asset_id)
    requests.run_jobs()
    assert live(requests, asset_id) == ["/a.glb"]


def test_an_asset_that_is_archived_again_meanwhile_stays_hidden(requests: Requests) -> None:
    # The job of the way back runs late, when the asset is archived for the second time.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/a.glb")
    archive(requests, asset_id)
    requests.run_jobs()
    unarchive(requests, asset_id)
    archive(requests, asset_id)
    requests.run_jobs()
    assert live(requests, asset_id) == []
    unarchive(requests, asset_id)
    requests.run_jobs()
    assert live(requests, asset_id) == ["/a.glb"]


def test_an_archive_whose_job_dies_halfway_is_finished_by_the_next_worker(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The record has moved; without the rest, half of the files could be read on.
    asset_id = requests.make_asset()
    for number in range(6):
        requests.put_file("plant", asset_id, f"/{number}.glb")
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    objects: Any = requests.service.assets.place_of(asset).objects
    delete, calls = objects.delete, list[str]()

    def dying(key: str, version_id: str | None = None) -> None:
        calls.append(key)
        if len(calls) == 3:
            raise SystemExit  # as a process that ends: it is not an error of the job
        delete(key, version_id)

    archive(requests, asset_id)
    monkeypatch.setattr(objects, "delete", dying)
    with pytest.raises(SystemExit):
        requests.service.jobs.run_due()
    monkeypatch.undo()
    assert len(live(requests, asset_id)) == 4
    later = requests.service.clock() + 120
    jobs = requests.service.jobs.run_due(clock=lambda: later)
    assert {job.status for job in jobs} == {"completed"}
    assert live(requests, asset_id) == []
    unarchive(requests, asset_id)
    requests.service.jobs.run_due(clock=lambda: later)
    assert len(live(requests, asset_id)) == 6


def test_archive_and_changes_at_once_lose_nothing(requests: Requests) -> None:
    # A change that was answered with success is in the archived record; otherwise it was refused.
    service = requests.service
    caller = service.access.caller(ADMIN)
    before = service.store.get(Database.key(database_id="plant")).asset_count
    for _ in range(10):
        asset_id = requests.make_asset()
        done: list[str] = []

        def change(asset_id: str = asset_id, done: list[str] = done) -> None:
            for number in range(20):
                wanted = AssetChange(description=f"change {number}")
                try:
                    service.assets.change(caller, "plant", asset_id, wanted)
                except (NotThere, Conflict):
                    return
                done.append(f"change {number}")

        thread = threading.Thread(target=change)
        thread.start()
        service.archive.archive(caller, "plant", asset_id)
        thread.join(30)
        key = Asset.key(database_id="plant", asset_id=asset_id)
        assert service.store.find(key) is None
        archived = service.store.get(key.archived())
        assert archived.description == (done[-1] if done else "of a test")
    assert service.store.get(Database.key(database_id="plant")).asset_count == before


def test_archive_and_upload_at_once_leave_no_live_file_in_the_archive(requests: Requests) -> None:
    # Whichever is first: what an archived asset has is hidden, and comes back with it.
    service, caller = requests.service, requests.service.access.caller(ADMIN)
    for _ in range(8):
        asset_id = requests.make_asset()
        where = {"databaseId": "plant", "assetId": asset_id, "uploadType": "assetFile"}
        files = [{"relativeKey": f"/{number}.glb", "file_size": 0} for number in range(5)]
        started = requests("POST", "/uploads", {**where, "files": files}).json()
        sent = [{"relativeKey": each["relativeKey"], "uploadIdS3": "zero-byte"} for each in files]
        answers: list[int] = []

        def complete(
            path: str = f"/uploads/{started['uploadId']}/complete",
            body: Any = {**where, "files": sent},  # noqa: B006
            answers: list[int] = answers,
        ) -> None:
            answers.append(requests("POST", path, body).status_code)

        thread = threading.Thread(target=complete)
        thread.start()
        service.archive.archive(caller, "plant", asset_id)
        thread.join(30)
        requests.run_jobs()
        assert live(requests, asset_id) == []
        unarchive(requests, asset_id)
        requests.run_jobs()
        if answers == [200]:
            assert len(live(requests, asset_id)) in (0, 5)
