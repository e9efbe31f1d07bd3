"""Classification tables: tags, tag types, subscriptions and comments."""

from typing import Annotated

from pydantic import Field

from sortkey import Entity, Named, Table, camel, key, query
from sortkey_systems.vams.model.identifiers import AssetId, AssetVersionId, Identifier

tag_storage = Table("TagStorageTable", key=("tagName",), doc="Stores tags.")

tag_type_storage = Table("TagTypeStorageTable", key=("tagTypeName",), doc="Stores types of tags.")

subscriptions_storage = Table(
    "SubscriptionsStorageTable",
    key=("eventName", "entityName_entityId"),
    doc="Stores who is notified of which event of which entity.",
)

comment_storage = Table(
    "CommentStorageTable",
    key=("assetId", "assetVersionId:commentId"),
    doc="Stores comments on versions of assets.",
)


class Tag(Entity, table=tag_storage, names=camel):
    """A tag for assets."""

    tag_name: Annotated[str, Field(examples=["pump"])]
    description: str | None = None
    tag_type_name: str | None = None

    @key("{tagName}")
    def key(*, tag_name: str):
        """A tag by its name."""


class TagType(Entity, table=tag_type_storage, names=camel):
    """A type of tags."""

    tag_type_name: Annotated[str, Field(examples=["equipment"])]
    description: str | None = None
    required: str | None = None
    """"True" or "False", as clients send and read it: whether every asset needs a tag of it."""
    mark: str | None = None
    """Another one with every tag that gets this type, so that no type is deleted meanwhile."""

    @key("{tagTypeName}")
    def key(*, tag_type_name: str):
        """A tag type by its name."""


class Subscription(Entity, table=subscriptions_storage, names=camel):
    """The subscribers to an event of an entity."""

    event_name: Annotated[str, Field(examples=["Asset Version Change"])]
    entity_name: Annotated[Identifier, Field(examples=["Asset"])]
    entity_id: Annotated[Identifier, Field(examples=["pump-p101"])]
    subscribers: tuple[str, ...] = ()
    """Of the entity in all databases."""
    subscribers_by_database: dict[str, tuple[str, ...]] | None = None
    """Two databases can have an asset of one id. Without it, the subscribers are of each."""

    @key("{eventName}", "{entityName}#{entityId}")
    def key(*, event_name: str, entity_name: str, entity_id: str):
        """The subscription to an event of an entity."""

    @query(key)
    def of_event(*, event_name: str, entity_name: str | None = None):
        """Subscriptions to an event, on all entities or those of a name."""


class Comment(Entity, table=comment_storage, names=camel):
    """A comment on a version of an asset."""

    asset_id: AssetId
    asset_version_id: AssetVersionId
    comment_id: Annotated[Identifier, Field(examples=["comment-02"])]
    comment_body: str
    database_id: str | None = None
    """Two databases can have an asset of one id. Without it, the comment is of each."""
    comment_owner_id: Annotated[str | None, Named("commentOwnerID")] = None
    comment_owner_username: str | None = None
    date_created: str | None = None
    date_edited: str | None = None

    @key("{assetId}", "{assetVersionId}:{commentId}")
    def key(*, asset_id: str, asset_version_id: str, comment_id: str):
        """A comment."""

    @query(key)
    def of_asset(*, asset_id: str, asset_version_id: str | None = None):
        """Comments on an asset, on all versions or one."""
