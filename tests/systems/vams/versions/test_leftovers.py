"""What an interrupted version leaves is removed; versions that were published stay whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sortkey_systems.vams.model import AssetFileMetadataVersion, AssetFileVersion
from sortkey_systems.vams.versions.leftovers import DELAY_SECONDS
from tests.systems.vams.host import Requests, hosted

IDS = {"database_id": "plant", "asset_id": "pump"}
BASE = "/database/plant/assets/pump"
WANTED = {"comment": "scan", "useLatestFiles": True}

KILLED = """
import os, signal, sys
from pathlib import Path
from tests.systems.vams.host import hosted

with hosted(Path(sys.argv[1])) as requests:
    store = requests.service.store
    write, calls = store.batch_write, []

    def dying(*args, **named):
        calls.append(write(*args, **named))
        if len(calls) == 2:  # the files, then the metadata
            os.kill(os.getpid(), signal.SIGKILL)

    store.batch_write = dying
    body = {"comment": "lost", "useLatestFiles": True}
    requests("POST", "/database/plant/assets/pump/createVersion", body)
"""


def versions_with_rows(requests: Requests) -> set[str]:
    store = requests.service.store
    files = store.query(AssetFileVersion.of_asset(**IDS))
    metadata = store.query(AssetFileMetadataVersion.of_asset(**IDS))
    return {row.asset_version_id for row in (*files, *metadata)}


@pytest.mark.slow
def test_rows_of_a_version_that_was_never_published_are_removed(tmp_path: Path) -> None:
    # Nobody can see them, so nobody would ever remove them.
    with hosted(tmp_path) as requests:
        requests.make_asset(assetId="pump")
        requests.put_file("plant", "pump", "/pump.glb")
        item = {"metadataKey": "owner", "metadataValue": "Ada", "metadataValueType": "string"}
        assert requests("POST", f"{BASE}/metadata", {"metadata": [item]}).status_code == 200
        assert requests("POST", f"{BASE}/createVersion", WANTED).status_code == 200
    root = Path(__file__).parents[4]
    died = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    with hosted(tmp_path) as requests:
        assert requests("POST", f"{BASE}/createVersion", WANTED).json()["assetVersionId"] == "3"
        requests.run_jobs()
        assert versions_with_rows(requests) == {"1", "2", "3"}  # 2 may still be on its way
        later = requests.service.clock() + DELAY_SECONDS + 60
        requests.service.jobs.run_due(clock=lambda: later)
        assert versions_with_rows(requests) == {"1", "3"}
        details = requests("GET", f"{BASE}/getVersion/3").json()
        assert (len(details["files"]), len(details["versionedMetadata"])) == (1, 1)
