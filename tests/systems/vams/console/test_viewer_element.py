"""Which files the viewer shows, and how texts are made harmless."""

from pathlib import Path

import sortkey_systems.vams.console.viewer_element as viewer
from sortkey_systems.vams.console.texts import MODELS
from sortkey_systems.vams.console.viewer_element import harmless, is_shown_by_browser

FOLDER = Path(viewer.__file__).parent / "viewer"


def test_each_kind_that_the_browser_shows_has_a_function_there() -> None:
    # A kind without one is an empty frame.
    index = (FOLDER / "index.js").read_text()
    for name in ("a.png", "a.mp4", "a.mp3", "a.pdf", "a.glb"):
        assert is_shown_by_browser(name)
        assert f"{viewer.kind_of(name)}: show" in index
    assert not is_shown_by_browser("a.txt")
    assert not is_shown_by_browser("a.step")


def test_each_model_format_has_a_reader() -> None:
    # The page offers the viewer by the extension alone.
    readers = (FOLDER / "formats.js").read_text().rpartition("export const READERS")[2]
    by_three = {"glb", "gltf", "stl"}
    assert {name for name in MODELS if f"{name}:" not in readers} == by_three


def test_markdown_brings_no_html_and_fetches_no_pictures() -> None:
    # A file of a stranger must not run in the console, nor tell its author who reads it.
    text = harmless("<script>x</script> ![seen](https://example.com/p.png) 1 < 2")
    assert "<script" not in text
    assert "![" not in text
    assert "1 < 2" in text
