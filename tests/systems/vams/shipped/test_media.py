"""Previews of videos and documents, by the tools that are installed."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from sortkey_systems.vams.shipped import media
from tests.systems.vams.runners.steps import Trial


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_a_video_gets_a_picture(tmp_path: Path) -> None:
    # A wall of videos without pictures cannot be told apart.
    trial = Trial(tmp_path / "step")
    clip = trial.add("clips/short.mp4", b"")
    source = ["-f", "lavfi", "-i", "color=c=red:s=64x48:d=0.4"]
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", *source, str(clip)]
    subprocess.run(command, check=True, timeout=60)
    media.video_preview(trial.step, trial.report)
    made = trial.made("files")["clips/short.mp4.previewFile.jpg"]
    red, green, blue = Image.open(io.BytesIO(made)).convert("RGB").getpixel((5, 5))
    assert red > 200
    assert green < 80
    assert blue < 80


def test_a_missing_tool_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The operator has to install it.
    monkeypatch.setenv("PATH", str(tmp_path))
    trial = Trial(tmp_path / "step")
    with pytest.raises(RuntimeError, match="needs pdftoppm, which is not installed"):
        media.pdf_preview(trial.step, trial.report)
