"""What follows a change: listeners are called once for each, also after a crash."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey_systems.vams.changes import PATHS_MAX, AssetChanged, Changes, FilesArrived
from sortkey_systems.vams.jobs import Jobs
from tests.systems.vams.host import ADMIN, Requests, hosted


@pytest.fixture
def requests(tmp_path: Path) -> Iterator[Requests]:
    with hosted(tmp_path) as opened:
        yield opened


def test_listeners_hear_of_every_change_with_the_user(requests: Requests) -> None:
    # Subscribers get a notice for each of these.
    heard: list[AssetChanged] = []
    requests.service.changes.on_asset_changed("a test", heard.append)
    asset_id = requests.make_asset("plant", assetName="Pump 7")
    path = f"/database/plant/assets/{asset_id}"
    requests("PUT", path, {"description": "another"})
    requests("DELETE", f"{path}/archiveAsset")
    requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
    requests("DELETE", f"{path}/deleteAsset", {"confirmPermanentDelete": True})
    assert heard == []  # a request does not wait for a mail server
    requests.run_jobs()
    ours = [each for each in heard if each.asset_id == asset_id]
    kinds = sorted(each.kind for each in ours)
    assert kinds == ["archive", "delete", "unarchive", "update"]
    assert {(each.user_id, each.asset_name, each.database_id) for each in ours} == {
        (ADMIN, "Pump 7", "plant")
    }
    assert len({each.change_id for each in ours}) == 4


def test_a_listener_that_fails_is_called_again_and_the_others_are_not(requests: Requests) -> None:
    # One mail server that is away must not send the other notices twice.
    good: list[str] = []
    bad: list[str] = []

    def failing(change: AssetChanged) -> None:
        bad.append(change.change_id)
        if len(bad) < 3:
            raise OSError("the mail server is away")

    requests.service.changes.on_asset_changed("good", lambda change: good.append(change.kind))
    requests.service.changes.on_asset_changed("bad", failing)
    asset_id = requests.make_asset("plant")
    requests("PUT", f"/database/plant/assets/{asset_id}", {"description": "another"})
    start = requests.service.clock()
    for minutes in range(6):
        instant = start + minutes * 600
        requests.service.jobs.run_due(clock=lambda instant=instant: instant)
    assert good == ["update"]
    assert len(bad) == 3
    assert len(set(bad)) == 1


def test_many_files_become_several_jobs_of_bounded_size(requests: Requests) -> None:
    # A job is one item of a table, and a folder can have a hundred thousand files.
    heard: list[FilesArrived] = []
    requests.service.changes.on_files_arrived("a test", heard.append)
    asset_id = requests.make_asset("plant")
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    paths = [f"/{'long name ' * 20}{number}.glb" for number in range(2 * PATHS_MAX + 1)]
    caller = requests.service.access.caller(ADMIN)
    requests.service.changes.files_arrived(caller, asset, paths, "upload")
    requests.run_jobs()
    assert sorted(path for each in heard for path in each.relative_paths) == sorted(paths)
    assert {each.origin for each in heard} == {"upload"}
    assert len(heard) == 3


def test_without_listeners_nothing_is_stored(requests: Requests) -> None:
    # The table of jobs does not grow with work that nobody does.
    service = requests.service
    asset = service.assets.find("plant", requests.make_asset("plant"))
    assert asset is not None
    requests.run_jobs()
    changes = Changes(Jobs(service.store), service.now)
    caller = service.access.caller(ADMIN)
    changes.asset_changed(caller, asset, "update")
    changes.files_arrived(caller, asset, ["/a.glb"], "upload")
    assert service.jobs.queue.waiting() == 0
