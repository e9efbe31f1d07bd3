"""`kill -9` between object and pointer, and everywhere else: no pointer shows what is not there,
nothing is lost.
"""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest

from sortkey import Store
from tests.faults.forks import Forks
from tests.faults.payload_writer import open_store, text_of
from tests.runtime.payloads.runs import Asset, Run, model

ROUNDS = 50
LONG = timedelta(days=1)

pytestmark = pytest.mark.slow


def killed(forks: Forks, folder: Path, seed: str, chance: random.Random) -> list[str]:
    """Let a writer write, and kill it: at a write that it counts itself, or after so many lines.
    Gives its lines.
    """
    counted = [chance.randrange(2, 40)] if chance.random() < 0.6 else []
    most = chance.randrange(2, 60)
    writer, lines = forks.start(str(folder), seed, *counted), list[str]()
    for line in writer.lines():
        lines.append(line)
        if not counted and len(lines) == most:
            writer.kill()
    assert writer.was_killed()
    return lines


def check_all(store: Store) -> int:
    """Every payload that an item shows is there, and is the one that was meant."""
    count = 0
    for asset in store.scan(Asset):
        assert asset.note is not None
        assert asset.description is not None
        assert store.load(asset.note) == text_of(asset.asset_id, int(asset.description))
        count += 1
    for run in store.scan(Run):
        for payload in (run.graph, run.iac):
            if payload is not None:
                with store.open_payload(payload) as reader:
                    assert run.run_id.encode() in b"".join(reader)
                count += 1
    return count


def test_whatever_moment_a_writer_is_killed_at(tmp_path: Path) -> None:
    # The object is written first and the pointer last, so a pointer never shows what is not whole.
    # What is left over is found, does not block the next try, and goes.
    chance, folder = random.Random(4), tmp_path / "data"
    orphans = shown = 0
    with Forks("tests.faults.payload_writer") as forks:
        for round in range(ROUNDS):
            lines = killed(forks, folder, f"r{round}", chance)
            with open_store(str(folder)) as store:
                assert store.verify(model, grace=LONG) == []
                shown += check_all(store)
                check_acknowledged(store, lines)
                assert list((folder / "buckets" / "artifacts" / "incoming").glob("*")) == []
                if round % 10 == 9:
                    orphans += len(store.sweep(model, grace=timedelta(0)).removed)
                    assert store.verify(model, grace=timedelta(0)) == []
                    check_all(store)
                    check_files(store, folder)
    assert orphans > 10, "no writer was killed between object and pointer"
    assert shown > 200


def check_acknowledged(store: Store, lines: list[str]) -> None:
    """Acknowledged writes are done. The last write is in doubt. Some names are written
    several times.
    """
    tries = [line.split()[1:] for line in lines if line.startswith("trying")]
    graphs = {run.run_id: run.graph for run in store.scan(Run)}
    for kind, name, number in tries[: lines.count("done")]:
        if not name.startswith("r"):
            continue
        asset = store.find(Asset.key(database_id="d", asset_id=name), consistent=True)
        if kind == "create":
            graph = graphs[name]
            assert graph is not None
            assert store.load(graph) == {"text": text_of(name, int(number))}
        elif kind == "replace":
            assert asset is not None
            assert asset.description == number
        else:
            assert asset is None


def check_files(store: Store, folder: Path) -> None:
    """After a sweep the folder holds what is shown, and nothing else."""
    shown = {
        payload.version_id
        for run in store.scan(Run)
        for payload in (run.graph, run.iac)
        if payload is not None
    }
    shown |= {asset.note.version_id for asset in store.scan(Asset) if asset.note is not None}
    lying = {path.name for path in (folder / "buckets" / "artifacts" / "objects").glob("*/*")}
    assert lying == shown
