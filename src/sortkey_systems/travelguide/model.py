"""The travel guide's six tables: articles, favourites, gallery photos, tag trends, user profiles,
cached locations.

Attribute names are the document's own, camelCase or snake_case as it has them. Who may see what is
the service's.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, computed_field

from sortkey import (
    GSI,
    LSI,
    Created,
    Entity,
    EpochSeconds,
    Instant,
    KeyOnly,
    Model,
    Named,
    Query,
    States,
    Table,
    Updated,
    attr,
    camel,
    index,
    key,
    query,
)
from sortkey_systems.travelguide.geohash import ALPHABET, PRECISION

model = Model(
    "travelguide", doc="Articles of travellers, favourites, a gallery with trending tags."
)

IMAGES_MAX = 4
CACHE_LIFETIME = timedelta(days=30)


def tag_text(tag: str) -> str:
    """One spelling of a tag, however it was typed: `#Beach ` is `beach`."""
    return tag.strip().lstrip("#").strip().casefold()


ArticleId = Annotated[str, Field(examples=["hoi-an-lanterns"])]
UserId = Annotated[str, Field(examples=["mara"])]
Tag = Annotated[
    str, BeforeValidator(tag_text), Field(pattern=r"^[^#]+$", max_length=64, examples=["lanterns"])
]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]


# -- 1. ArticlesTable

articles = model.add(
    Table(
        "ArticlesTable",
        key=("articleId",),
        indexes=[
            GSI("gsi_visibility_createdAt", "visibility", "createdAt"),
            GSI("gsi_owner_createdAt", "ownerId", "createdAt"),
            GSI("gsi_status_createdAt", "status", "createdAt"),
        ],
        doc="Stores all articles created by users.",
    )
)

Visibility = Literal["public", "private"]
ArticleStatus = Literal["draft", "published", "flagged"]

MODERATION = States(
    {
        "draft": ("published", "flagged"),
        "published": ("draft", "flagged"),
        "flagged": ("draft", "published"),
    },
    start=("draft", "published"),
)
"""A new article cannot be flagged: only moderation flags articles."""


class Article(Entity, table=articles, names=camel):
    """A complete travel post: metadata, visibility settings, timestamps, ownership."""

    article_id: ArticleId
    visibility: Visibility = "public"
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None
    owner_id: UserId
    """ID of the user who created the article."""
    status: Annotated[ArticleStatus, MODERATION] = "draft"
    title: Annotated[str, Field(min_length=1)]
    content: Annotated[str, Field(min_length=1)]
    image_keys: Annotated[list[str], Field(max_length=IMAGES_MAX)] = []
    tags: list[Tag] = []
    lat: Latitude | None = None
    lng: Longitude | None = None
    location_name: str | None = None

    @computed_field
    @property
    def cover_image_key(self) -> str | None:
        """The first image."""
        return self.image_keys[0] if self.image_keys else None

    @property
    def is_shown(self) -> bool:
        """Whether everybody may see it."""
        return self.visibility == "public" and self.status == "published"

    @key("{articleId}")
    def key(*, article_id: str):
        """An article by its id."""

    @index("gsi_visibility_createdAt", "{visibility}", "{createdAt}")
    def by_visibility(*, visibility: Visibility):
        """For listing public articles in the home feed."""

    @index("gsi_owner_createdAt", "{ownerId}", "{createdAt}")
    def of_owner(*, owner_id: str):
        """For user profile pages."""

    @index("gsi_status_createdAt", "{status}", "{createdAt}")
    def by_status(*, status: ArticleStatus):
        """For admin filtering and moderation."""


# -- 2. UserFavoritesTable

favorites = model.add(
    Table(
        "UserFavoritesTable",
        key=("userId", "articleId"),
        indexes=[LSI("lsi_createdAt", "createdAt")],
        doc="Stores the relationship between a user and the articles they have favorited.",
    )
)


class Favorite(Entity, table=favorites, names=camel):
    """One article that a user has favorited. The article may be gone by now: readers skip it."""

    user_id: UserId
    article_id: ArticleId
    created_at: Annotated[Instant | None, Created] = None

    @key("{userId}", "{articleId}")
    def key(*, user_id: str, article_id: str):
        """Checking whether a user has favorited an article."""

    @query(key)
    def of_user(*, user_id: str):
        """Listing all favorites of the current user, by article."""

    @index("lsi_createdAt", "{userId}", "{createdAt}")
    def by_time(*, user_id: str):
        """Listing all favorites of the current user, in the order in which they were made."""


# -- 3. GalleryPhotosTable

photos = model.add(
    Table(
        "GalleryPhotosTable",
        key=("photo_id",),
        indexes=[
            GSI("gsi_status_created_at", "status", "created_at", doc="Gallery browsing."),
            GSI("gsi_tag_created_at", "tag_name", "created_at", doc="Filtering by tags."),
            GSI(
                "gsi_article_photo",
                "articleId",
                "photo_id",
                doc="What the gallery has of an article.",
            ),
        ],
        kind_attribute="item_type",
        doc="Stores metadata for individual images extracted from articles.",
    )
)

PhotoId = Annotated[str, Field(pattern=r"^[^#]+$", examples=["hoi-an-lanterns-1"])]


class Photo(Entity, table=photos, kind="Photo"):
    """One image of an article, with its detected tags. `private` while its article is not shown."""

    photo_id: PhotoId
    article_id: Annotated[ArticleId, Named("articleId")]
    """Which article the photo belongs to."""
    image_key: str
    """S3 image key."""
    tags: list[Tag] = []
    """Detected tags."""
    status: Visibility = "public"
    lat: Latitude | None = None
    lng: Longitude | None = None
    taken_at: Instant | None = None
    created_at: Annotated[Instant | None, Created] = None

    @key("{photo_id}")
    def key(*, photo_id: str):
        """A photo by its id."""

    @index("gsi_status_created_at", "{status}", "{created_at}")
    def gallery(*, status: Visibility):
        """Gallery browsing: the photos of a status, by time."""

    @index("gsi_article_photo", "{articleId}", "{photo_id}")
    def of_article(*, article_id: str):
        """The photos of an article."""

    def tag_items(self) -> list[PhotoTag]:
        """What the gallery finds this photo by: an item for each tag, and none while it is
        private.
        """
        if self.status == "private":
            return []
        common = {
            "photo_id": self.photo_id,
            "article_id": self.article_id,
            "image_key": self.image_key,
        }
        return [
            PhotoTag(**common, tag_name=tag, created_at=self.created_at)
            for tag in dict.fromkeys(self.tags)
        ]


class PhotoTag(Entity, table=photos, kind="PhotoTag"):
    """One tag of one photo that is shown: an index has one entry for an item, and a photo has many
    tags.
    """

    photo_id: KeyOnly[PhotoId]
    tag_name: Tag
    article_id: Annotated[ArticleId, Named("articleId")]
    image_key: str
    created_at: Annotated[Instant | None, Created] = None

    @key("{photo_id}#TAG#{tag_name}")
    def key(*, photo_id: str, tag_name: str):
        """Whether a photo has a tag."""

    @index("gsi_tag_created_at", "{tag_name}", "{created_at}")
    def of_tag(*, tag_name: str):
        """Filtering by tags, and tag-based article recommendation."""

    @index("gsi_article_photo", "{articleId}", "{photo_id}#TAG#{tag_name}")
    def of_article(*, article_id: str):
        """The tags of an article's photos."""


# -- 4. GalleryTrendsTable

trends = model.add(
    Table(
        "GalleryTrendsTable",
        key=("tag_name",),
        indexes=[GSI("gsi_rank_count", "rank_shard", "count", doc="Trending tags, by count.")],
        types={"count": "N"},
        doc="Maintains tag popularity statistics for the gallery.",
    )
)

TREND_SHARDS = 8
"""The ranking is one list, and every tag of every photo writes to it."""


class Trend(Entity, table=trends):
    """How many photos that are shown have a tag. Ingestion raises it, deleting and hiding
    lower it.
    """

    tag_name: Tag
    count: Annotated[int, Field(ge=0)] = 0
    cover_image: str | None = None
    last_updated: Annotated[Instant | None, Updated] = None

    @key("{tag_name}")
    def key(*, tag_name: str):
        """The popularity of a tag."""

    @index("gsi_rank_count", "TRENDING#{shard}", "{count}", shards=TREND_SHARDS)
    def trending():
        """Provides trending tags for the homepage."""


# -- 5. UserProfilesTable

profiles = model.add(
    Table(
        "UserProfilesTable",
        key=("userId",),
        doc="Stores public profile information of users displayed in article feeds and profile pages.",
    )
)


class Profile(Entity, table=profiles, names=camel):
    """The public profile of a user. Private identity data lives elsewhere and has no field
    here.
    """

    user_id: UserId
    avatar_url: str | None = None
    """Avatar image URL."""
    full_name: str | None = None
    bio: str | None = None
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{userId}")
    def key(*, user_id: str):
        """The profile of a user; in a batch, those of a feed's authors."""


# -- 6. LocationCacheTable

locations = model.add(
    Table(
        "LocationCacheTable",
        key=("geohash",),
        ttl="ttl",
        doc="Caches results of reverse-geocoding to reduce cost and improve performance.",
    )
)

Geohash = Annotated[str, Field(pattern=f"^[{ALPHABET}]{{{PRECISION}}}$", examples=["w6v436c"])]


class Location(Entity, table=locations, names=camel):
    """The human-readable location of a cell of the map."""

    geohash: Geohash
    location_name: str
    """Human-readable location."""
    lat: Latitude
    lng: Longitude
    cached_at: Annotated[Instant | None, Created] = None
    ttl: EpochSeconds
    """Automatically deletes outdated entries."""

    @key("{geohash}")
    def key(*, geohash: str):
        """The cached location of a geohash."""

    def is_fresh(self, now: datetime) -> bool:
        """Whether it may be served. An outdated entry may not, even before it is deleted."""
        return now < self.ttl


# -- Usage


@model.pattern
def home_feed(viewer: str | None = None) -> Query[Article]:
    """Public articles in the home feed, newest first: the published ones, and the viewer's own."""
    published = attr(Article.status) == "published"
    visible = published if viewer is None else published | (Article.owner_id == viewer)
    return Article.by_visibility(visibility="public").where(visible).descending()


@model.pattern
def profile_page(owner_id: UserId) -> Query[Article]:
    """What others see on a user's profile page: public and published articles, newest first."""
    mine = Article.of_owner(owner_id=owner_id).where(Article.visibility == "public")
    return mine.where(Article.status == "published").descending()


@model.pattern
def newest_photos() -> Query[Photo]:
    """Gallery browsing, newest first."""
    return Photo.gallery(status="public").descending()


@model.pattern
def photos_with_tag(tag_name: Tag) -> Query[PhotoTag]:
    """Filtering by tags, newest first."""
    return PhotoTag.of_tag(tag_name=tag_name).descending()


@model.pattern
def trending_tags() -> Query[Trend]:
    """Trending tags for the homepage, the most used first. Tags without photos are left out."""
    return Trend.trending().at_least(1).descending()


@model.collection(Photo, PhotoTag, index="gsi_article_photo")
def gallery_of_article(*, article_id: ArticleId):
    """The photos of an article in the gallery, each with its tags."""
