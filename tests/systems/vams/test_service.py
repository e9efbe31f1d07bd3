"""The service with the workers of its host."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.systems.vams.host import hosted

SECONDS_MAX = 20


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS_MAX
    while not is_so():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.slow
def test_a_started_host_finishes_what_requests_begin(tmp_path: Path) -> None:
    # The jobs are notified: nobody waits for the next round of a poll.
    with hosted(tmp_path) as requests:
        asset_id = requests.make_asset()
        requests.put_file("plant", asset_id, "/a.glb")
        asset = requests.service.assets.find("plant", asset_id)
        assert asset is not None
        place = requests.service.assets.place_of(asset)
        requests.host.start()
        try:
            path = f"/database/plant/assets/{asset_id}"
            assert requests("DELETE", f"{path}/archiveAsset").status_code == 200
            wait_until(lambda: not place.objects.list(place.prefix).objects)
            back = requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
            assert back.status_code == 200
            wait_until(lambda: len(place.objects.list(place.prefix).objects) == 1)
            confirmed = {"confirmPermanentDelete": True}
            assert requests("DELETE", f"{path}/deleteAsset", confirmed).status_code == 200
            wait_until(lambda: not list(place.objects.versions(place.prefix)))
        finally:
            requests.host.stop()
