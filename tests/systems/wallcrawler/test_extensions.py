"""Extensions: zip files of tenants, unpacked where a browser loads them. Nothing in them leads out."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from sortkey.errors import NotFound
from sortkey.systems import Resources
from sortkey_systems.wallcrawler.extensions import BUCKET, Extensions, NotAnExtension

MANIFEST = '{"manifest_version": 3, "name": "Test", "version": "1"}'


@pytest.fixture
def extensions(sortkey_resources: Resources) -> Extensions:
    return Extensions(sortkey_resources.buckets[BUCKET])


def zipped(folder: Path, *files: tuple[str, str]) -> Path:
    path = folder / "extension.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files:
            archive.writestr(name, content)
    return path


def test_an_extension_is_stored_found_unpacked_and_deleted(
    extensions: Extensions, tmp_path: Path
) -> None:
    # Stagehand uploads its own before every session and deletes it afterwards.
    archive = zipped(tmp_path, ("manifest.json", MANIFEST), ("js/worker.js", "1"))
    added = extensions.add("project_a", "../Grüße.zip", archive)
    assert added.file_name == "Grüße.zip"
    assert extensions.get(["project_b", "project_a"], added.extension_id) == added
    folder = tmp_path / "unpacked"
    folder.mkdir()
    root = extensions.unpack("project_a", added.extension_id, folder)
    assert (root / "manifest.json").read_text() == MANIFEST
    assert (root / "js" / "worker.js").read_text() == "1"
    extensions.delete(["project_a"], added.extension_id)
    with pytest.raises(NotFound):
        extensions.get(["project_a"], added.extension_id)


def test_a_zip_of_a_folder_is_taken_too(extensions: Extensions, tmp_path: Path) -> None:
    # People zip the folder as often as what is in it.
    archive = zipped(tmp_path, ("mine/manifest.json", MANIFEST))
    added = extensions.add("project_a", "mine.zip", archive)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    root = extensions.unpack("project_a", added.extension_id, folder)
    assert (root / "manifest.json").exists()


def test_another_tenants_extension_is_unknown(extensions: Extensions, tmp_path: Path) -> None:
    # Its code would run in the browser of whoever names it.
    archive = zipped(tmp_path, ("manifest.json", MANIFEST))
    added = extensions.add("project_a", "mine.zip", archive)
    for projects, name in ((["project_b"], added.extension_id), (["project_a"], "../project_a")):
        with pytest.raises(NotFound):
            extensions.get(projects, name)


@pytest.mark.parametrize("name", ["../evil.js", "/etc/evil", "a/../../evil", "a\\..\\evil"])
def test_a_zip_that_leads_out_of_its_folder_is_refused(
    extensions: Extensions, tmp_path: Path, name: str
) -> None:
    # It is unpacked by the server, with the server's rights.
    archive = zipped(tmp_path, ("manifest.json", MANIFEST), (name, "x"))
    with pytest.raises(NotAnExtension, match="leads out"):
        extensions.add("project_a", "evil.zip", archive)


def test_a_zip_with_a_link_is_refused(extensions: Extensions, tmp_path: Path) -> None:
    # A link to /etc would be read through the browser.
    path = tmp_path / "link.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", MANIFEST)
        link = zipfile.ZipInfo("secrets")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc")
    with pytest.raises(NotAnExtension, match="leads out"):
        extensions.add("project_a", "link.zip", path)


def test_what_is_not_an_extension_is_refused(extensions: Extensions, tmp_path: Path) -> None:
    # Chromium would start without it, and nobody would know why the extension is missing.
    text = tmp_path / "text.zip"
    text.write_text("not a zip")
    with pytest.raises(NotAnExtension, match="not a zip"):
        extensions.add("project_a", "text.zip", text)
    with pytest.raises(NotAnExtension, match="manifest"):
        extensions.add("project_a", "empty.zip", zipped(tmp_path, ("readme.txt", "")))


def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    extensions: Extensions, tmp_path: Path
) -> None:
    # Half a megabyte can become half a gigabyte on the server's disk.
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", MANIFEST)
        with archive.open("zeros", "w") as entry:
            for _ in range(201):
                entry.write(bytes(1 << 20))
    with pytest.raises(NotAnExtension, match="at most"):
        extensions.add("project_a", "bomb.zip", path)
