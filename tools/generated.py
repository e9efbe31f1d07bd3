"""A file that is generated: written, or with `--check` only compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def keep(path: Path, text: str, arguments: Sequence[str], of: str) -> int:
    """The exit code: 1 where the file is to be compared and is not what `of` gives."""
    if "--check" not in arguments:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path.name} is not what {of} gives: run `make format` and read the diff")
    return 1
