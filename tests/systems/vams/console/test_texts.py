"""Sizes, times and kinds of files."""

from datetime import UTC, datetime

import pytest

from sortkey_systems.vams.console.texts import counted, icon_of, kind_of, size_text, when

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_600, "1.0 MB"),
        (12_345_678, "12 MB"),
        (None, ""),
    ],
)
def test_sizes_are_short(size: int | None, text: str) -> None:
    # They stand in narrow columns.
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        ("2026-11-18T11:59:30Z", "just now"),
        ("2026-11-18T11:58:00+00:00", "2 minutes ago"),
        ("2026-11-17T11:00:00", "1 day ago"),
        ("2025-01-02T00:00:00Z", "2025-01-02"),
        ("some day", "some day"),
        (None, ""),
    ],
)
def test_times_are_said_as_people_say_them(instant: str | None, text: str) -> None:
    # Clients of the original write three formats; none must break a page.
    assert when(instant, NOW) == text


def test_the_viewer_is_chosen_by_the_extension_in_any_case() -> None:
    # Cameras write .JPG, scanners .PLY.
    assert [kind_of(f"/a.{ending}") for ending in ("JPG", "Ply", "md", "csv", "step")] == [
        "image",
        "model",
        "markdown",
        "csv",
        "",
    ]
    assert icon_of(".step") == icon_of("/a/b.glb") == "view_in_ar"
    assert counted(1, "file") == "1 file"
    assert counted(1200, "file") == "1,200 files"
