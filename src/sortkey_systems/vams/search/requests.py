"""What a search asks for: the bodies of POST /search and POST /search/simple, with their limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

EntityType = Literal["asset", "file"]
SIZE = 100
SIZE_MAX = 2000
REACH_MAX = 10_000
"""The last hit that a search can show: from + size."""

Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]
FieldName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Lat = Annotated[float, Field(ge=-90, le=90)]
Lon = Annotated[float, Field(ge=-180, le=180)]


class GeoPoint(BaseModel):
    """A place, and how far from it results may be."""

    lat: Lat
    lon: Lon
    radiusMeters: Annotated[float | None, Field(gt=0)] = None


class GeoBox(BaseModel):
    """A box from its north-western to its south-eastern corner."""

    topLeft: GeoPoint
    bottomRight: GeoPoint


class GeoSearch(BaseModel):
    """Where results are: exactly one of point, bbox and geoJson."""

    field: FieldName | None = None
    """The metadata key of the place; both spellings of "location" if it is left out."""
    relation: Literal["intersects", "within", "disjoint"] = "intersects"
    point: GeoPoint | None = None
    bbox: GeoBox | None = None
    geoJson: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _check_one(self) -> GeoSearch:
        if sum(each is not None for each in (self.point, self.bbox, self.geoJson)) != 1:
            raise ValueError("geoSearch needs exactly one of point, bbox and geoJson")
        return self


class SortField(BaseModel):
    """A field to sort by."""

    field: FieldName
    order: Literal["asc", "desc"] = "asc"


class SearchToken(BaseModel):
    """A condition on one property, or on all."""

    operation: Literal["AND", "OR"] = "AND"
    operator: Literal["=", ":", "!=", "!:"] = "="
    propertyKey: FieldName | None = None
    value: Annotated[Words, StringConstraints(min_length=1)]


class _Paged(BaseModel):
    """What both searches have in common. Null stands for what was left out."""

    model_config = ConfigDict(populate_by_name=True)
    query: Words | None = None
    entityTypes: Annotated[list[EntityType] | None, Field(max_length=2)] = None
    includeArchived: bool | None = False
    geoSearch: GeoSearch | None = None
    from_: Annotated[int | None, Field(alias="from", ge=0, le=REACH_MAX)] = 0
    size: Annotated[int | None, Field(ge=1, le=SIZE_MAX)] = SIZE

    @property
    def start(self) -> int:
        return self.from_ or 0

    @property
    def page_size(self) -> int:
        return self.size or SIZE

    @property
    def kinds(self) -> tuple[EntityType, ...]:
        """The indexes that are searched."""
        kinds: tuple[EntityType, ...] = ("asset", "file")
        return tuple(kind for kind in kinds if not self.entityTypes or kind in self.entityTypes)

    @model_validator(mode="after")
    def _check_reach(self) -> _Paged:
        if self.start + self.page_size > REACH_MAX:
            raise ValueError(f"from + size must not exceed {REACH_MAX}: narrow the search")
        return self


class SearchRequest(_Paged):
    """The body of POST /search."""

    metadataQuery: Words | None = None
    metadataSearchMode: Literal["key", "value", "both"] | None = "both"
    includeMetadataInSearch: bool | None = True
    tokens: Annotated[list[SearchToken] | None, Field(max_length=100)] = None
    operation: Literal["AND", "OR"] | None = "AND"
    filters: Annotated[list[dict[str, Any]] | None, Field(max_length=100)] = None
    sort: Annotated[list[SortField | dict[str, Any] | str] | None, Field(max_length=10)] = None
    aggregations: bool | None = True
    explainResults: bool | None = False
    includeHighlights: bool | None = True


class SimpleSearchRequest(_Paged):
    """The body of POST /search/simple. Everything given must match."""

    assetName: Words | None = None
    assetId: Words | None = None
    assetType: Words | None = None
    fileKey: Annotated[str | None, Field(max_length=2000)] = None
    fileExtension: Annotated[
        str | None, Field(max_length=100, pattern=r"^\s*\.?[A-Za-z0-9]*\s*$")
    ] = None
    databaseId: Words | None = None
    tags: Annotated[list[Words] | None, Field(max_length=100)] = None
    metadataKey: Words | None = None
    metadataValue: Words | None = None
