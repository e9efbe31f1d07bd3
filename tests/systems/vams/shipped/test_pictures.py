"""Thumbnails and EXIF of real pictures."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image, UnidentifiedImageError

from sortkey_systems.vams.shipped.pictures import exif, thumbnail
from tests.systems.vams.runners.steps import Trial
from tests.systems.vams.shipped.models import photo


def test_a_thumbnail_fits_and_is_turned_as_the_camera_was(tmp_path: Path) -> None:
    # A phone stores pictures lying down, and says so in EXIF.
    trial = Trial(tmp_path / "step", inputParameters='{"size": 100}')
    trial.add("tour/p 1.jpg", photo(640, 480, is_turned=True))
    thumbnail(trial.step, trial.report)
    made = trial.made("files")["tour/p 1.jpg.previewFile.jpg"]
    assert Image.open(io.BytesIO(made)).size == (75, 100)
    assert list(trial.made("previews")) == ["tour/p 1.jpg.jpg"]
    assert trial.progress[-1][0] == 100


def test_transparency_stays(tmp_path: Path) -> None:
    # A logo on black is not the logo.
    trial = Trial(tmp_path / "step")
    data = io.BytesIO()
    Image.new("RGBA", (50, 50), (255, 0, 0, 0)).save(data, "PNG")
    trial.add("logo.png", data.getvalue())
    thumbnail(trial.step, trial.report)
    made = trial.made("files")["logo.png.previewFile.png"]
    assert Image.open(io.BytesIO(made)).convert("RGBA").getpixel((5, 5)) == (255, 0, 0, 0)


def test_exif_becomes_metadata_with_the_place(tmp_path: Path) -> None:
    # Where and when a picture was taken is what people look for.
    trial = Trial(tmp_path / "step")
    trial.add("tour/p1.jpg", photo())
    exif(trial.step, trial.report)
    document = json.loads(trial.made("metadata")["tour/p1.jpg.metadata.json"])
    values = {item["metadataKey"]: item["metadataValue"] for item in document["metadata"]}
    assert values["exif_Model"] == "PlantCam 3"
    assert values["exif_DateTimeOriginal"] == "2026:02:22 19:12:11"
    assert (values["image_width"], values["image_height"]) == ("640", "480")
    assert (values["exif_latitude"], values["exif_longitude"]) == ("51.910000", "-4.480000")


def test_a_file_that_is_not_a_picture_fails(tmp_path: Path) -> None:
    # A run that says nothing would leave the user waiting for a picture.
    trial = Trial(tmp_path / "step")
    trial.add("x.png", b"not a picture")
    with pytest.raises(UnidentifiedImageError):
        thumbnail(trial.step, trial.report)
