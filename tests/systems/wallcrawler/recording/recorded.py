"""A recording with real images in it: a page that turns from red over green to blue."""

import subprocess
from pathlib import Path

from sortkey_systems.wallcrawler.recording.frames import PageRecording, PageWriter, read_pages

START_MS = 1_763_424_000_000
COLOURS = ("red", "green", "blue")


def record_page(folder: Path, ffmpeg: str) -> PageRecording:
    """Three colours of two seconds each, and five seconds of nothing new."""
    writer = PageWriter(folder / "0", "T1", START_MS)
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
    (recorded,) = read_pages(folder)
    return recorded
