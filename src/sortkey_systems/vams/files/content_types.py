"""Which files an asset takes: extensions and content types, by name and by first bytes. Pure."""

from __future__ import annotations

import re
from mimetypes import MimeTypes
from typing import Final

from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.files.paths import (
    PREVIEW_EXTENSIONS,
    extension_of,
    is_preview,
    name_of,
)

BINARY: Final = "application/octet-stream"
PREVIEW_BYTES_MAX: Final = 5 << 20
ANY_EXTENSION: Final = ".all"
HEAD_BYTES: Final = 512
"""So many first bytes are enough to recognise a program or script."""

BLOCKED_EXTENSIONS: Final = frozenset(
    [
        ".jar",
        ".java",
        ".com",
        ".php",
        ".reg",
        ".pif",
        ".bak",
        ".dll",
        ".exe",
        ".nat",
        ".cmd",
        ".lnk",
        ".docm",
        ".vbs",
        ".bat",
    ]
)
BLOCKED_TYPES: Final = frozenset(
    {
        # Java
        "application/java-archive",
        "application/java-vm",
        "text/x-java-source",
        # programs
        "application/x-msdownload",
        "application/x-msdos-program",
        "application/x-ms-dos-executable",
        "application/vnd.microsoft.portable-executable",
        "application/x-executable",
        "application/x-mach-binary",
        "application/x-ms-shortcut",
        # scripts
        "application/javascript",
        "text/javascript",
        "application/vbscript",
        "application/x-vbs",
        "application/x-bat-script",
        "application/x-sh",
        "application/x-csh",
        "text/x-shellscript",
        "application/powershell",
        "application/x-powershell",
        "application/x-php",
        "text/x-python-source",
        "application/x-python-code",
        # documents with macros
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    }
)
_OWN_TYPES: Final = {
    ".glb": "model/gltf-binary",
    ".gltf": "model/gltf+json",
    ".obj": "model/obj",
    ".stl": "model/stl",
    ".ply": "model/ply",
    ".usdz": "model/vnd.usdz+zip",
    ".3mf": "model/3mf",
    ".md": "text/markdown",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".csv": "text/csv",
    ".com": "application/x-msdos-program",
    ".exe": "application/x-msdownload",
    ".jar": "application/java-archive",
    ".class": "application/java-vm",
    ".ps1": "application/x-powershell",
    ".psm1": "application/x-powershell",
    ".php": "application/x-php",
    ".vbs": "application/vbscript",
    ".bat": "application/x-bat-script",
    ".docm": "application/vnd.ms-word.document.macroenabled.12",
    ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    ".pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
}
_BEGINNINGS: Final = tuple(
    (re.compile(pattern, re.DOTALL), kind)
    for pattern, kind in (
        (rb"MZ.{0,62}\x00", "application/vnd.microsoft.portable-executable"),
        (rb"\x7fELF", "application/x-executable"),
        (rb"\xca\xfe\xba\xbe", "application/java-vm"),
        (rb"[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]", "application/x-mach-binary"),
        (rb"(\xef\xbb\xbf)?\s*#!\s*/", "text/x-shellscript"),
        (rb"(\xef\xbb\xbf)?\s*<\?(?i:php)", "application/x-php"),
        (rb"L\x00\x00\x00\x01\x14\x02\x00", "application/x-ms-shortcut"),
    )
)
_TYPES = MimeTypes(filenames=())  # not those of the machine: every server must decide alike


def content_type_of(path: str) -> str:
    """The content type that a file's extension stands for."""
    extension = extension_of(path)
    known = _OWN_TYPES.get(extension)
    if known is None:
        known, _ = _TYPES.guess_type(f"a{extension}", strict=False)
    return known or BINARY


def check_name(path: str, allowed_extensions: str | None = None) -> None:
    """Refuse a file by its name. `allowed_extensions` is the list of a database: ".glb,.gltf".
    Raises Invalid.
    """
    extension, name = extension_of(path), name_of(path)[:100]
    if not extension:
        raise Invalid(f"{name!r} has no extension: give it one that says what it is")
    if extension in BLOCKED_EXTENSIONS or content_type_of(path) in BLOCKED_TYPES:
        raise Invalid(f"{name!r} is refused: files with the extension {extension} are blocked")
    if is_preview(path):
        if extension not in PREVIEW_EXTENSIONS:
            raise Invalid(f"{name!r} is not a preview: use {', '.join(PREVIEW_EXTENSIONS)}")
        return  # exempt from the list of the database
    allowed = {each.strip().lower() for each in (allowed_extensions or "").split(",")} - {""}
    if allowed and ANY_EXTENSION not in allowed and extension not in allowed:
        raise Invalid(f"{name!r} is refused: the database takes {', '.join(sorted(allowed))}")


def check_preview_name(name: str) -> None:
    """Refuse what cannot be the preview of an asset. Raises Invalid."""
    if extension_of(name) not in PREVIEW_EXTENSIONS:
        raise Invalid(f"a preview is a picture: use {', '.join(PREVIEW_EXTENSIONS)}")


def check_preview_size(size: int) -> None:
    """Refuse a preview that is too large. Raises Invalid."""
    if size > PREVIEW_BYTES_MAX:
        raise Invalid(f"a preview has at most {PREVIEW_BYTES_MAX:,} bytes, not {size:,}")


def check_content(path: str, head: bytes) -> None:
    """Refuse a program or script under another extension, by its first bytes. Raises Invalid."""
    for pattern, kind in _BEGINNINGS:
        if pattern.match(head):
            raise Invalid(f"{name_of(path)[:100]!r} is refused: its content is {kind}")
