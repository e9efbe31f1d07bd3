"""A recording with real images in it: a page that turns from red over green to blue."""

import subprocess
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.recording.frames import PageRecording, PageWriter, read_pages
from tools.downloads import Missing, program

START_MS = 1_763_424_000_000
COLOURS = ("red", "green", "blue")


@pytest.fixture(scope="session")
def ffmpeg() -> str:
    try:
        return program("ffmpeg", "Debian: apt-get install ffmpeg")
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def page(tmp_path: Path, ffmpeg: str) -> PageRecording:
    """Three colours of two seconds each, and five seconds of nothing new."""
    writer = PageWriter(tmp_path / "recording" / "0", "T1", START_MS)
    writer.navigated("https://example.com/", START_MS)
    for number, colour in enumerate(COLOURS):
        source = ["-f", "lavfi", "-i", f"color={colour}:size=321x181", "-frames:v", "1"]
        made = subprocess.run(
            [ffmpeg, "-v", "error", *source, "-f", "mjpeg", "pipe:1"],
            capture_output=True,
            check=True,
            timeout=30,
        )
        writer.frame(made.stdout, START_MS + 2000 * number, 321, 181)
    writer.close(START_MS + 11_000)
    (recorded,) = read_pages(tmp_path / "recording")
    return recorded
