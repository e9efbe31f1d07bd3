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
    """Put the travellers and all that is theirs into the tables, unless they are there."""
    told = tomllib.loads((files(PACKAGE) / "sample_articles.toml").read_text("utf-8"))
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    profiles = [_profile(each, now) for each in told["travellers"]]
    if store.find(Profile.key(user_id=profiles[-1].user_id)) is not None:
        return
    articles = [_Told(each, now) for each in told["articles"]]
    photos = [photo for each in articles for photo in each.photos()]
    tags = [tag for photo in photos for tag in photo.tag_items()]
    store.batch_write([each.article() for each in articles])
    for each in articles:
        _moderate(store, each)
    store.batch_write([*photos, *tags, *_trends(tags), *_favorites(told["favorites"], articles)])
    store.batch_write([place for each in articles if (place := each.place()) is not None])
    store.batch_write(profiles)  # last: what was interrupted is done again


def _profile(told: dict[str, Any], now: datetime) -> Profile:
    avatar = f"https://images.example.com/avatars/{told['user_id']}.webp"
    joined = now - timedelta(days=90 + len(told["bio"]))
    return Profile(**told, avatar_url=avatar, created_at=joined, updated_at=joined)


@dataclass(frozen=True, slots=True)
class _Told:
    """An article as the file has it, and what it makes of the tables."""

    told: dict[str, Any]
    now: datetime

    @property
    def article_id(self) -> str:
        return self.told["article_id"]

    @property
    def at(self) -> datetime:
        return self.now - timedelta(days=self.told["days_ago"], minutes=len(self.told["title"]))

    @property
    def status(self) -> str:
        return self.told.get("status", "published")

    def article(self) -> Article:
        """As its author left it: nothing begins as flagged."""
        about = {
            name: value
            for name, value in self.told.items()
            if name not in ("days_ago", "photos", "status")
        }
        about["content"] = self.told["content"].strip()
        return Article(
            **about,
            status="draft" if self.status == "draft" else "published",
            image_keys=[self._image(number) for number, _ in enumerate(self._tagged)],
            created_at=self.at,
            updated_at=self.at,
        )

    @property
    def _tagged(self) -> Sequence[list[str]]:
        return self.told.get("photos", ())

    def _image(self, number: int) -> str:
        return f"articles/{self.article_id}_{number + 1}.jpg"

    def photos(self) -> list[Photo]:
        """Taken before the article was written, and shown while it is."""
        is_shown = self.status == "published" and self.told.get("visibility") != "private"
        return [
            Photo(
                photo_id=f"{self.article_id}-{number + 1}",
                article_id=self.article_id,
                image_key=self._image(number),
                tags=tags,
                status="public" if is_shown else "private",
                lat=self.told.get("lat"),
                lng=self.told.get("lng"),
                taken_at=self.at - timedelta(days=4, hours=number),
                created_at=self.at + timedelta(seconds=20 * number),
            )
            for number, tags in enumerate(self._tagged)
        ]

    def place(self) -> Location | None:
        """What the first map of the article has left in the cache."""
        if "lat" not in self.told:
            return None
        lat, lng = self.told["lat"], self.told["lng"]
        seen = max(
            self.at, self.now - CACHE_LIFETIME / 2
        )  # the old ones were looked up again since
        name = self.told["location_name"]
        return Location(
            geohash=geohash(lat, lng),
            location_name=name,
            lat=lat,
            lng=lng,
            cached_at=seen,
            ttl=seen + CACHE_LIFETIME,
        )


def _moderate(store: Store, told: _Told) -> None:
    if told.status == "flagged":
        seen = {"updated_at": told.at + timedelta(hours=5)}
        store.move(Article.key(article_id=told.article_id), Article.status, "flagged", set=seen)


def _trends(tags: Iterable[PhotoTag]) -> list[Trend]:
    """How many photos have each tag, with the newest of them as its cover."""
    found: dict[str, list[PhotoTag]] = {}
    for tag in tags:
        found.setdefault(tag.tag_name, []).append(tag)
    made: list[Trend] = []
    for name, several in found.items():
        newest = max(several, key=lambda each: str(each.created_at))
        made.append(
            Trend(
                tag_name=name,
                count=len(several),
                cover_image=newest.image_key,
                last_updated=newest.created_at,
            )
        )
    return made


def _favorites(told: dict[str, list[str]], articles: Sequence[_Told]) -> list[Favorite]:
    """Each some hours after the article came out."""
    written = {each.article_id: each.at for each in articles}
    return [
        Favorite(
            user_id=user,
            article_id=liked,
            created_at=written[liked] + timedelta(hours=3 * number + len(user)),
        )
        for user, several in told.items()
        for number, liked in enumerate(several)
    ]
