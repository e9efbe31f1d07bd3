"""What clients send about assets, with the rules for their ids and names."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, Field, field_validator

from sortkey_systems.vams.assets.places import RESERVED

TAGS_MAX = 100
BYTES_MAX = 512
"""Of an asset id: it is part of keys of 1024 bytes."""
_FORBIDDEN = re.compile(r'[<>:"/\\|?*#\x00-\x1f\x7f\ufffe\uffff\U0010ffff]')

AssetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9\-._ ]{1,256}$")]
TagName = Annotated[str, Field(min_length=1, max_length=256)]
Tags = Annotated[list[TagName], Field(max_length=TAGS_MAX)]
Description = Annotated[str, Field(min_length=4, max_length=256)]
Reason = Annotated[str, Field(max_length=256)]


class NewAsset(BaseModel):
    """An asset as it is created."""

    databaseId: Annotated[str, Field(max_length=63)]
    assetName: AssetName
    description: Description
    isDistributable: bool = False
    tags: Tags | None = None
    bucketExistingKey: Annotated[str, Field(max_length=512)] | None = None
    assetId: str | None = None

    @field_validator("assetId")
    @classmethod
    def _id(cls, value: str | None) -> str | None:
        return asset_id_of(value) if value else None


class AssetChange(BaseModel):
    """What can be changed of an asset. What is not given stays; tags are replaced."""

    assetName: AssetName | None = None
    description: Description | None = None
    isDistributable: bool | None = None
    tags: Tags | None = None


def asset_id_of(text: str) -> str:
    """A text that can be the id of an asset: the name of a folder. Raises ValueError."""
    if not 1 <= len(text) <= 256:
        raise ValueError("an asset id has 1 to 256 characters")
    if _FORBIDDEN.search(text) or text[-1] in ". " or text[0] == " ":
        raise ValueError(
            'an asset id has none of < > : " / \\ | ? * # and does not end in a dot or a space'
        )
    if text.lower() in RESERVED:
        raise ValueError(f"{text} is a reserved folder of the bucket: choose another id")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise ValueError("an asset id is Unicode text") from None
    if size > BYTES_MAX:
        raise ValueError(f"an asset id has at most {BYTES_MAX} bytes in UTF-8")
    return text
