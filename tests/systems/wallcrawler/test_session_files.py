"""Files of sessions: what is in the zip of downloads, and where an upload may go."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from sortkey.web import Refused
from sortkey_systems.wallcrawler.session_files import SessionFiles, plain_name, stamped_name


@pytest.fixture
def files(tmp_path: Path) -> SessionFiles:
    (tmp_path / "sess_1" / "downloads").mkdir(parents=True)
    return SessionFiles(lambda session_id: tmp_path / session_id)


def test_the_zip_has_finished_downloads_with_stamped_names(
    files: SessionFiles, tmp_path: Path
) -> None:
    # The example of the published SDK looks for thirteen digits in every name.
    folder = tmp_path / "sess_1" / "downloads"
    for name in ("report-1700000000000.pdf", "plain.txt", "half.crdownload", ".hidden"):
        (folder / name).write_text(name)
    (folder / "passwords").symlink_to("/etc/passwd")
    with zipfile.ZipFile(files.zip_downloads("sess_1", tmp_path / "all.zip")) as archive:
        names = sorted(archive.namelist())
    assert names[1] == "report-1700000000000.pdf"
    assert re.fullmatch(r"plain-\d{13}\.txt", names[0])
    assert len(names) == 2


def test_a_session_without_downloads_has_an_empty_zip(files: SessionFiles, tmp_path: Path) -> None:
    # Also one whose folder is gone: a client asks in a loop until something is there.
    with zipfile.ZipFile(files.zip_downloads("sess_none", tmp_path / "all.zip")) as archive:
        assert archive.namelist() == []


@pytest.mark.parametrize("name", ["../../evil.txt", "/etc/evil.txt", "..\\evil.txt", ".evil.txt"])
def test_an_upload_stays_in_its_folder(files: SessionFiles, tmp_path: Path, name: str) -> None:
    # The name comes from outside, and the server writes with its own rights.
    source = tmp_path / "sent"
    source.write_text("x")
    assert files.add_upload("sess_1", name, source) == "evil.txt"
    assert [path.name for path in (tmp_path / "sess_1" / "uploads").iterdir()] == ["evil.txt"]
    assert not source.exists()


def test_a_file_without_a_name_is_refused() -> None:
    # Nobody could choose it in a file input.
    for name in ("", "/", "..", "\n"):
        with pytest.raises(Refused, match="name"):
            plain_name(name)
    assert len(plain_name("ü" * 300 + ".txt").encode()) <= 200
    assert stamped_name("a.tar.gz", 1.5) == "a.tar-0000000001500.gz"


def test_a_link_that_a_browser_puts_among_its_downloads_is_not_followed(tmp_path: Path) -> None:
    # The browser owns the folder, and the server that makes the zip may run as root.
    secret = tmp_path / "secret"
    secret.write_text("of the server")
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    link = downloads / "report-1700000000000.pdf"
    files = SessionFiles(lambda _: tmp_path)
    link.write_text("harmless")
    listed = files.downloads("sess_a")
    link.unlink()
    link.symlink_to(secret)
    files.downloads = lambda _: listed  # as it was before the browser swapped the file
    with zipfile.ZipFile(files.zip_downloads("sess_a", tmp_path / "a.zip")) as archive:
        assert archive.namelist() == []
