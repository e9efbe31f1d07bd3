"""Files of a machine as an asset sees them."""

from __future__ import annotations

import os
from hashlib import md5, sha256
from pathlib import Path

import pytest

from sortkey_systems.vams.client.contents import (
    content_of_bytes,
    contents_of_folder,
    part_sizes,
    place_in,
)


@pytest.mark.parametrize(
    "path", ["", "/", "/../a.txt", "/a/../../b.txt", "/./a.txt", "/a\\..\\b.txt", "/a\0.txt"]
)
def test_a_path_that_leads_out_of_a_folder_is_refused(tmp_path: Path, path: str) -> None:
    # Names come from a server, which may be anybody's.
    with pytest.raises(ValueError, match="folder"):
        place_in(tmp_path, path)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    # A link in the folder could point anywhere.
    (tmp_path / "inside").mkdir()
    os.symlink(tmp_path.parent, tmp_path / "inside" / "out")
    with pytest.raises(ValueError, match="link"):
        place_in(tmp_path / "inside", "/out/a.txt")
    assert place_in(tmp_path / "inside", "/b/a.txt") == tmp_path / "inside" / "b" / "a.txt"


def test_links_and_hidden_files_are_not_of_the_asset(tmp_path: Path) -> None:
    # .git and links out of the folder are of the machine.
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config.txt").write_text("x")
    (tmp_path / "a.txt").write_text("abc")
    os.symlink(tmp_path / "a.txt", tmp_path / "b.txt")
    found = contents_of_folder(tmp_path)
    assert {path: content.size for path, content in found.items()} == {"/a.txt": 3}


def test_an_etag_of_each_kind_of_bucket_is_recognised() -> None:
    # Otherwise a folder that has not changed would be uploaded again and again.
    content = content_of_bytes("/a.bin", b"some bytes")
    parts = md5(md5(b"some bytes").digest()).hexdigest()
    for etag in (md5(b"some bytes").hexdigest(), sha256(b"some bytes").hexdigest()[:32]):
        assert content.has_etag(etag)
        assert content.has_etag(f'"{etag}"')
    assert content.has_etag(f"{parts}-1")
    assert not content.has_etag(f"{parts}-2")
    assert not content.has_etag(md5(b"other").hexdigest())


@pytest.mark.parametrize(
    ("size", "parts"),
    [
        (0, []),
        (1, [1]),
        (150_000_000, [150_000_000]),
        (150_000_001, [150_000_000, 1]),
    ],
)
def test_a_file_is_cut_into_parts(size: int, parts: list[int]) -> None:
    # As the published tool does it; the sum is always the size.
    assert part_sizes(size) == parts


def test_a_very_large_file_has_larger_parts() -> None:
    # One start takes 200 parts at most.
    parts = part_sizes(16_000_000_000)
    assert (len(parts), sum(parts)) == (16, 16_000_000_000)
