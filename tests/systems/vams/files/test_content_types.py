"""Which files an asset takes."""

from __future__ import annotations

import pytest

from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.files.content_types import (
    BLOCKED_EXTENSIONS,
    check_content,
    check_name,
    content_type_of,
)


@pytest.mark.parametrize("extension", sorted(BLOCKED_EXTENSIONS))
@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_a_blocked_extension_is_refused_in_any_case(extension: str, change: object) -> None:
    # The original compares exactly, so that `setup.EXE` passes.
    assert callable(change)
    with pytest.raises(Invalid, match="blocked"):
        check_name(f"/a{change(extension)}")


@pytest.mark.parametrize("name", ["/a.sh", "/a.js", "/a.ps1", "/a.class", "/a.xlsm", "/a.exe."])
def test_a_blocked_content_type_is_refused_by_its_extension(name: str) -> None:
    # Scripts and macros run where they are opened, whatever the list of extensions says.
    with pytest.raises(Invalid, match="blocked"):
        check_name(name)


@pytest.mark.parametrize("name", ["/a.glb", "/a.docx", "/a.svg", "/a.zip", "/a.unheard", "/a.py"])
def test_other_files_are_taken(name: str) -> None:
    # An asset may be of any kind that nobody runs by opening it.
    check_name(name)


def test_a_file_without_an_extension_is_refused() -> None:
    # The type of an asset, schemas and workflows go by it.
    for name in ("/a", "/.hidden", "/a."):
        with pytest.raises(Invalid, match="no extension"):
            check_name(name)


def test_a_database_can_restrict_extensions_and_previews_are_exempt() -> None:
    # A database of models takes pictures of them all the same.
    check_name("/a.GLB", ".glb, .gltf")
    check_name("/a.glb.previewFile.png", ".glb")
    check_name("/a.txt", ".all")
    check_name("/a.txt", "")
    with pytest.raises(Invalid, match=r"the database takes \.glb, \.gltf"):
        check_name("/a.txt", ".glb,.gltf")
    with pytest.raises(Invalid, match="not a preview"):
        check_name("/a.glb.previewFile.txt", ".glb")


@pytest.mark.parametrize(
    "head",
    [
        b"MZ\x90\x00\x03\x00\x00\x00",
        b"\x7fELF\x02\x01\x01",
        b"\xca\xfe\xba\xbe\x00\x00\x00\x34",
        b"\xcf\xfa\xed\xfe\x07\x00\x00\x01",
        b"#!/bin/sh\nrm -rf ~\n",
        b"\xef\xbb\xbf#! /usr/bin/env python\n",
        b"\n<?PHP system($_GET['c']);",
    ],
)
def test_a_program_under_another_extension_is_refused(head: bytes) -> None:
    # Renaming is the first thing that is tried.
    with pytest.raises(Invalid, match="its content is"):
        check_content("/model.glb", head)


@pytest.mark.parametrize(
    "head", [b"", b"glTF\x02\x00\x00\x00", b"MZ,1,2\n", b"# ply", b"solid a", b"<?xml version"]
)
def test_content_that_only_begins_alike_is_taken(head: bytes) -> None:
    # A table whose first column is named MZ is not a program.
    check_content("/model.csv", head)


def test_a_content_type_does_not_depend_on_the_machine() -> None:
    # Two servers of one installation must agree on what they serve.
    assert content_type_of("/a.GLB") == "model/gltf-binary"
    assert content_type_of("/a.png") == "image/png"
    assert content_type_of("/a.unheard") == "application/octet-stream"
