"""Paths of files within their assets, as clients write them and as they are stored. Pure.

A path begins with a slash; the path of a folder ends in one. It becomes part of an object key.
"""

from __future__ import annotations

import re
from typing import Final

from sortkey_systems.vams.failures import Invalid

PATH_CHARACTERS_MIN = 3
KEY_BYTES_MAX = 1024
"""Of an object key as a whole, with the prefix of its asset."""
PREVIEW: Final = ".previewFile."
"""What stands between the name of a file and the extension of its preview."""
PREVIEW_EXTENSIONS: Final = (".png", ".jpg", ".jpeg", ".svg", ".gif")
_UNUSABLE = re.compile("[\x00-\x1f\x7f\\\\\ufffe\uffff\U0010ffff]")


def file_path(text: str) -> str:
    """The path of a file, with its slash. Raises Invalid."""
    path = "/" + _checked(text)
    if path.endswith("/"):
        raise Invalid(f"{_shown(text)} is a folder: name a file")
    return path


def folder_path(text: str) -> str:
    """The path of a folder, with both slashes. Raises Invalid."""
    path = "/" + _checked(text)
    if not path.endswith("/"):
        raise Invalid(f"{_shown(text)} is not a folder: end its path in /")
    return path


def any_path(text: str) -> str:
    """The path of a file or a folder. Raises Invalid."""
    return folder_path(text) if text.endswith("/") else file_path(text)


def prefix_path(text: str) -> str:
    """The beginning of paths, down to "/" for all. Raises Invalid."""
    if text in ("", "/"):
        return "/"
    return "/" + _checked(text, characters_min=1)


def check_key_size(key: str) -> None:
    """Refuse what is too long with the prefix of its asset. Raises Invalid."""
    size = len(key.encode())
    if size > KEY_BYTES_MAX:
        raise Invalid(
            f"the key of a file has at most {KEY_BYTES_MAX} bytes, and this one {size}: "
            "use a shorter path"
        )


def extension_of(path: str) -> str:
    """The extension in lower case, as ".glb". Empty if there is none.

    Dots and spaces at the end do not count: Windows ignores them, so that `a.exe.` is a program.
    """
    name = path.rstrip("/").rpartition("/")[2].rstrip(" .")
    stem, dot, extension = name.rpartition(".")
    return f".{extension.lower()}" if dot and stem and extension else ""


def name_of(path: str) -> str:
    """The last name of a path, of a folder without its slash."""
    return path.rstrip("/").rpartition("/")[2]


def is_preview(path: str) -> bool:
    """Whether a file is the preview of another."""
    return PREVIEW in name_of(path)


def base_of(path: str) -> str:
    """The path of the file that a preview belongs to."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name.partition(PREVIEW)[0]}"


def _checked(text: str, characters_min: int = PATH_CHARACTERS_MIN - 1) -> str:
    """The path without its first slash, if it can be one."""
    path = text.removeprefix("/")
    if len(path) < characters_min:
        raise Invalid(f"a path has at least {PATH_CHARACTERS_MIN} characters with its first slash")
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        raise Invalid("a path must be Unicode text") from None
    if size > KEY_BYTES_MAX:
        raise Invalid(f"a path has at most {KEY_BYTES_MAX} bytes, not {size}")
    if _UNUSABLE.search(path):
        raise Invalid(f"{_shown(text)} has control characters or backslashes, which a path cannot")
    for name in path.removesuffix("/").split("/"):
        if name in ("", ".", ".."):
            raise Invalid(f"{_shown(text)} is not a valid path: a name in it is empty, . or ..")
    return path


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:100] + "…")
