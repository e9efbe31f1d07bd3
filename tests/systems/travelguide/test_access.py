"""The travel guide's access patterns on the embedded engine."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sortkey import Delete, Put, Store, Update, attr
from sortkey.engine import Engine
from sortkey.errors import AlreadyExists, ModelError
from sortkey.testing import FrozenClock
from sortkey_systems.travelguide.model import (
    CACHE_LIFETIME,
    Article,
    Favorite,
    Location,
    Photo,
    PhotoTag,
    Profile,
    Trend,
    gallery_of_article,
    home_feed,
    model,
    newest_photos,
    photos_with_tag,
    profile_page,
    trending_tags,
)
from tests.systems.embedded import embedded

NOON = datetime(2025, 11, 1, 12, tzinfo=UTC)
engine, store = embedded(model, NOON)


def article(name: str, minutes: int = 0, **values: Any) -> Article:
    given: dict[str, Any] = {
        "owner_id": "ada",
        "title": name,
        "content": "…",
        "status": "published",
        **values,
    }
    return Article(article_id=name, created_at=NOON + timedelta(minutes=minutes), **given)


def photo(name: str, minutes: int = 0, **values: Any) -> Photo:
    given: dict[str, Any] = {"article_id": "art-1", "image_key": f"articles/{name}.jpg", **values}
    return Photo(photo_id=name, created_at=NOON + timedelta(minutes=minutes), **given)


def names(found: list[Any], field: str) -> list[str]:
    return [getattr(each, field) for each in found]


@pytest.mark.accepts("TG-1", "TG-25", "TG-29")
def test_the_tables_are_made_and_the_cache_expires(store: Store) -> None:
    # A cache that never forgets serves places that have been renamed.
    expiry = store.backend.call("DescribeTimeToLive", {"TableName": "LocationCacheTable"})
    assert expiry["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "ttl",
    }
    assert store.ensure(model) == []


@pytest.mark.accepts("TG-7")
def test_the_home_feed_is_public_and_published_newest_first(store: Store) -> None:
    # The index holds drafts and flagged ones too: a page is filled across them.
    hidden = [article(f"draft{n}", n, status="draft") for n in range(10)]
    for each in (
        *hidden,
        article("old", -5),
        article("new", 20),
        article("mine", 3, visibility="private"),
    ):
        store.create(each)
    store.create(article("bobs", 7, owner_id="bob", status="draft"))
    assert names(store.query(home_feed()), "article_id") == ["new", "old"]
    assert names(store.query(home_feed().limit(2)), "article_id") == ["new", "old"]
    assert names(store.query(home_feed(viewer="bob")), "article_id") == ["new", "bobs", "old"]


@pytest.mark.accepts("TG-8")
def test_a_profile_page_lists_the_articles_of_its_owner_by_time(store: Store) -> None:
    # The owner sees all; others get the same list filtered.
    for each in (article("b", 2), article("a", 1, status="draft"), article("c", 3, owner_id="bob")):
        store.create(each)
    store.create(article("d", 4, visibility="private"))
    assert names(store.query(Article.of_owner(owner_id="ada")), "article_id") == ["a", "b", "d"]
    assert names(store.query(profile_page("ada")), "article_id") == ["b"]


@pytest.mark.accepts("TG-6", "TG-9")
def test_moderation_lists_by_status_and_flags(store: Store) -> None:
    # Flagging moves the article from one list to the other in the same write.
    store.create(article("a", 1))
    store.create(article("b", 2))
    store.move(Article.key(article_id="a"), Article.status, "flagged")
    assert names(store.query(Article.by_status(status="flagged")), "article_id") == ["a"]
    assert names(store.query(Article.by_status(status="published")), "article_id") == ["b"]
    with pytest.raises(ModelError):
        store.create(article("c", status="flagged"))


@pytest.mark.accepts("TG-11", "TG-12", "TG-14")
def test_whether_a_user_has_favorited_an_article_is_one_get(store: Store) -> None:
    # Favouriting twice is one favourite: the second put replaces the first.
    key = Favorite.key(user_id="ada", article_id="art-1")
    assert store.find(key) is None
    store.put(Favorite(user_id="ada", article_id="art-1"))
    store.put(Favorite(user_id="ada", article_id="art-1"))
    assert store.get(key).article_id == "art-1"
    assert store.count(Favorite.of_user(user_id="ada")) == 1
    with pytest.raises(AlreadyExists):
        store.create(Favorite(user_id="ada", article_id="art-1"))


@pytest.mark.accepts("TG-14")
def test_a_favorite_whose_article_is_gone_is_a_gap_in_the_batch(store: Store) -> None:
    # Nothing leads from an article to its favourites: readers skip what is missing.
    store.create(article("here"))
    for name in ("gone", "here"):
        store.put(Favorite(user_id="ada", article_id=name))
    wanted = [
        Article.key(article_id=each.article_id)
        for each in store.query(Favorite.of_user(user_id="ada"))
    ]
    assert [each.article_id for each in store.batch_get(wanted) if each is not None] == ["here"]


@pytest.mark.accepts("TG-13")
def test_all_favorites_of_a_user_are_one_query_also_by_time(store: Store) -> None:
    # The original broke above a hundred.
    for number in range(130):
        made = NOON + timedelta(minutes=(number * 7) % 130)
        store.put(Favorite(user_id="ada", article_id=f"art-{number:03d}", created_at=made))
    store.put(Favorite(user_id="bob", article_id="art-000"))
    found = names(store.query(Favorite.of_user(user_id="ada")), "article_id")
    assert found == [f"art-{number:03d}" for number in range(130)]
    times = [each.created_at for each in store.query(Favorite.by_time(user_id="ada").descending())]
    assert times == [NOON + timedelta(minutes=minute) for minute in reversed(range(130))]


@pytest.mark.accepts("TG-15", "TG-17")
def test_the_gallery_is_browsed_page_by_page_newest_first(store: Store) -> None:
    # Without a scan, and without what is private.
    for number in range(12):
        store.create(photo(f"p{number:02d}", (number * 5) % 12))
    store.create(photo("hidden", 6, status="private"))
    found = store.query(newest_photos())
    assert [each.created_at for each in found] == [
        NOON + timedelta(minutes=m) for m in reversed(range(12))
    ]
    newest = store.query(newest_photos().limit(3))
    assert names(newest, "photo_id") == names(found[:3], "photo_id")
    paged = list[Photo]()
    cursor = None
    for _ in range(4):
        page = store.page(newest_photos(), cursor=cursor, size=5)
        paged, cursor = [*paged, *page.items], page.cursor
        if cursor is None:
            break
    assert names(paged, "photo_id") == names(found, "photo_id")


@pytest.mark.accepts("TG-17", "TG-19")
def test_photos_are_found_by_their_tag_and_lead_to_articles(store: Store) -> None:
    # By the whole tag: "sea" does not find "seal".
    for each in (
        photo("p1", 1, tags=["sea", "boat"]),
        photo("p2", 2, tags=["seal"], article_id="art-2"),
    ):
        store.create(each)
        for tag in each.tag_items():
            store.create(tag)
    found = store.query(photos_with_tag("Sea"))
    assert [(each.photo_id, each.article_id) for each in found] == [("p1", "art-1")]


@pytest.mark.accepts("TG-16", "TG-20")
def test_everything_that_the_gallery_has_of_an_article_is_found_for_its_deletion(
    store: Store,
) -> None:
    # The original left photos and counts behind.
    mine = photo("p1", 1, tags=["sea", "boat"])
    for each in (mine, *mine.tag_items(), photo("p2", 2), photo("other", 3, article_id="art-2")):
        store.create(each)
    assert names(store.query(Photo.of_article(article_id="art-1")), "photo_id") == ["p1", "p2"]
    assert names(store.query(PhotoTag.of_article(article_id="art-1")), "tag_name") == [
        "boat",
        "sea",
    ]
    both = store.collection(gallery_of_article(article_id="art-1"))
    assert names(both.of(Photo), "photo_id") == ["p1", "p2"]
    assert [(each.photo_id, each.tag_name) for each in both.of(PhotoTag)] == [
        ("p1", "boat"),
        ("p1", "sea"),
    ]


@pytest.mark.accepts("TG-18", "TG-19", "TG-20")
def test_counts_rise_and_fall_and_the_ranking_follows(store: Store) -> None:
    # The first photo of a tag makes its trend; deleting photos lowers it again.
    for tag, count in (("sea", 12), ("boat", 9), ("night", 3)):
        for _ in range(count):
            store.update(Trend.key(tag_name=tag), attr(Trend.count).add(1), upsert=True)
    assert names(store.query(trending_tags().limit(2)), "tag_name") == ["sea", "boat"]
    store.update(Trend.key(tag_name="sea"), attr(Trend.count).subtract(11), when=Trend.count >= 11)
    ranked = store.query(trending_tags())
    assert [(each.tag_name, each.count) for each in ranked] == [
        ("boat", 9),
        ("night", 3),
        ("sea", 1),
    ]
    store.update(Trend.key(tag_name="sea"), attr(Trend.count).subtract(1))
    assert names(store.query(trending_tags()), "tag_name") == ["boat", "night"]
    assert store.get(Trend.key(tag_name="night")).last_updated == NOON


@pytest.mark.accepts("TG-17", "TG-20")
def test_a_photo_is_hidden_from_gallery_tags_and_ranking_in_one_transaction(store: Store) -> None:
    # A private article's photo must not show up in a list that was forgotten.
    made = photo("p1", 1, tags=["sea"])
    store.transact(
        Put(made, "create"),
        *(Put(each, "create") for each in made.tag_items()),
        Update(Trend.key(tag_name="sea"), (attr(Trend.count).add(1),), upsert=True),
    )
    assert names(store.query(newest_photos()), "photo_id") == ["p1"]
    store.transact(
        Update(Photo.key(photo_id="p1"), (attr(Photo.status).set("private"),)),
        *(Delete(PhotoTag.key(photo_id="p1", tag_name=tag)) for tag in made.tags),
        Update(Trend.key(tag_name="sea"), (attr(Trend.count).subtract(1),)),
    )
    assert store.query(newest_photos()) == []
    assert store.query(photos_with_tag("sea")) == []
    assert store.query(trending_tags()) == []
    assert names(store.query(Photo.gallery(status="private")), "photo_id") == ["p1"]


@pytest.mark.accepts("TG-20")
def test_counts_can_be_rebuilt_from_the_photos(store: Store) -> None:
    # Private photos count for nothing.
    for each in (
        photo("p1", 1, tags=["sea"]),
        photo("p2", 2, tags=["sea", "boat"]),
        photo("p3", 3, status="private"),
    ):
        store.create(each)
    counted: dict[str, int] = {}
    for each in store.iterate(Photo.gallery(status="public")):
        for tag in each.tags:
            counted[tag] = counted.get(tag, 0) + 1
    for tag, count in counted.items():
        store.put(Trend(tag_name=tag, count=count))
    ranked = store.query(trending_tags())
    assert [(each.tag_name, each.count) for each in ranked] == [("sea", 2), ("boat", 1)]


@pytest.mark.accepts("TG-21", "TG-28")
def test_the_profiles_of_a_feed_are_one_batch(store: Store) -> None:
    # A missing profile is a gap, not an error.
    store.create(Profile(user_id="ada", full_name="Ada"))
    store.create(Profile(user_id="bob", full_name="Bob"))
    keys = [Profile.key(user_id=name) for name in ("bob", "nobody", "ada")]
    found = store.batch_get(keys)
    assert [each.full_name if each else None for each in found] == ["Bob", None, "Ada"]


@pytest.mark.accepts("TG-24", "TG-28")
def test_a_location_is_found_by_its_geohash(store: Store) -> None:
    # One cheap read instead of a call to a geocoder.
    store.put(
        Location(
            geohash="w6v436c",
            location_name="Hội An",
            lat=15.88,
            lng=108.33,
            ttl=NOON + CACHE_LIFETIME,
        )
    )
    assert store.get(Location.key(geohash="w6v436c")).location_name == "Hội An"
    assert store.find(Location.key(geohash="w6v436f")) is None


@pytest.mark.accepts("TG-25")
def test_an_outdated_location_is_deleted(
    store: Store, engine: Engine, sortkey_clock: FrozenClock
) -> None:
    # Places are renamed, and the table must not grow for ever.
    key = Location.key(geohash="w6v436c")
    store.put(
        Location(
            geohash="w6v436c",
            location_name="Hội An",
            lat=15.88,
            lng=108.33,
            ttl=NOON + CACHE_LIFETIME,
        )
    )
    sortkey_clock.advance(timedelta(days=29).total_seconds())
    while engine.work() == 0:
        pass
    assert store.find(key) is not None
    sortkey_clock.advance(timedelta(days=1, minutes=1).total_seconds())
    while engine.work() == 0:
        pass
    assert store.find(key) is None


@pytest.mark.accepts("TG-28", "TG-29")
def test_every_access_pattern_is_a_get_or_a_query() -> None:
    # No user's path scans, and each says what it is for.
    patterns = {each.name: each for each in model.patterns()}
    assert list(patterns) == [
        "Article.key",
        "Article.by_visibility",
        "Article.of_owner",
        "Article.by_status",
        "Favorite.key",
        "Favorite.of_user",
        "Favorite.by_time",
        "Photo.key",
        "Photo.gallery",
        "Photo.of_article",
        "PhotoTag.key",
        "PhotoTag.of_tag",
        "PhotoTag.of_article",
        "Trend.key",
        "Trend.trending",
        "Profile.key",
        "Location.key",
        "home_feed",
        "profile_page",
        "newest_photos",
        "photos_with_tag",
        "trending_tags",
        "gallery_of_article",
    ]
    assert all(each.doc for each in patterns.values())
    assert {each.explain().operation for each in patterns.values()} == {"GetItem", "Query"}
