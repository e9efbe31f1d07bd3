"""`sortkey vams export` and `import`: a whole database out and in again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.systems.vams.command_runs import Commands

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("vams commands")]


def state(run: Commands, database: str, asset: str) -> dict[str, Any]:
    """What can be compared between two databases."""
    files = run("files", "list", database, asset, "--json")
    versions = run("versions", "list", database, asset, "--json")
    shown = json.loads(run("assets", "show", database, asset))
    return {
        "name": shown["assetName"],
        "tags": sorted(shown["tags"]),
        "metadata": shown["metadata"],
        "files": sorted((row["relativePath"], row["size"]) for row in files),
        "versions": [(row["Version"], row["versionAlias"], row["Comment"]) for row in versions],
    }


def test_an_imported_database_is_the_one_that_was_exported(run: Commands, tmp_path: Path) -> None:
    # Files, versions, metadata and tags; a file that is not distributable too.
    folder = tmp_path / "export"
    counts = run.beside("export", "museum-scans", str(folder), "--json")
    assert counts["assets"] == 1
    assert any("plaster-cast: archived" in note for note in counts["left_out"])
    imported = run(
        "import", str(folder), "--id", "museum-copy", "--bucket", "bucket-plant", "--json"
    )
    assert imported["refused"] == []
    assert state(run, "museum-copy", "amphora") == state(run, "museum-scans", "amphora")


def test_old_versions_keep_their_bytes(run: Commands, tmp_path: Path) -> None:
    # The pump has three models; each must come back under its version.
    folder, place = tmp_path / "export", ("plant-copy", "pump-p101")
    run.beside("export", "plant-rotterdam", str(folder))
    run("import", str(folder), "--id", place[0], "--bucket", "bucket-field")
    for version in ("1", "2", "3"):
        found: list[bytes] = []
        for database in ("plant-rotterdam", place[0]):
            target = tmp_path / f"{database}-{version}"
            target.mkdir()
            words = (database, place[1], "/model/p101.glb", "--version", version)
            run("files", "download", *words, "--to", str(target))
            found.append((target / "p101.glb").read_bytes())
        assert found[0] == found[1]
    rows = run("workflows", "--database", place[0], "--json")
    assert [row["workflowId"] for row in rows] == ["web-model"]


def test_an_existing_database_is_not_imported_into(run: Commands, tmp_path: Path) -> None:
    # Only an import that was interrupted goes on, and only on request.
    folder = tmp_path / "export"
    run.beside("export", "hangar-4", str(folder))
    assert "exists" in run.refused("import", str(folder))
    assert run("import", str(folder), "--resume", "--json")["versions"] == 0
    assert "has a database already" in run.refused("export", "hangar-4", str(folder))


def test_damaged_bytes_are_not_imported(run: Commands, tmp_path: Path) -> None:
    # A backup that lies is worse than none.
    folder = tmp_path / "export"
    run.beside("export", "museum-scans", str(folder))
    victim = max((folder / "objects").rglob("*"), key=lambda path: path.stat().st_size)
    victim.write_bytes(b"damaged")
    assert "damaged" in run.refused(
        "import", str(folder), "--id", "museum-bad", "--bucket", "bucket-field"
    )


def test_names_in_an_export_cannot_lead_out_of_its_folder(run: Commands, tmp_path: Path) -> None:
    # The folder may come from a stranger.
    folder = tmp_path / "export"
    run.beside("export", "museum-scans", str(folder))
    path = folder / "assets" / "amphora.json"
    document = json.loads(path.read_text())
    document["files"][0]["sha256"] = "../../secret"
    path.write_text(json.dumps(document))
    assert "not a SHA-256" in run.refused(
        "import", str(folder), "--id", "museum-evil", "--bucket", "bucket-field"
    )


def test_files_that_may_not_be_distributed_leave_only_with_the_folder(
    run: Commands, tmp_path: Path
) -> None:
    # Over the interface nobody downloads them; whoever has the data folder has them anyway.
    elsewhere = run("export", "hangar-4", str(tmp_path / "http"), "--json")
    assert any(note.startswith("nose-gear/gear.obj") for note in elsewhere["left_out"])
    beside = run.beside("export", "hangar-4", str(tmp_path / "folder"), "--json")
    assert not any(note.startswith("nose-gear/") for note in beside["left_out"])
    document = json.loads((tmp_path / "folder" / "assets" / "nose-gear.json").read_text())
    assert "/gear.obj" in [file["path"] for file in document["files"]]


def test_an_interrupted_import_goes_on_without_doing_anything_twice(
    run: Commands, tmp_path: Path
) -> None:
    # The second asset cannot be read at first; the first must not get its versions again.
    folder = tmp_path / "export"
    run.beside("export", "hangar-4", str(folder))
    document = json.loads((folder / "assets" / "nose-gear.json").read_text())
    (digest,) = [file["sha256"] for file in document["files"] if file["path"] == "/gear.obj"]
    victim, aside = folder / "objects" / digest[:2] / digest, tmp_path / "aside"
    victim.rename(aside)
    words = ("import", str(folder), "--id", "hangar-copy", "--bucket", "bucket-plant")
    assert "is missing" in run.refused(*words)
    aside.rename(victim)
    done = run(*words, "--resume", "--json")
    assert (done["assets"], done["versions"], done["refused"]) == (2, 1, [])
    for asset in ("hangar-scan", "nose-gear"):
        assert state(run, "hangar-copy", asset) == state(run, "hangar-4", asset)
