"""The recorder in a real Chromium, over its pipe."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.wallcrawler.recording import video
from sortkey_systems.wallcrawler.recording.frames import read_pages
from sortkey_systems.wallcrawler.recording.recorder import Recorder
from tools.downloads import Missing, program

FLAGS = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--window-size=640,480"]
PAGE = """data:text/html,<body><script>
  let n = 0;
  const timer = setInterval(() => {
    document.body.style.background = `rgb(${n % 2 * 200}, 0, 0)`;
    if (++n > 60) { clearInterval(timer); document.body.style.background = 'rgb(0, 0, 255)'; }
  }, 16);
</script>"""


class Pipe:
    """CDP over two file descriptors, one message at a time."""

    def __init__(self, folder: Path) -> None:
        binary = program("chromium", "Debian: apt-get install chromium")
        answers, theirs = os.pipe()
        ours, commands = os.pipe()
        flags = [
            *FLAGS,
            f"--user-data-dir={folder}",
            *(["--no-sandbox"] if os.getuid() == 0 else []),
        ]
        shell = f'exec "$0" "$@" 3<&{ours} 4>&{theirs}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, binary, *flags, "about:blank"],
            pass_fds=(ours, theirs),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(ours)
        os.close(theirs)
        os.set_blocking(answers, False)
        self._answers, self._commands, self._buffer, self._number = answers, commands, b"", 0

    def send(self, method: str, params: dict[str, Any], session: str | None) -> int:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        os.write(
            self._commands,
            json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0",
        )
        return self._number

    def messages(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What comes within so many seconds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                self._buffer += os.read(self._answers, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
            while b"\0" in self._buffer:
                text, _, self._buffer = self._buffer.partition(b"\0")
                yield json.loads(text)
            yield {}

    def close(self) -> None:
        os.close(self._commands)
        os.close(self._answers)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait(5)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    try:
        opened = Pipe(tmp_path / "profile")
    except Missing as missing:
        pytest.skip(str(missing))
    yield opened
    opened.close()


@pytest.mark.slow
def test_a_busy_page_is_recorded_at_the_wanted_pace_to_its_last_image(
    pipe: Pipe, tmp_path: Path, ffmpeg: str
) -> None:
    # Chromium drops what it draws while frames are not acknowledged: the last image must not be among it.
    recorder = Recorder(tmp_path / "recording", pipe.send, fps=5)
    recorder.start()
    has_page, frames, last = False, 0, time.time()
    for message in pipe.messages(15):
        recorder.receive(message, time.time())
        recorder.tick(time.time())
        if message.get("method") == "Page.screencastFrame":
            frames, last = frames + 1, time.time()
        if frames >= 3 and time.time() - last > 1.5:  # the page has come to rest
            break
        if message.get("method") == "Target.attachedToTarget" and not has_page:
            has_page = True
            pipe.send("Page.navigate", {"url": PAGE}, message["params"]["sessionId"])
    recorder.close(time.time())
    (page,) = read_pages(tmp_path / "recording")
    assert 3 <= len(page.frames) <= 20
    assert page.url.startswith("data:text/html")
    command = [ffmpeg, "-v", "error", "-i", "pipe:0", "-vf", "scale=1:1", "-f", "rawvideo"]
    pixel = subprocess.run(
        [*command, "-pix_fmt", "rgb24", "pipe:1"],
        input=page.image(page.frames[-1]),
        capture_output=True,
        check=True,
        timeout=30,
    ).stdout
    assert pixel[2] > 200
    assert pixel[0] < 60
    assert video.hls(page, tmp_path / "video").is_file()
