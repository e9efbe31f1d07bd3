"""`sortkey verify`: what it prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import sortkey
from sortkey import Model, Payload
from sortkey.cli import main
from tests.runtime.payloads.runs import Asset, Run, model, run

MODEL = "tests.runtime.payloads.runs:model"
NOW = ["--older-than", "0s"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of data with a run and a note, in the place where the command looks for it."""
    monkeypatch.chdir(tmp_path)
    with sortkey.open("data", objects="data/buckets/{bucket}") as store:
        store.ensure(model)
        store.create(run(graph=Payload({"nodes": []})))
        store.create(Asset(database_id="d", asset_id="a", note=Payload("text")))
    return tmp_path


def test_nothing_wrong_ends_with_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # It stands in a cron job: silence would not tell whether it ran.
    assert main(["verify", MODEL, *NOW]) == 0
    assert capsys.readouterr().out == "runs: every payload exists and is unchanged\n"


def test_what_is_found_is_listed_and_ends_with_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # For each: what, which, why, and whose.
    with sortkey.open("data", objects="data/buckets/{bucket}") as store:
        (stored,) = store.scan(Run)
        assert stored.graph is not None
        bucket = store.payloads.bucket("artifacts")
        bucket.delete("graphs/prod/12345/c8a91e/graph.json", stored.graph.version_id)
        orphan = bucket.put("d/b/note.txt", b"text").version_id
        (note,) = store.scan(Asset)
        assert note.note is not None
        (path,) = Path("data/buckets/artifacts/objects").glob(f"*/{note.note.version_id}")
    path.write_bytes(b"tex!")
    assert main(["verify", MODEL, *NOW]) == 1
    said = capsys.readouterr().out
    sk = stored.to_item()["SK"]["S"]
    assert (
        "missing     artifacts/graphs/prod/12345/c8a91e/graph.json (version "
        f"{stored.graph.version_id})" in said
    )
    assert f"used by graph-runs PK=USER#12345 SK={sk}" in said
    assert f"changed     artifacts/d/a/note.txt (version {note.note.version_id})" in said
    assert f"orphaned    artifacts/d/b/note.txt (version {orphan})" in said
    assert said.endswith("3 found: 1 missing, 1 changed, 1 orphaned\n")
    assert main(["verify", MODEL, "--quick"]) == 1
    assert capsys.readouterr().out.endswith("1 found: 1 missing\n")
    assert main(["verify", MODEL, *NOW, "--json", "--sweep"]) == 1
    output = json.loads(capsys.readouterr().out)
    assert [each["kind"] for each in output["findings"]] == ["missing", "changed"]
    assert [(each["key"], each["version_id"]) for each in output["removed"]] == [
        ("d/b/note.txt", orphan)
    ]
    assert output["findings"][0]["item"]["PK"] == {"S": "USER#12345"}


def test_a_sweep_of_the_only_orphan_ends_with_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # What was found is not there any more.
    with sortkey.open("data", objects="data/buckets/{bucket}") as store:
        orphan = store.payloads.bucket("artifacts").put("d/b/note.txt", b"text").version_id
    assert main(["verify", MODEL]) == 0
    assert main(["verify", MODEL, *NOW, "--sweep"]) == 0
    assert f"removed     artifacts/d/b/note.txt (version {orphan})\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", MODEL, "--data", "nowhere"], "there is no folder 'nowhere'"),
        (["verify", MODEL, "--data", "aws://eu-west-1"], "--objects"),
        (["verify", MODEL, "--objects", "buckets"], "must contain {bucket}"),
        (["verify", "nothing"], "unknown model"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) in (1, 2)
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


empty = Model("empty")


def test_a_model_without_payloads_is_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Else "every payload is there" would be a comfort that says nothing.
    assert main(["verify", "tests.cli.test_verify:empty"]) == 0
    assert capsys.readouterr().out == "empty has no payload fields\n"


def test_a_wrong_time_is_a_wrong_argument() -> None:
    assert main(["verify", MODEL, "--older-than", "soon"]) == 2
