"""Thumbnails of pictures, and what their EXIF says, by Pillow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from PIL import ExifTags, Image, ImageOps

from sortkey_systems.vams.runners.pipeline_step import PipelineStep, Report

EXTENSIONS = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp")
SIZE = 512
SIZE_MAX = 2048
VALUE_CHARACTERS_MAX = 500
PIXELS_MAX = 400_000_000
"""A small file can describe a picture that fills the memory."""
_UNREADABLE = {"MakerNote", "UserComment", "PrintImageMatching"}


def thumbnail(step: PipelineStep, report: Report) -> None:
    """A small JPEG or PNG of each picture: `name.previewFile.jpg`. The first one becomes the
    preview of the asset. The parameter `size` is the longer side in pixels.
    """
    size = max(16, min(SIZE_MAX, int(step.parameters.get("size") or SIZE)))
    pictures = list(step.inputs(*EXTENSIONS))
    for number, (path, file) in enumerate(pictures, 1):
        if ".previewFile." in path:
            continue
        small = reduced(file, size)
        extension = ".png" if small.mode == "RGBA" else ".jpg"
        save(small, step.output(f"{path}.previewFile{extension}"))
        save(small, step.preview(f"{path}{extension}"))
        report.log(f"{path}: {small.width}×{small.height}")
        report.progress(100 * number // len(pictures), path)


def exif(step: PipelineStep, report: Report) -> None:
    """What each picture says of itself becomes metadata: size, camera, time, and where it was
    taken.
    """
    for path, file in step.inputs(*EXTENSIONS):
        facts = picture_facts(file)
        step.describe(path, facts)
        report.log(f"{path}: {len(facts)} values")


def reduced(file: Path, size: int) -> Image.Image:
    """A picture that fits into a square, turned as its camera was held."""
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    with Image.open(file) as picture:
        picture.draft("RGB", (size * 2, size * 2))  # JPEG: decode only what is needed
        turned = ImageOps.exif_transpose(picture) or picture
        turned.thumbnail((size, size))
        has_alpha = turned.mode in ("RGBA", "LA", "PA") or "transparency" in turned.info
        return turned.convert("RGBA" if has_alpha else "RGB")


def save(picture: Image.Image, target: Path) -> None:
    """Write a picture in the format of its name."""
    picture.save(target, quality=85) if target.suffix == ".jpg" else picture.save(target)


def picture_facts(file: Path) -> dict[str, str]:
    """The size and format of a picture, and its EXIF tags by name."""
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    with Image.open(file) as picture:
        facts = {
            "image_width": str(picture.width),
            "image_height": str(picture.height),
            "image_format": picture.format or "",
        }
        tags = picture.getexif()
        main: Mapping[int, Any] = dict(tags)
        details: Mapping[int, Any] = dict(tags.get_ifd(ExifTags.IFD.Exif))
        place: Mapping[int, Any] = dict(tags.get_ifd(ExifTags.IFD.GPSInfo))
    for number, value in {**main, **details}.items():
        name = ExifTags.TAGS.get(number)
        text = _text(value)
        if name and text and name not in _UNREADABLE:
            facts[f"exif_{name}"] = text
    facts.update(_location(place))
    return facts


def _text(value: Any) -> str:
    """A value as text; empty for bytes that are not text, and for tables."""
    if isinstance(value, bytes):
        try:
            value = value.decode("ascii")
        except UnicodeDecodeError:
            return ""
    if isinstance(value, dict):
        return ""
    if isinstance(value, tuple):
        return " ".join(_text(each) for each in cast("tuple[Any, ...]", value))[
            :VALUE_CHARACTERS_MAX
        ]
    text = "".join(each for each in str(value) if each.isprintable()).strip()
    return text[:VALUE_CHARACTERS_MAX]


def _location(place: Mapping[int, Any]) -> dict[str, str]:
    """Latitude and longitude in degrees, where the picture was taken."""
    tags = ExifTags.GPS
    try:
        latitude = _degrees(place[tags.GPSLatitude], place.get(tags.GPSLatitudeRef, "N") == "S")
        longitude = _degrees(place[tags.GPSLongitude], place.get(tags.GPSLongitudeRef, "E") == "W")
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return {}
    return {"exif_latitude": f"{latitude:.6f}", "exif_longitude": f"{longitude:.6f}"}


def _degrees(parts: Any, is_negative: bool) -> float:
    degrees, minutes, seconds = (float(part) for part in parts)
    value = degrees + minutes / 60 + seconds / 3600
    return -value if is_negative else value
