"""S3 buckets as folders on disk. A key is a path inside its bucket's folder, never outside."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def folder(engine: Engine, bucket: str) -> Path:
    """The bucket's folder, which may not exist."""
    if engine.buckets is None:
        engine.buckets = _passing(engine)
    path = engine.buckets / bucket
    if path.name != bucket or not path.resolve().is_relative_to(engine.buckets.resolve()):
        raise ValidationException(f"The specified bucket is not valid: {bucket}")
    return path


def check_key(engine: Engine, bucket: str, key: str) -> None:
    """Refuse a key or prefix that leads out of the bucket."""
    root = folder(engine, bucket)
    if (
        "\0" in key
        or ".." in key.split("/")
        or not (root / key.lstrip("/")).resolve().is_relative_to(root.resolve())
    ):
        raise ValidationException(f"The specified S3 prefix leads out of the bucket: {key}")


def write(engine: Engine, bucket: str, key: str, content: bytes) -> None:
    """Write an object atomically."""
    check_key(engine, bucket, key)
    path = folder(engine, bucket) / key
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(content)
    os.replace(draft, path)


def keys(engine: Engine, bucket: str, prefix: str) -> list[str]:
    """The keys that begin with a prefix, in order. A link that leads out of the bucket is not
    followed.
    """
    check_key(engine, bucket, prefix)
    root = folder(engine, bucket)
    keys_found: list[str] = []
    for path in root.rglob("*"):
        key = path.relative_to(root).as_posix()
        if (
            key.startswith(prefix)
            and path.is_file()
            and path.resolve().is_relative_to(root.resolve())
        ):
            keys_found.append(key)
    return sorted(keys_found)


def _passing(engine: Engine) -> Path:
    """A temporary folder for an engine in memory, deleted with the engine."""
    folder = TemporaryDirectory(prefix="sortkey-buckets-")
    engine.at_close.append(folder.cleanup)
    return Path(folder.name)
