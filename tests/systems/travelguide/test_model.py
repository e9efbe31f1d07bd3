"""The travel guide's tables, attributes and enums against literals from its document."""

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from sortkey_systems.travelguide.geohash import geohash
from sortkey_systems.travelguide.model import (
    CACHE_LIFETIME,
    Article,
    ArticleStatus,
    Favorite,
    Location,
    Photo,
    PhotoTag,
    Profile,
    Trend,
    Visibility,
    articles,
    favorites,
    locations,
    model,
    photos,
    profiles,
    trends,
)

NOON = datetime(2025, 11, 1, 12, tzinfo=UTC)

ARTICLE: dict[str, Any] = {
    "articleId": {"S": "art-1"},
    "visibility": {"S": "public"},
    "createdAt": {"S": "2025-11-01T12:00:00.000000Z"},
    "updatedAt": {"S": "2025-11-01T12:30:00.000000Z"},
    "ownerId": {"S": "user-1"},
    "status": {"S": "published"},
    "title": {"S": "Hội An by lantern light"},
    "content": {"S": "We arrived at dusk."},
    "imageKeys": {"L": [{"S": "articles/art-1_a.jpg"}, {"S": "articles/art-1_b.jpg"}]},
    "coverImageKey": {"S": "articles/art-1_a.jpg"},
    "tags": {"L": [{"S": "lantern"}, {"S": "old town"}]},
    "lat": {"N": "15.8801"},
    "lng": {"N": "108.338"},
    "locationName": {"S": "Hội An, Quảng Nam, Vietnam"},
}

PHOTO: dict[str, Any] = {
    "photo_id": {"S": "articles/art-1_a.jpg"},
    "item_type": {"S": "Photo"},
    "articleId": {"S": "art-1"},
    "image_key": {"S": "articles/art-1_a.jpg"},
    "tags": {"L": [{"S": "lantern"}, {"S": "night"}]},
    "status": {"S": "public"},
    "lat": {"N": "15.8801"},
    "lng": {"N": "108.338"},
    "taken_at": {"S": "2025-10-30T18:05:00.000000Z"},
    "created_at": {"S": "2025-11-01T12:00:00.000000Z"},
}

LOCATION: dict[str, Any] = {
    "geohash": {"S": "w6v436c"},
    "locationName": {"S": "Hội An, Quảng Nam, Vietnam"},
    "lat": {"N": "15.8801"},
    "lng": {"N": "108.338"},
    "cachedAt": {"S": "2025-11-01T12:00:00.000000Z"},
    "ttl": {"N": "1764590400"},
}


def _text_attributes(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def _index(name: str, partition: str, sort: str) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": [
            {"AttributeName": partition, "KeyType": "HASH"},
            {"AttributeName": sort, "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }


@pytest.mark.accepts("TG-1")
def test_there_are_six_tables() -> None:
    # The deployment names them in its templates and policies.
    assert [table.name for table in model.tables] == [
        "ArticlesTable",
        "UserFavoritesTable",
        "GalleryPhotosTable",
        "GalleryTrendsTable",
        "UserProfilesTable",
        "LocationCacheTable",
    ]


@pytest.mark.accepts("TG-2", "TG-7", "TG-8", "TG-9", "TG-10", "TG-29")
def test_articles_are_the_table_of_the_document() -> None:
    # Three indexes, each by time, each with the whole article: a feed needs no second read.
    assert articles.definition() == {
        "TableName": "ArticlesTable",
        "AttributeDefinitions": _text_attributes(
            "articleId", "visibility", "createdAt", "ownerId", "status"
        ),
        "KeySchema": [{"AttributeName": "articleId", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [
            _index("gsi_visibility_createdAt", "visibility", "createdAt"),
            _index("gsi_owner_createdAt", "ownerId", "createdAt"),
            _index("gsi_status_createdAt", "status", "createdAt"),
        ],
    }


@pytest.mark.accepts("TG-11", "TG-13", "TG-29")
def test_favorites_have_a_composite_key_and_an_order_by_time() -> None:
    # The key alone sorts by article; people expect the last one first.
    assert favorites.definition() == {
        "TableName": "UserFavoritesTable",
        "AttributeDefinitions": _text_attributes("userId", "articleId", "createdAt"),
        "KeySchema": [
            {"AttributeName": "userId", "KeyType": "HASH"},
            {"AttributeName": "articleId", "KeyType": "RANGE"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "LocalSecondaryIndexes": [_index("lsi_createdAt", "userId", "createdAt")],
    }


@pytest.mark.accepts("TG-15", "TG-17", "TG-27", "TG-29")
def test_photos_keep_their_key_and_gain_indexes() -> None:
    # Without them every gallery page would scan the table.
    assert photos.definition() == {
        "TableName": "GalleryPhotosTable",
        "AttributeDefinitions": _text_attributes(
            "photo_id", "status", "created_at", "tag_name", "articleId"
        ),
        "KeySchema": [{"AttributeName": "photo_id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [
            _index("gsi_status_created_at", "status", "created_at"),
            _index("gsi_tag_created_at", "tag_name", "created_at"),
            _index("gsi_article_photo", "articleId", "photo_id"),
        ],
    }


@pytest.mark.accepts("TG-18", "TG-20", "TG-27", "TG-29")
def test_trends_keep_their_key_and_gain_a_ranking() -> None:
    # Counts are numbers in the index: 9 comes before 10.
    assert trends.definition() == {
        "TableName": "GalleryTrendsTable",
        "AttributeDefinitions": [
            *_text_attributes("tag_name", "rank_shard"),
            {"AttributeName": "count", "AttributeType": "N"},
        ],
        "KeySchema": [{"AttributeName": "tag_name", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [_index("gsi_rank_count", "rank_shard", "count")],
    }


@pytest.mark.accepts("TG-21", "TG-24", "TG-29")
def test_profiles_and_locations_have_a_key_alone() -> None:
    # Both are read one by one, or in a batch.
    for table, name, key in (
        (profiles, "UserProfilesTable", "userId"),
        (locations, "LocationCacheTable", "geohash"),
    ):
        assert table.definition() == {
            "TableName": name,
            "AttributeDefinitions": _text_attributes(key),
            "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }


@pytest.mark.accepts("TG-2", "TG-4", "TG-5")
def test_an_article_comes_back_as_it_was() -> None:
    # Metadata, visibility, timestamps, ownership: the complete post is one item.
    assert Article.from_item(ARTICLE).to_item() == ARTICLE


@pytest.mark.accepts("TG-4")
def test_instants_are_written_in_one_format_whatever_zone_they_came_in() -> None:
    # They are sort keys: two formats side by side would not sort by time.
    made = Article.from_item({**ARTICLE, "createdAt": {"S": "2025-11-01T19:00:00+07:00"}})
    assert made.to_item()["createdAt"] == {"S": "2025-11-01T12:00:00.000000Z"}


@pytest.mark.accepts("TG-3", "TG-6")
def test_visibility_and_status_are_those_of_the_document() -> None:
    # Both are partitions of an index: a misspelt one would be listed nowhere.
    assert get_args(Visibility) == ("public", "private")
    assert get_args(ArticleStatus) == ("draft", "published", "flagged")
    for wrong in ({"visibility": "hidden"}, {"status": "approved"}):
        with pytest.raises(ValidationError):
            Article(article_id="a", owner_id="u", title="T", content="C", **wrong)  # type: ignore[arg-type]


@pytest.mark.accepts("TG-7")
@pytest.mark.parametrize(
    ("visibility", "status", "shown"),
    [
        ("public", "published", True),
        ("public", "draft", False),
        ("public", "flagged", False),
        ("private", "published", False),
    ],
)
def test_everybody_sees_what_is_public_and_published(
    visibility: Any, status: Any, shown: bool
) -> None:
    # One rule for feed, search and get: the original leaked drafts through two of them.
    made = Article(
        article_id="a", owner_id="u", title="T", content="C", visibility=visibility, status=status
    )
    assert made.is_shown is shown


@pytest.mark.accepts("TG-2")
def test_an_article_needs_title_and_content_and_takes_four_images() -> None:
    # The model refuses what no page could show.
    article: Any = {"article_id": "a", "owner_id": "u", "title": "T", "content": "C"}
    for wrong in (
        {"title": ""},
        {"content": ""},
        {"image_keys": list("abcde")},
        {"lat": 91.0},
        {"lng": -181.0},
    ):
        with pytest.raises(ValidationError):
            Article(**{**article, **wrong})
    assert Article(**article, image_keys=list("abcd")).cover_image_key == "a"
    assert "coverImageKey" not in Article(**article).to_item()


@pytest.mark.accepts("TG-15", "TG-16", "TG-27")
def test_a_photo_comes_back_as_it_was_with_its_literal_names() -> None:
    # photo_id and articleId stand side by side in the document, and so they do here.
    assert Photo.from_item(PHOTO).to_item() == PHOTO


@pytest.mark.accepts("TG-17")
def test_a_public_photo_has_an_item_for_each_tag_and_a_private_one_none() -> None:
    # What is hidden must not be found by its tags.
    made = Photo.from_item(PHOTO)
    items = [tag.to_item() for tag in made.tag_items()]
    assert items[0] == {
        "photo_id": {"S": "articles/art-1_a.jpg#TAG#lantern"},
        "item_type": {"S": "PhotoTag"},
        "tag_name": {"S": "lantern"},
        "articleId": {"S": "art-1"},
        "image_key": {"S": "articles/art-1_a.jpg"},
        "created_at": {"S": "2025-11-01T12:00:00.000000Z"},
    }
    assert [PhotoTag.from_item(item).tag_name for item in items] == ["lantern", "night"]
    assert [PhotoTag.from_item(item).to_item() for item in items] == items
    assert made.changed(status="private").tag_items() == []


@pytest.mark.accepts("TG-17")
@pytest.mark.parametrize("typed", ["beach", "Beach", "#beach", " #BEACH "])
def test_a_tag_has_one_spelling(typed: str) -> None:
    # Or the trend is split, and a search for one misses the other.
    assert Trend(tag_name=typed).tag_name == "beach"
    assert Trend.key(tag_name=typed).item == {"tag_name": {"S": "beach"}}
    assert Photo(photo_id="p", article_id="a", image_key="k", tags=[typed]).tags == ["beach"]


@pytest.mark.accepts("TG-17")
@pytest.mark.parametrize("wrong", ["", " ", "#", "a#b", "x" * 65])
def test_what_is_no_tag_is_refused(wrong: str) -> None:
    # A tag is a key: an empty one cannot be stored, and # separates it from the photo.
    with pytest.raises(ValidationError):
        Trend(tag_name=wrong)


@pytest.mark.accepts("TG-15")
def test_a_photo_id_cannot_look_like_the_key_of_a_tag() -> None:
    # Two kinds of item share the table's key.
    with pytest.raises(ValidationError):
        Photo(photo_id="p#TAG#x", article_id="a", image_key="k")


@pytest.mark.accepts("TG-18")
def test_a_trend_comes_back_as_it_was() -> None:
    # rank_shard is its place in the ranking, always the same for a tag.
    item: dict[str, Any] = {
        "tag_name": {"S": "sea"},
        "count": {"N": "150"},
        "cover_image": {"S": "articles/art-1_a.jpg"},
        "last_updated": {"S": "2025-11-01T12:00:00.000000Z"},
        "rank_shard": {"S": "TRENDING#7"},
    }
    assert Trend.from_item(item).to_item() == item


@pytest.mark.accepts("TG-22", "TG-23")
def test_a_profile_has_what_is_public_and_nothing_else() -> None:
    # An e-mail address that has no field cannot be shown by mistake.
    item: dict[str, Any] = {
        "userId": {"S": "user-1"},
        "avatarUrl": {"S": "avatars/user-1.webp"},
        "fullName": {"S": "Lan Nguyễn"},
        "bio": {"S": "Slow trains."},
        "createdAt": {"S": "2025-11-01T12:00:00.000000Z"},
        "updatedAt": {"S": "2025-11-01T12:00:00.000000Z"},
    }
    assert Profile.from_item(item).to_item() == item
    with pytest.raises(ValidationError):
        Profile(user_id="user-1", email="lan@example.org")  # type: ignore[call-arg]
    legacy = Profile.from_item({**item, "email": {"S": "lan@example.org"}})
    assert "lan@example.org" not in repr(legacy) + legacy.model_dump_json()


@pytest.mark.accepts("TG-11")
def test_a_favorite_comes_back_as_it_was() -> None:
    # The pair is the key; the instant is for the order.
    item: dict[str, Any] = {
        "userId": {"S": "user-1"},
        "articleId": {"S": "art-1"},
        "createdAt": {"S": "2025-11-01T12:00:00.000000Z"},
    }
    assert Favorite.from_item(item).to_item() == item


@pytest.mark.accepts("TG-25")
def test_a_cached_location_lives_thirty_days_and_not_a_second_longer() -> None:
    # The sweep is lazy: until it comes, the entry itself must say that it is stale.
    assert Location.from_item(LOCATION).to_item() == LOCATION
    assert timedelta(days=30) == CACHE_LIFETIME
    cached = Location(
        geohash="w6v436c", location_name="Hội An", lat=15.88, lng=108.33, ttl=NOON + CACHE_LIFETIME
    )
    assert cached.is_fresh(NOON + timedelta(days=30, seconds=-1))
    assert not cached.is_fresh(NOON + timedelta(days=30))


@pytest.mark.accepts("TG-26")
@pytest.mark.parametrize(
    ("lat", "lng", "precision", "text"),
    [
        (57.64911, 10.40744, 11, "u4pruydqqvj"),
        (42.6, -5.6, 5, "ezs42"),
        (0.0, 0.0, 7, "s000000"),
        (-90.0, -180.0, 7, "0000000"),
        (90.0, 180.0, 7, "zzzzzzz"),
    ],
)
def test_a_geohash_is_the_published_one(lat: float, lng: float, precision: int, text: str) -> None:
    # Others compute the same text for the same point.
    assert geohash(lat, lng, precision) == text


@pytest.mark.accepts("TG-26")
def test_neighbours_share_a_geohash_and_the_cache_takes_no_other_length() -> None:
    # Two people at one corner must hit the same entry.
    assert geohash(15.88010, 108.33800) == geohash(15.88013, 108.33805)
    assert len(geohash(15.8801, 108.338)) == 7
    for wrong in ("w6v436", "w6v436ce", "W6V436C", "w6v436a", "900150983cd24fb0d6963f7d28e17f72"):
        with pytest.raises(ValidationError):
            Location(geohash=wrong, location_name="x", lat=0, lng=0, ttl=NOON)
    with pytest.raises(ValueError, match="not a point on earth"):
        geohash(91, 0)
