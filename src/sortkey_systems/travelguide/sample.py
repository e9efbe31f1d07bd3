"""Sample travellers with their articles, gallery, trends and cached places. The texts are in
`sample_articles.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

from sortkey import Store
from sortkey.systems import Resources
from sortkey_systems.travelguide.geohash import geohash
from sortkey_systems.travelguide.model import (
    CACHE_LIFETIME,
    Article,
    Favorite,
    Location,
    Photo,
    PhotoTag,
    Profile,
    Trend,
)

PACKAGE = "sortkey_systems.travelguide"


def load_into(resources: Resources) -> None:
    """Load the sample data into the tables of a host."""
    load(resources.store)


def load(store: Store, now: datetime | None = None) -> None:
    """Store the travellers and their data, unless they exist."""
    document = tomllib.loads((files(PACKAGE) / "sample_articles.toml").read_text("utf-8"))
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    profiles = [_profile(traveller, now) for traveller in document["travellers"]]
    if store.find(Profile.key(user_id=profiles[-1].user_id)) is not None:
        return
    articles = [_SampleArticle(row, now) for row in document["articles"]]
    photos = [photo for article in articles for photo in article.photos()]
    tags = [tag for photo in photos for tag in photo.tag_items()]
    store.batch_write([article.article() for article in articles])
    for article in articles:
        _moderate(store, article)
    store.batch_write(
        [*photos, *tags, *_trends(tags), *_favorites(document["favorites"], articles)]
    )
    store.batch_write([place for article in articles if (place := article.place()) is not None])
    store.batch_write(profiles)  # last: what was interrupted is done again


def _profile(row: dict[str, Any], now: datetime) -> Profile:
    avatar = f"https://images.example.com/avatars/{row['user_id']}.webp"
    joined = now - timedelta(days=90 + len(row["bio"]))
    return Profile(**row, avatar_url=avatar, created_at=joined, updated_at=joined)


@dataclass(frozen=True, slots=True)
class _SampleArticle:
    """An article as in the file, and the items made from it."""

    row: dict[str, Any]
    now: datetime

    @property
    def article_id(self) -> str:
        return self.row["article_id"]

    @property
    def at(self) -> datetime:
        return self.now - timedelta(days=self.row["days_ago"], minutes=len(self.row["title"]))

    @property
    def status(self) -> str:
        return self.row.get("status", "published")

    def article(self) -> Article:
        """As its author left it: nothing starts as flagged."""
        about = {
            name: value
            for name, value in self.row.items()
            if name not in ("days_ago", "photos", "status")
        }
        about["content"] = self.row["content"].strip()
        return Article(
            **about,
            status="draft" if self.status == "draft" else "published",
            image_keys=[self._image(number) for number, _ in enumerate(self._tagged)],
            created_at=self.at,
            updated_at=self.at,
        )

    @property
    def _tagged(self) -> Sequence[list[str]]:
        return self.row.get("photos", ())

    def _image(self, number: int) -> str:
        return f"articles/{self.article_id}_{number + 1}.jpg"

    def photos(self) -> list[Photo]:
        """Taken before the article was written, and shown while it is."""
        is_shown = self.status == "published" and self.row.get("visibility") != "private"
        return [
            Photo(
                photo_id=f"{self.article_id}-{number + 1}",
                article_id=self.article_id,
                image_key=self._image(number),
                tags=tags,
                status="public" if is_shown else "private",
                lat=self.row.get("lat"),
                lng=self.row.get("lng"),
                taken_at=self.at - timedelta(days=4, hours=number),
                created_at=self.at + timedelta(seconds=20 * number),
            )
            for number, tags in enumerate(self._tagged)
        ]

    def place(self) -> Location | None:
        """What the article's map has put into the cache."""
        if "lat" not in self.row:
            return None
        lat, lng = self.row["lat"], self.row["lng"]
        cached_at = max(
            self.at, self.now - CACHE_LIFETIME / 2
        )  # the old ones were looked up again since
        name = self.row["location_name"]
        return Location(
            geohash=geohash(lat, lng),
            location_name=name,
            lat=lat,
            lng=lng,
            cached_at=cached_at,
            ttl=cached_at + CACHE_LIFETIME,
        )


def _moderate(store: Store, story: _SampleArticle) -> None:
    if story.status == "flagged":
        changes = {"updated_at": story.at + timedelta(hours=5)}
        store.move(Article.key(article_id=story.article_id), Article.status, "flagged", set=changes)


def _trends(tags: Iterable[PhotoTag]) -> list[Trend]:
    """How many photos have each tag, with the newest of them as its cover."""
    photo_tags: dict[str, list[PhotoTag]] = {}
    for tag in tags:
        photo_tags.setdefault(tag.tag_name, []).append(tag)
    trends: list[Trend] = []
    for name, several in photo_tags.items():
        newest = max(several, key=lambda photo_tag: str(photo_tag.created_at))
        trends.append(
            Trend(
                tag_name=name,
                count=len(several),
                cover_image=newest.image_key,
                last_updated=newest.created_at,
            )
        )
    return trends


def _favorites(
    favorites: dict[str, list[str]], articles: Sequence[_SampleArticle]
) -> list[Favorite]:
    """Each some hours after the article was published."""
    published_at = {article.article_id: article.at for article in articles}
    return [
        Favorite(
            user_id=user,
            article_id=liked,
            created_at=published_at[liked] + timedelta(hours=3 * number + len(user)),
        )
        for user, several in favorites.items()
        for number, liked in enumerate(several)
    ]
