"""How the pages write sizes, times and kinds of files."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

_UNITS = ("kB", "MB", "GB", "TB")
_AGES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_DAYS_MAX = 30

IMAGES = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "bmp", "ico"}
VIDEOS = {"mp4", "webm", "mov", "m4v", "ogv"}
SOUNDS = {"mp3", "wav", "ogg", "m4a", "flac", "aac", "opus"}
MODELS = {"glb", "gltf", "stl", "obj", "ply", "pcd", "xyz", "pts", "asc", "las"}
OTHER_MODELS = {"fbx", "usd", "usdz", "usda", "step", "stp", "iges", "e57", "laz", "dxf", "3ds"}
TABLES = {"csv", "tsv"}
TEXTS = {"txt", "log", "xml", "yaml", "yml", "toml", "ini", "cfg", "mtl", "sql", "css", "html"}
CODE = {"htm", "js", "ts", "py", "c", "h", "cpp", "rs", "go", "java", "tex", "gcode", "srt"}

KIND_ICONS = {
    "image": "image",
    "video": "movie",
    "audio": "graphic_eq",
    "pdf": "picture_as_pdf",
    "model": "view_in_ar",
    "csv": "table_chart",
    "markdown": "article",
    "json": "data_object",
    "text": "description",
    "folder": "folder",
    "": "insert_drive_file",
}


def extension(path: str) -> str:
    """The extension of a path, in lower case and without its dot."""
    return PurePosixPath(path).suffix.lower().lstrip(".")


def kind_of(path: str) -> str:
    """What the viewer shows a file as; empty if it cannot."""
    ending = extension(path)
    by_kind = {
        "image": IMAGES,
        "video": VIDEOS,
        "audio": SOUNDS,
        "model": MODELS,
        "csv": TABLES,
        "pdf": {"pdf"},
        "markdown": {"md", "markdown"},
        "json": {"json", "geojson"},
        "text": TEXTS | CODE,
    }
    return next((kind for kind, endings in by_kind.items() if ending in endings), "")


def icon_of(path: str) -> str:
    """The icon of a file or of an asset type (".glb", "folder")."""
    if path == "folder":
        return "folder"
    name = path if not path.startswith(".") else f"file{path}"
    if extension(name) in OTHER_MODELS:
        return KIND_ICONS["model"]
    return KIND_ICONS[kind_of(name)]


def size_text(size: Any) -> str:
    """Bytes for people."""
    if not isinstance(size, (int, float)):
        return ""
    if size < 1000:
        return f"{int(size)} bytes" if size != 1 else "1 byte"
    value, power = size / 1000, 0
    while value >= 999.5 and power < len(_UNITS) - 1:
        value, power = value / 1000, power + 1
    digits = 1 if value < 9.95 else 0
    return f"{value:.{digits}f} {_UNITS[power]}"


def instant_of(text: Any) -> datetime | None:
    """An instant of an answer; None where it is not one."""
    if not isinstance(text, str) or not text:
        return None
    try:
        instant = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def when(text: Any, now: datetime | None = None) -> str:
    """How long ago an instant was; the day, if that is long ago."""
    instant = instant_of(text)
    if instant is None:
        return str(text or "")
    seconds = ((now or datetime.now(UTC)) - instant).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds > _DAYS_MAX * 86_400:
        return f"{instant:%Y-%m-%d}"
    for length, name in _AGES:
        count = int(seconds // length)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def counted(count: int, name: str, plural: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {name if count == 1 else plural or name + 's'}"
