"""Videos of recordings, made and looked at with ffmpeg."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.recording import video
from sortkey_systems.wallcrawler.recording.frames import PageRecording, PageWriter, read_page


@dataclass(frozen=True)
class Video:
    """What ffprobe and a decoded pixel say of a file."""

    path: Path

    @property
    def seconds(self) -> float:
        asked = [
            "ffprobe",
            "-v",
            "error",
            "-show_entries",
            "format=duration",
            "-of",
            "csv=p=0",
            str(self.path),
        ]
        return float(subprocess.run(asked, capture_output=True, check=True, timeout=60).stdout)

    def colour_at(self, seconds: float) -> str:
        """Which of red, green and blue the picture is mostly of."""
        where = ["-i", str(self.path), "-ss", str(seconds), "-frames:v", "1"]
        asked = [
            "ffmpeg",
            "-v",
            "error",
            *where,
            "-vf",
            "scale=1:1",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "pipe:1",
        ]
        red, green, blue = subprocess.run(asked, capture_output=True, check=True, timeout=60).stdout
        return max(("red", red), ("green", green), ("blue", blue), key=lambda pair: pair[1])[0]


@pytest.mark.slow
def test_an_mp4_shows_each_frame_for_as_long_as_it_was_shown(
    page: PageRecording, tmp_path: Path
) -> None:
    # Frames come when something changes: played one after the other, a quiet page would be over at
    # once.
    made = Video(video.mp4(page, tmp_path / "video"))
    assert 10.5 < made.seconds < 12
    assert [made.colour_at(at) for at in (1, 3, 5, 10)] == ["red", "green", "blue", "blue"]


@pytest.mark.slow
def test_a_playlist_names_segments_that_are_there(page: PageRecording, tmp_path: Path) -> None:
    # Players fetch the segments one by one.
    playlist = video.hls(page, tmp_path / "video")
    lines = playlist.read_text().splitlines()
    segments = [line for line in lines if line and not line.startswith("#")]
    assert lines[0] == "#EXTM3U"
    assert lines[-1] == "#EXT-X-ENDLIST"
    assert len(segments) >= 2
    assert all((playlist.parent / name).stat().st_size > 0 for name in segments)
    assert 10.5 < Video(playlist).seconds < 12


@pytest.mark.slow
def test_a_video_is_made_once_and_again_when_frames_were_added(
    page: PageRecording, tmp_path: Path
) -> None:
    # Every look at a replay would cost seconds otherwise; and one of a running session would stay
    # as it first was.
    made = video.mp4(page, tmp_path / "video")
    before = made.stat().st_mtime_ns
    assert video.mp4(page, tmp_path / "video").stat().st_mtime_ns == before
    longer = page._replace(end_ms=page.end_ms + 4000)
    assert Video(video.mp4(longer, tmp_path / "video")).seconds > 14


def test_what_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a reason, an operator would look for the fault in the browser.
    PageWriter(tmp_path / "0", "T1", 1).close(2)
    empty = read_page(tmp_path / "0")
    assert empty is not None
    with pytest.raises(video.NoFrames):
        video.mp4(empty, tmp_path / "video")
    writer = PageWriter(tmp_path / "1", "T2", 1)
    writer.frame(b"not a picture", 1, 10, 10)
    writer.close(2)
    broken = read_page(tmp_path / "1")
    assert broken is not None
    if video.shutil.which("ffmpeg"):
        with pytest.raises(video.RenderFailed):
            video.mp4(broken, tmp_path / "video")
        assert list((tmp_path / "video").iterdir()) == []
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(video.FfmpegMissing, match="apt-get install ffmpeg"):
        video.mp4(broken, tmp_path / "video")
