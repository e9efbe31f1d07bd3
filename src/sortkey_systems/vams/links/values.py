"""What requests about links carry."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

TAGS_MAX = 100

DatabaseId = Annotated[str, Field(min_length=1, max_length=63, pattern="^[^:#]+$")]
AssetId = Annotated[str, Field(min_length=1, max_length=256, pattern="^[^:#]+$")]
Alias = Annotated[str, Field(max_length=128)]
Tags = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=256)]], Field(max_length=TAGS_MAX)
]


class LinkValues(BaseModel):
    """A link as it is created."""

    fromAssetId: AssetId
    fromAssetDatabaseId: DatabaseId
    toAssetId: AssetId
    toAssetDatabaseId: DatabaseId
    relationshipType: Literal["parentChild", "related"]
    assetLinkAliasId: Alias | None = None
    tags: Tags | None = None


class LinkChange(BaseModel):
    """What can be changed of a link. What is not given stays; an empty alias is removed."""

    assetLinkAliasId: Alias | None = None
    tags: Tags | None = None
