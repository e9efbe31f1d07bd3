"""Paths as clients write them, and what cannot be one."""

from __future__ import annotations

import pytest

from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.files import paths


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/a.glb", "/a.glb"),
        ("a.glb", "/a.glb"),
        ("/models/hall 3/pümpe + ventil.glb", "/models/hall 3/pümpe + ventil.glb"),
        ("/a:b#c?d%2e.e57", "/a:b#c?d%2e.e57"),
        ("/" + "x" * 1020 + ".gl", "/" + "x" * 1020 + ".gl"),
    ],
)
def test_a_path_begins_with_one_slash_and_keeps_its_characters(text: str, path: str) -> None:
    # Clients send both forms; spaces, plus signs and Unicode are in the names of real files.
    assert paths.file_path(text) == path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "/a",
        "/../a.glb",
        "/a/../b.glb",
        "/a/./b.glb",
        "//a.glb",
        "/a//b.glb",
        "/a\\..\\b.glb",
        "/a\x00.glb",
        "/a\n.glb",
        "/a/",
        "/\ud800.glb",
        "/" + "é" * 513,
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(text: str) -> None:
    # It becomes part of an object key, and of a path on the disk of whoever downloads it.
    with pytest.raises(Invalid):
        paths.file_path(text)


def test_a_folder_ends_in_a_slash_and_a_file_does_not() -> None:
    # A file named like a folder would hide what is in the folder.
    assert paths.folder_path("models/") == "/models/"
    with pytest.raises(Invalid, match="end its path in /"):
        paths.folder_path("/models")
    with pytest.raises(Invalid, match="name a file"):
        paths.file_path("/models/")
    assert (paths.any_path("/models/"), paths.any_path("/a.glb")) == ("/models/", "/a.glb")


@pytest.mark.parametrize(
    ("path", "extension"),
    [
        ("/a.GLB", ".glb"),
        ("/a.tar.gz", ".gz"),
        ("/a", ""),
        ("/.hidden", ""),
        ("/a.b/c", ""),
        ("/a.exe.", ".exe"),
        ("/a.exe ", ".exe"),
        ("/a.exe. . ", ".exe"),
        ("/a.", ""),
    ],
)
def test_an_extension_is_what_a_system_that_opens_the_file_would_see(
    path: str, extension: str
) -> None:
    # Windows opens `a.exe.` as a program: a blocked extension must not hide behind a dot or space.
    assert paths.extension_of(path) == extension


def test_a_preview_names_its_file() -> None:
    # Pipelines write `pump.e57.previewFile.gif` beside `pump.e57`.
    path = "/test/pump.e57.previewFile.gif"
    assert paths.is_preview(path)
    assert paths.base_of(path) == "/test/pump.e57"
    assert not paths.is_preview("/a.previewFile.b/c.glb")
