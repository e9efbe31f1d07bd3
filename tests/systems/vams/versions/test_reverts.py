"""Reverts as jobs: killed halfway, and two at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.systems.vams.host import ADMIN, Requests, hosted

FILES = 12
BASE = "/database/plant/assets/pump"

KILLED = """
import os, signal, sys
from pathlib import Path
from tests.systems.vams.host import hosted

def dying(function, tries):
    left = [tries]

    def call(*args, **named):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **named)

    return call

with hosted(Path(sys.argv[1])) as requests:
    service = requests.service
    if sys.argv[2] == "copies":
        place = service.assets.place_of(service.assets.find("plant", "pump"))
        place.objects.copy = dying(place.objects.copy, 6)
    else:
        service.changes.asset_changed = dying(service.changes.asset_changed, 1)
    requests("POST", "/database/plant/assets/pump/revertAssetVersion/1")
"""


def fill(requests: Requests) -> None:
    """An asset with two versions of every file."""
    requests.make_asset(assetId="pump")
    for data in (b"old", b"new"):
        for number in range(FILES):
            requests.put_file("plant", "pump", f"/{number:02d}.glb", data)
        answer = requests("POST", f"{BASE}/createVersion", {"comment": "x", "useLatestFiles": True})
        assert answer.status_code == 200, answer.text


def contents(requests: Requests) -> list[bytes]:
    asset = requests.service.assets.find("plant", "pump")
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    return [place.objects.read(place.key(f"/{number:02d}.glb")) for number in range(FILES)]


def listed(requests: Requests) -> list[dict[str, Any]]:
    return requests("GET", f"{BASE}/getVersions").json()["versions"]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["copies", "announcement"])
def test_a_revert_goes_on_after_the_server_is_killed(tmp_path: Path, where: str) -> None:
    # Half of the files old and half new is a state that nobody ever had.
    with hosted(tmp_path) as requests:
        fill(requests)
    root = Path(__file__).parents[4]
    died = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), where],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    with hosted(tmp_path) as requests:
        before = contents(requests).count(b"old")
        assert before == (5 if where == "copies" else FILES)
        later = requests.service.clock() + 120
        requests.service.jobs.run_due(clock=lambda: later)
        assert contents(requests) == [b"old"] * FILES
        assert [each["Version"] for each in listed(requests)] == ["3", "2", "1", "0"]
        newest = listed(requests)[0]
        assert (newest["isCurrent"], newest["fileCount"], newest["createdBy"]) == (
            True,
            FILES,
            ADMIN,
        )
        info = requests("GET", f"{BASE}/fileInfo?filePath=/00.glb&includeVersions=true").json()
        assert len(info["versions"]) == 3  # copied once, not again
        assert info["currentAssetVersionFileVersionMismatch"] is False


def test_two_reverts_at_once_do_not_mix(requests: Requests) -> None:
    # Each succeeds alone; the files are those of the one that came last.
    fill(requests)

    def revert(version: str) -> int:
        return requests("POST", f"{BASE}/revertAssetVersion/{version}").status_code

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(revert, ["1", "2", "1", "2"])) == [200] * 4
    newest = listed(requests)[0]
    expected = b"old" if newest["Comment"] == "[REVERTED FROM v1]" else b"new"
    assert (newest["Version"], newest["isCurrent"]) == ("6", True)
    assert contents(requests) == [expected] * FILES
    files = requests("GET", f"{BASE}/listFiles").json()["items"]
    assert not any(each["currentAssetVersionFileVersionMismatch"] for each in files)
