"""The tree of an asset's files."""

from typing import Any

from sortkey_systems.vams.console.file_tree import first_shown, folders_of, nodes_of


def _entries(*paths: str, **more: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {path: {"relativePath": path, "isFolder": path.endswith("/")} for path in paths} | more


def test_folders_that_only_files_name_are_in_the_tree_once_and_before_the_files() -> None:
    # A bucket has no folders; most have no marker either.
    entries = _entries("/z.txt", "/a/b/c.glb", "/a/", "/a/x.png")
    assert folders_of(entries) == {"/a/", "/a/b/"}
    folder, file = nodes_of(entries)
    assert (folder["id"], file["id"]) == ("/a/", "/z.txt")
    assert [node["id"] for node in folder["children"]] == ["/a/b/", "/a/x.png"]
    assert [node["id"] for node in folder["children"][0]["children"]] == ["/a/b/c.glb"]


def test_an_empty_folder_stays_in_the_tree() -> None:
    # Somebody made it, to put files there.
    assert [node["id"] for node in nodes_of(_entries("/new/"))] == ["/new/"]


def test_the_primary_file_is_shown_first_then_what_is_best_to_look_at() -> None:
    # Opening an asset should show the thing, not its licence.
    entries = _entries("/a.txt", "/b.glb", "/c.png", "/b.glb.previewFile.png")
    assert first_shown(entries) == "/b.glb"
    entries["/c.png"]["primaryType"] = "primary"
    assert first_shown(entries) == "/c.png"
    entries["/c.png"]["isArchived"] = True
    assert first_shown(entries) == "/b.glb"
    assert first_shown({}) == ""
