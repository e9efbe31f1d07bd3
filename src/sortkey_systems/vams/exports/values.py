"""What a request for an export carries."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, field_validator

EXTENSIONS_MAX = 100
ASSETS_DEFAULT, ASSETS_MAX = 100, 1000


class ExportValues(BaseModel):
    """What an export has. The defaults are those of the interface."""

    generatePresignedUrls: bool = False
    includeFolderFiles: bool = False
    includeOnlyPrimaryTypeFiles: bool = False
    includeFileMetadata: bool = True
    includeAssetLinkMetadata: bool = True
    includeAssetMetadata: bool = True
    fetchAssetRelationships: bool = True
    fetchEntireChildrenSubtrees: bool = False
    includeParentRelationships: bool = False
    includeArchivedFiles: bool = False
    fileExtensions: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=32)]],
            Field(max_length=EXTENSIONS_MAX),
        ]
        | None
    ) = None
    maxAssets: Annotated[int, Field(ge=1, le=ASSETS_MAX)] = ASSETS_DEFAULT
    startingToken: str | None = None

    @field_validator("fileExtensions")
    @classmethod
    def _dotted(cls, value: list[str] | None) -> list[str] | None:
        return None if value is None else [f".{each.lower().lstrip('.')}" for each in value]
