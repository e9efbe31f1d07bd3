"""The sample travellers: something for every access pattern, and counts, photos and places that
agree.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta

from sortkey import Store
from sortkey_systems.travelguide.geohash import geohash
from sortkey_systems.travelguide.model import (
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
    profile_page,
    trending_tags,
)
from sortkey_systems.travelguide.sample import load
from tests.systems.sample_patterns import everything, silent, silent_examples, with_sample

store = with_sample(model, load)


def test_every_access_pattern_shows_something(store: Store) -> None:
    # A newcomer who runs a pattern on the sample and finds nothing learns nothing.
    assert silent(store, model, viewer="mara") == []


def test_the_examples_of_the_model_are_of_the_sample(store: Store) -> None:
    # Who types what stands in the fields of a form sees the pattern at work.
    assert silent_examples(store, model) == []


def test_loading_it_again_changes_nothing(store: Store) -> None:
    # It is called at every start, and what somebody has changed by hand must stay.
    store.update(Profile.key(user_id="ben"), set={"bio": "Sold the camera."})
    before = everything(store, model)
    load(store)
    assert everything(store, model) == before


def test_articles_are_in_every_status_and_the_feed_shows_those_that_are_meant(store: Store) -> None:
    # Draft, flagged and private articles are there to see that nobody else sees them.
    articles = store.scan(Article)
    assert {each.status for each in articles} == {"draft", "published", "flagged"}
    assert {each.visibility for each in articles} == {"public", "private"}
    feed = store.query(home_feed())
    assert [each.article_id for each in feed[:2]] == ["hoi-an-lanterns", "porto-tiles-on-foot"]
    assert len(feed) == sum(each.is_shown for each in articles)
    assert "azores-packing-list" in [each.article_id for each in store.query(home_feed("mara"))]
    assert "notes-for-grandmother" not in [
        each.article_id for each in store.query(profile_page("tomas"))
    ]


def test_the_gallery_has_what_the_articles_show(store: Store) -> None:
    # As the image pipeline leaves it: a photo for each image, tags only of photos that everybody
    # may see.
    for article in store.scan(Article):
        found = store.collection(gallery_of_article(article_id=article.article_id))
        assert {each.image_key for each in found.of(Photo)} == set(article.image_keys)
        assert all((each.status == "public") == article.is_shown for each in found.of(Photo))
        assert bool(found.of(PhotoTag)) == (article.is_shown and bool(article.image_keys))


def test_trends_count_the_photos_with_their_tag(store: Store) -> None:
    counted = Counter(each.tag_name for each in store.scan(PhotoTag))
    assert {each.tag_name: each.count for each in store.scan(Trend)} == counted
    assert [each.count for each in store.query(trending_tags())] == sorted(
        counted.values(), reverse=True
    )


def test_authors_favorites_and_places_lead_somewhere(store: Store) -> None:
    # Who follows a reference arrives; and the cached places stay for some days.
    articles = {each.article_id: each for each in store.scan(Article)}
    users = {each.user_id for each in store.scan(Profile)}
    assert {each.owner_id for each in articles.values()} == users
    assert all(
        articles[each.article_id].is_shown and each.user_id in users
        for each in store.scan(Favorite)
    )
    for each in articles.values():
        if each.lat is not None and each.lng is not None:
            place = store.get(Location.key(geohash=geohash(each.lat, each.lng)))
            assert place.location_name == each.location_name
            assert place.is_fresh(datetime.now(UTC) + timedelta(days=10))
