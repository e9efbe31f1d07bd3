"""What requests about versions carry, and what they get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from sortkey_systems.vams.model import AssetFileMetadataVersion, AssetFileVersion, AssetVersion
from sortkey_systems.vams.versions.comparison import FileComparison, MetadataComparison

FILES_MAX = 10_000
"""Files that a request can name."""

Comment = Annotated[str, Field(min_length=1, max_length=256)]
Alias = Annotated[str, Field(max_length=64)]


class FileChoice(BaseModel):
    """An object version of a file."""

    relativeKey: Annotated[str, Field(min_length=1, max_length=1024)]
    versionId: Annotated[str, Field(min_length=1, max_length=1024)]


class VersionValues(BaseModel):
    """A version as it is created: of the latest files, or of those that are named."""

    comment: Comment
    versionAlias: Alias | None = None
    useLatestFiles: bool | None = None
    files: Annotated[list[FileChoice], Field(max_length=FILES_MAX)] | None = None

    @model_validator(mode="after")
    def _one_choice(self) -> VersionValues:
        if self.useLatestFiles and self.files:
            raise ValueError("give either useLatestFiles or files, not both")
        if self.useLatestFiles is False and not self.files:
            raise ValueError("give files, or useLatestFiles: true")
        keys = [choice.relativeKey.lstrip("/") for choice in self.files or []]
        if len(set(keys)) != len(keys):
            raise ValueError("a file is named twice in files")
        return self


class RevertValues(BaseModel):
    """How to revert."""

    comment: Annotated[str, Field(max_length=256)] | None = None
    revertMetadata: bool = False


class VersionChange(BaseModel):
    """What can be changed of a version. What is not given stays; an empty alias is removed."""

    comment: Comment | None = None
    versionAlias: Alias | None = None

    @model_validator(mode="after")
    def _something(self) -> VersionChange:
        if self.comment is None and self.versionAlias is None:
            raise ValueError("give comment, versionAlias or both")
        return self


class ArchiveChoice(BaseModel):
    """Whether the asset is archived, or unarchived, with its version."""

    withAsset: bool = False


@dataclass(frozen=True, slots=True)
class CreatedVersion:
    """A new version, and the paths of files that could not be in it."""

    version: AssetVersion
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """A version in a list."""

    version: AssetVersion
    is_current: bool
    file_count: int


@dataclass(frozen=True, slots=True)
class VersionFile:
    """A file of a version, and what has become of it in the bucket."""

    row: AssetFileVersion
    relative_path: str
    is_permanently_deleted: bool
    is_latest_archived: bool


@dataclass(frozen=True, slots=True)
class VersionDetails:
    """A version with its files and metadata."""

    version: AssetVersion
    files: tuple[VersionFile, ...]
    metadata: tuple[AssetFileMetadataVersion, ...]


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two versions, and what differs between them."""

    before: AssetVersion
    after: AssetVersion
    prefix: str
    """Of the keys of the files."""
    files: FileComparison
    metadata: MetadataComparison
