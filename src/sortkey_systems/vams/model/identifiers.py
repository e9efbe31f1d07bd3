"""What may stand in the composite attributes, whose values are joined with a colon: `databaseId:assetId`."""

from typing import Annotated, Final

from pydantic import Field

Identifier = Annotated[str, Field(pattern="^[^:#]+$")]
"""An id. A colon would make two composite values equal; `#` begins the mark of what is archived."""

MetadataKey = Annotated[str, Field(pattern="^[^:]+$")]
"""The name of a metadata value. It follows a file path in a composite value, and the path may have colons."""

FilePath = Annotated[str, Field(min_length=1)]
"""The path of a file within its asset, which may contain anything."""

WHOLE_ASSET: Final = "/"
"""The file path under which metadata and attributes of an asset itself are kept."""
