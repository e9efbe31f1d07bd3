"""Checksums as attributes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from sortkey_systems.vams.shipped.checksums import checksum
from tests.systems.vams.runners.steps import Trial


def test_each_file_gets_its_checksums(tmp_path: Path) -> None:
    # Somebody compares them with those of the sender.
    trial = Trial(tmp_path / "step")
    trial.add("a/b c.bin", b"12345")
    trial.add("empty.bin", b"")
    checksum(trial.step, trial.report)
    made = trial.made("metadata")
    assert set(made) == {"a/b c.bin.attribute.json", "empty.bin.attribute.json"}
    document = json.loads(made["a/b c.bin.attribute.json"])
    values = {item["metadataKey"]: item["metadataValue"] for item in document["metadata"]}
    assert document["type"] == "attribute"
    assert values == {
        "checksum_sha256": hashlib.sha256(b"12345").hexdigest(),
        "checksum_md5": hashlib.md5(b"12345").hexdigest(),
        "size_bytes": "5",
    }
