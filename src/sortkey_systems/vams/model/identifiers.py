"""What may stand in the composite attributes, whose values are joined with a colon:
`databaseId:assetId`.
"""

from typing import Annotated, Final

from pydantic import Field

Identifier = Annotated[str, Field(pattern="^[^:#]+$")]
"""An id. A colon would make two composite values equal; `#` begins the mark of what is archived."""

MetadataKey = Annotated[str, Field(pattern="^[^:]+$", examples=["author"])]
"""The name of a metadata value. It follows a file path in a composite value, and the path may have
colons.
"""

FilePath = Annotated[str, Field(min_length=1, examples=["/model/p101.glb"])]
"""The path of a file within its asset, which may contain anything."""

DatabaseId = Annotated[Identifier, Field(examples=["plant-rotterdam"])]
AssetId = Annotated[Identifier, Field(examples=["pump-p101"])]
AssetVersionId = Annotated[Identifier, Field(examples=["3"])]
AssetLinkId = Annotated[Identifier, Field(examples=["link-1"])]
WorkflowId = Annotated[Identifier, Field(examples=["web-model"])]
UserId = Annotated[str, Field(examples=["ines@example.com"])]
RoleName = Annotated[str, Field(examples=["engineers"])]
ObjectType = Annotated[str, Field(examples=["asset"])]
"""Examples are of the sample, so that a pattern that is explained or run with them has something to
show.
"""

WHOLE_ASSET: Final = "/"
"""The file path under which metadata and attributes of an asset itself are kept."""
