"""Names of downloads: what sites suggest becomes safe, unique and recognisable."""

import pytest

from sortkey_systems.wallcrawler.browsers.local.downloads import download_name


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report.pdf", "report-1700000000000.pdf"),
        ("archive.tar.gz", "archive.tar-1700000000000.gz"),
        ("README", "README-1700000000000"),
        ("", "download-1700000000000"),
        ("...", "download-1700000000000"),
        ("../../etc/passwd", "passwd-1700000000000"),
        ("a\0b\n.txt", "a_b_-1700000000000.txt"),
        (".bashrc", "bashrc-1700000000000"),
        ("Übersicht.csv", "Übersicht-1700000000000.csv"),
        ("a." + "b" * 50, "a." + "b" * 50 + "-1700000000000"),
    ],
)
def test_a_name_keeps_its_suffix_and_loses_what_could_lead_elsewhere(
    suggested: str, name: str
) -> None:
    # The example of the published SDK looks for thirteen digits before the suffix; a site chooses
    # the rest.
    assert download_name(suggested, 1_700_000_000_000) == name


def test_a_long_name_fits_into_a_file_system() -> None:
    # Most allow 255 bytes, and a letter may have three of them.
    assert len(download_name("€" * 1000 + ".txt", 1_700_000_000_000).encode()) < 255
