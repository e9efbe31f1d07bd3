"""`sortkey vams sync`: a folder and an asset, made equal in either direction."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.systems.vams.command_runs import Commands

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("vams commands")]
PLACE = ("plant-rotterdam", "synced")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "models"
    (path / "parts").mkdir(parents=True)
    (path / "whole.stl").write_bytes(b"solid whole")
    (path / "parts" / "one.stl").write_bytes(b"solid one")
    (path / ".hidden.stl").write_bytes(b"not of the asset")
    os.symlink("whole.stl", path / "link.stl")
    return path


def test_a_folder_goes_up_once_and_then_only_what_changed(run: Commands, folder: Path) -> None:
    # A second run of an unchanged folder transfers nothing.
    words = ("sync", str(folder), *PLACE, "--json")
    first = run(*words, "--create", "--version", "First state")
    assert first["copied"] == ["/parts/one.stl", "/whole.stl"]
    assert first["version"] == "1"
    assert run(*words, "--version", "Nothing new") == {
        "copied": [],
        "removed": [],
        "failed": {},
        "version": None,
    }
    (folder / "parts" / "one.stl").write_bytes(b"solid two")  # the same size
    (folder / "whole.stl").unlink()
    plan = run(*words, "--delete", "--dry-run")
    assert plan == {"new": [], "changed": ["/parts/one.stl"], "removed": ["/whole.stl"]}
    second = run(*words, "--delete")
    assert (second["copied"], second["removed"]) == (["/parts/one.stl"], ["/whole.stl"])


def test_an_asset_comes_down_into_an_empty_folder(run: Commands, tmp_path: Path) -> None:
    # The other way round; then both are equal.
    folder = tmp_path / "pulled"
    folder.mkdir()
    place = ("plant-rotterdam", "pump-hall")
    pulled = run("sync", str(folder), *place, "--pull", "--json")
    assert "/hall.ply" in pulled["copied"]
    assert (folder / "hall.ply").read_bytes().startswith(b"ply\n")
    assert run("sync", str(folder), *place, "--dry-run") == "nothing to do\n"
    (folder / "mine.txt").write_text("beside it")
    removed = run("sync", str(folder), *place, "--pull", "--delete", "--json")
    assert removed["removed"] == ["/mine.txt"]
    assert not (folder / "mine.txt").exists()


def test_refused_files_are_named_and_the_others_arrive(run: Commands, folder: Path) -> None:
    # One bad file must not keep a folder of good ones away.
    (folder / "setup.exe").write_bytes(b"MZ")
    words = ("sync", str(folder), "plant-rotterdam", "partly-synced", "--create")
    assert "setup.exe" in run.refused(*words)
    listed = run("files", "list", "plant-rotterdam", "partly-synced", "--json")
    assert {"/whole.stl"} <= {row["relativePath"] for row in listed}
