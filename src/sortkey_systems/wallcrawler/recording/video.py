"""Videos of recorded pages: HLS segments and MP4, made by ffmpeg where it is installed.

ffmpeg gets the frames over its standard input at a steady pace. What it makes is written beside the
recording once, and again if frames have been added since.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import BoundedSemaphore, Timer

from sortkey.web import Refused
from sortkey_systems.wallcrawler.recording.frames import PageRecording

FPS = 5
SEGMENT_SECONDS = 4
RENDER_SECONDS_MAX = 600
VIDEO_SECONDS_MAX = 6 * 3600
PLAYLIST, MP4, ABOUT = "index.m3u8", "recording.mp4", "about.json"
"""The files of one page's video."""

_INPUT = ["-f", "image2pipe", "-framerate", str(FPS), "-c:v", "mjpeg", "-i", "pipe:0"]
# Even sizes, as H.264 has no others; full range JPEG colours become those of video.
_ENCODE = [
    *("-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2,format=yuv420p"),
    *("-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", "-g", str(FPS * SEGMENT_SECONDS)),
]
_HLS = ["-f", "hls", "-hls_time", str(SEGMENT_SECONDS), "-hls_playlist_type", "vod"]
_renders = BoundedSemaphore(2)
"""More at once would only take the processors from the browsers."""


class FfmpegMissing(Refused):
    """Videos cannot be made on this machine."""

    status = 501


class NoFrames(Exception):
    """Nothing was recorded of the page, so it has no video."""


class RenderFailed(Exception):
    """ffmpeg did not make the video. The message is the end of what it said."""


def ffmpeg() -> str:
    """The path of ffmpeg. Raises FfmpegMissing with what to install."""
    path = shutil.which("ffmpeg")
    if path is None:
        raise FfmpegMissing(
            "videos need ffmpeg, which is not installed (Debian: apt-get install ffmpeg)"
        )
    return path


def hls(page: PageRecording, folder: Path) -> Path:
    """The playlist of a page, with its segments beside it. Raises NoFrames, RenderFailed and
    FfmpegMissing.
    """
    segments = ["-hls_segment_filename", "segment-%05d.ts"]
    return _rendered(page, folder / "hls", PLAYLIST, [*_HLS, *segments, PLAYLIST])


def existing_hls(page: PageRecording, folder: Path) -> Path | None:
    """The playlist of a page if it is there and has all of its frames: `hls` then only reads."""
    is_made = _reads(folder / "hls" / ABOUT) == _about(page)
    return folder / "hls" / PLAYLIST if is_made else None


def mp4(page: PageRecording, folder: Path) -> Path:
    """A page as one MP4 file. Raises as `hls` does."""
    return _rendered(page, folder / "mp4", MP4, ["-movflags", "+faststart", "-f", "mp4", MP4])


def _rendered(page: PageRecording, target: Path, name: str, output: Sequence[str]) -> Path:
    if not page.frames:
        raise NoFrames(f"nothing was recorded of page {page.page_id}")
    about = _about(page)
    if _reads(target / ABOUT) == about:
        return target / name
    program = _gently(ffmpeg())
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _renders, tempfile.TemporaryDirectory(dir=target.parent, prefix=".render-") as work:
        if _reads(target / ABOUT) != about:  # nobody made it while we waited
            _run(
                [*program, "-v", "error", "-nostdin", "-y", *_INPUT, *_ENCODE, *output],
                page,
                Path(work),
            )
            (Path(work) / ABOUT).write_text(about)
            _publish(Path(work), target)
    return target / name


def _about(page: PageRecording) -> str:
    return json.dumps({"frames": len(page.frames), "end": page.end_ms})


def _run(command: list[str], page: PageRecording, work: Path) -> None:
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, cwd=work, stdin=subprocess.PIPE, stdout=said, stderr=said
        )
        killer = _deadline(process)
        try:
            assert process.stdin is not None
            for image in steady_frames(page):
                process.stdin.write(image)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it says why on its standard error
        finally:
            status = process.wait()
            killer.cancel()
        if status != 0:
            said.seek(0)
            raise RenderFailed(
                said.read()[-500:].decode(errors="replace").strip() or "ffmpeg took too long"
            )


def _deadline(process: subprocess.Popen[bytes]) -> Timer:
    timer = Timer(RENDER_SECONDS_MAX, process.kill)
    timer.daemon = True
    timer.start()
    return timer


def steady_frames(page: PageRecording) -> Iterator[bytes]:
    """The images at FPS from the first frame to the end of the page: each is repeated while it was
    shown.
    """
    period_ms = 1000 / FPS
    images = page.images()
    frame, image = next(images)
    begin = frame.time_ms
    length = min(page.end_ms - begin, VIDEO_SECONDS_MAX * 1000)
    following = next(images, None)
    for number in range(int(length / period_ms) + 1):
        now = begin + number * period_ms
        while following is not None and following[0].time_ms <= now:
            image, following = following[1], next(images, None)
        yield image
    if following is not None:  # what was shown at last must not be missing
        yield following[1]


def _publish(work: Path, target: Path) -> None:
    """Put finished files in their place: readers see the old ones or the new ones."""
    target.mkdir(mode=0o700, exist_ok=True)
    for path in sorted(
        work.iterdir(), key=lambda path: path.name == ABOUT
    ):  # last: it says that the rest is there
        os.replace(path, target / path.name)


def _gently(program: str) -> list[str]:
    """The browsers go first."""
    nice = shutil.which("nice")
    return [nice, "-n", "10", program] if nice else [program]


def _reads(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None
