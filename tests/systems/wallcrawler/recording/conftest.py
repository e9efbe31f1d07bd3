"""ffmpeg, and a recording to look at."""

from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.recording.frames import PageRecording
from tests.systems.wallcrawler.recording.recorded import record_page
from tools.downloads import Missing, program


@pytest.fixture(scope="session")
def ffmpeg() -> str:
    try:
        return program("ffmpeg", "Debian: apt-get install ffmpeg")
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def page(tmp_path: Path, ffmpeg: str) -> PageRecording:
    return record_page(tmp_path / "recording", ffmpeg)
