"""Finds and reads what can be analysed: folders, single files, archives, or uploaded bytes with a
name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sortkey_systems.applens import archives
from sortkey_systems.applens.problems import SourceRefused

BYTES_MAX = 10_000_000
"""Maximum bytes of an upload, a file, or all Terraform of a folder."""

TERRAFORM = (".tf", ".tf.json", ".tfvars", ".tfvars.json")
READABLE = (".tf", ".tfvars", ".json", ".tfstate")
ACCEPTED = (
    "a folder, .tf, .tf.json, the output of `terraform show -json`, a .tfstate, or a .zip, .tar, "
    ".tgz or .tar.gz"
)

BESIDE = (".json", ".tpl", ".tftpl", ".tmpl", ".template", ".sh", ".ps1", ".yaml", ".yml", ".txt")
"""Policies and scripts that Terraform reads with `file` and `templatefile`."""
BESIDE_BYTES_MAX = 200_000
BESIDE_ALL_BYTES_MAX = 5_000_000
"""Larger files are left out: they are data, not configuration."""

BEGINNING_BYTES = 4096
"""How far into a JSON file the marks of a plan or a state are searched."""

_SKIPPED_FOLDERS = {".terraform", ".git", "node_modules", ".venv", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Source:
    """A file's path, relative to the input and with `/`, and its content.

    A file that `is_beside` is not Terraform but may be read by it. `unread` is the reason if it was
    not read.
    """

    path: str
    data: bytes
    is_beside: bool = False
    unread: str = ""

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def read_paths(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Source]:
    """All sources at the paths. Refuses other input, and more than 10 MB."""
    roots = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not roots:
        raise SourceRefused(f"nothing was given to analyse: give {ACCEPTED}")
    sources: list[Source] = []
    for root in roots:
        path = Path(root)
        if path.is_dir():
            sources += _limited(str(path), _in_folder(path))
        elif path.is_file():
            _refuse_large(str(path), path.stat().st_size)
            sources += read_bytes(path.name, path.read_bytes())
        else:
            raise SourceRefused(f"there is no file or folder {str(path)!r}")
    return _limited("the input", sources) if len(roots) > 1 else sources


def read_bytes(name: str, data: bytes) -> list[Source]:
    """The sources in one upload: the file itself, or the content of its archive."""
    _refuse_large(name, len(data))
    lower = name.lower()
    if lower.endswith(archives.SUFFIXES):
        archived = archives.files_of(name, data, (*READABLE, *BESIDE))
        return _without_hidden(_classified(Source(*file)) for file in archived)
    if lower.endswith(READABLE):
        return [Source(name.replace("\\", "/").rpartition("/")[2], data)]
    if data.startswith(b"PK\x03\x04"):
        raise SourceRefused(
            f"{name} is a binary plan or a misnamed archive: use `terraform show -json`, or name "
            "it .zip"
        )
    raise SourceRefused(f"{name} is nothing that AppLens reads: give {ACCEPTED}")


def _refuse_large(name: str, size: int) -> None:
    if size > BYTES_MAX:
        raise SourceRefused(
            f"{name} has {size / 1_000_000:.1f} MB: at most {BYTES_MAX // 1_000_000} MB are "
            "analysed"
        )


def _limited(name: str, sources: Iterable[Source]) -> list[Source]:
    accepted: list[Source] = []
    size = 0
    beside = 0
    for source in sources:
        if source.is_beside:
            if (
                len(source.data) > BESIDE_BYTES_MAX
                or beside + len(source.data) > BESIDE_ALL_BYTES_MAX
            ):
                continue
            beside += len(source.data)
        else:
            size += len(source.data)
            _refuse_large(name, size)
        accepted.append(source)
    return accepted


def _in_folder(root: Path) -> Iterator[Source]:
    """Files of a folder. Links are followed to files inside the folder only."""
    for folder, folders, files in os.walk(root, onerror=_refuse_unread):
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith(".")
        )
        yield from _linked_folders(root, [Path(folder) / name for name in folders])
        for name in sorted(files):
            path = Path(folder) / name
            if not name.endswith((*READABLE, *BESIDE)):
                continue
            if path.is_symlink() and (reason := _unfollowed(root, path)):
                if name.endswith(TERRAFORM):
                    yield Source(path.relative_to(root).as_posix(), b"", unread=reason)
                continue
            size = path.stat().st_size
            if size > BESIDE_BYTES_MAX and not _is_terraform(name, _beginning(path)):
                continue  # checked before reading: data may have any size
            _refuse_large(str(path), size)
            yield _classified(Source(path.relative_to(root).as_posix(), path.read_bytes()))


def _unfollowed(root: Path, link: Path) -> str:
    """Why a link is not followed, or an empty text."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "a link that leads nowhere"
    if not target.is_relative_to(root.resolve()):
        return "a link that leads out of what was given"
    return "" if target.is_file() else "a link to something that is not a file"


def _linked_folders(root: Path, folders: list[Path]) -> Iterator[Source]:
    """Links to folders of Terraform outside of the root. Folders inside it are read where they
    are.
    """
    for path in folders:
        if path.is_symlink() and _unfollowed(root, path).endswith("given"):
            try:
                holds_terraform = any(
                    name.endswith((".tf", ".tf.json")) for name in os.listdir(path)
                )
            except OSError:
                holds_terraform = False
            if holds_terraform:
                reason = "a link to a folder, not followed"
                yield Source(path.relative_to(root).as_posix(), b"", unread=reason)


def _refuse_unread(error: OSError) -> None:
    """Record skipped files: a file skipped silently would count as safe."""
    raise SourceRefused(f"{error.filename} cannot be read: {error.strerror}")


def _classified(source: Source) -> Source:
    """A folder may have other JSON files. Only those that look like a plan or a state are read."""
    is_terraform = _is_terraform(source.path, source.data[:BEGINNING_BYTES])
    return source if is_terraform else replace(source, is_beside=True)


def _is_terraform(name: str, beginning: bytes) -> bool:
    return name.endswith((*TERRAFORM, ".tfstate")) or b'"terraform_version"' in beginning


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(BEGINNING_BYTES)


def _without_hidden(sources: Iterable[Source]) -> list[Source]:
    def plain(source: Source) -> bool:
        parts = source.path.split("/")
        return not any(
            part in _SKIPPED_FOLDERS or part.startswith(("._", "__MACOSX")) for part in parts
        )

    return [source for source in sources if plain(source)]
