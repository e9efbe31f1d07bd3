"""Subscriptions: who is notified when an asset changes.

A row names its asset without the database. It has the subscribers of each database that has an
asset of that id; `subscribers` are all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from sortkey import Condition, attr
from sortkey.errors import ConditionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.roles import UserId
from sortkey_systems.vams.assets import asset_object
from sortkey_systems.vams.failures import Conflict, Invalid, NotThere
from sortkey_systems.vams.model import Asset, Subscription, User

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

EVENT: Literal["Asset Version Change"] = "Asset Version Change"
ENTITY: Literal["Asset"] = "Asset"
SUBSCRIBERS_MAX = 500
TRIES = 5
"""Of a change that meets others."""

Change = Callable[[Sequence[str]], Sequence[str]]
"""From the subscribers before to those after."""
EntityId = Annotated[str, Field(min_length=1, max_length=256)]
DatabaseId = Annotated[str, Field(max_length=256)]


class SubscribedEntity(BaseModel):
    """What is subscribed to."""

    eventName: Literal["Asset Version Change"] = EVENT
    entityName: Literal["Asset"] = ENTITY
    entityId: EntityId
    databaseId: DatabaseId | None = None


class SubscriptionValues(SubscribedEntity):
    """What is subscribed to, and by whom."""

    subscribers: Annotated[list[UserId], Field(min_length=1, max_length=SUBSCRIBERS_MAX)]


class SubscriptionCheck(BaseModel):
    """Whether a user is subscribed to an asset."""

    userId: UserId
    assetId: EntityId
    databaseId: DatabaseId | None = None


class Subscriptions:
    """The subscriptions of an installation."""

    def __init__(self, service: Vams) -> None:
        self._store, self._access = service.store, service.access
        self._assets, self._names = service.assets, service.asset_names

    # -- reads

    def all(self, caller: Caller) -> Iterator[dict[str, Any]]:
        """The subscriptions to assets that the caller may see, as lists show them."""
        is_visible = self._access.filter(caller)
        query = Subscription.of_event(event_name=EVENT, entity_name=ENTITY)
        for row in self._store.iterate(query):
            for asset in self._assets.by_id(row.entity_id):
                users = subscribers_of(row, asset)
                if users and is_visible(asset_object(asset)):
                    yield _answer(row, asset, users)

    def of(self, asset: Asset) -> Sequence[str]:
        """The subscribers of an asset. It asks for no permission."""
        row = self._row(asset.asset_id)
        return subscribers_of(row, asset) if row is not None else ()

    def is_subscribed(self, caller: Caller, wanted: SubscriptionCheck) -> bool:
        """Whether a user is subscribed to an asset that the caller may see."""
        assets = self._names.visible(caller, wanted.assetId, wanted.databaseId)
        return any(wanted.userId in self.of(asset) for asset in assets)

    # -- writes

    def add(self, caller: Caller, wanted: SubscriptionValues) -> None:
        """Subscribe users. One who is subscribed already is refused, and nobody is added."""
        asset = self._asset(caller, wanted)
        self._check_users(wanted.subscribers)

        def added(before: Sequence[str]) -> Sequence[str]:
            if known := [user for user in wanted.subscribers if user in before]:
                raise Invalid(f"{known[0]} is already subscribed")
            return (*before, *dict.fromkeys(wanted.subscribers))

        self._change(asset, added)
        self._record(caller, "subscription.create", asset, wanted.subscribers)

    def replace(self, caller: Caller, wanted: SubscriptionValues) -> None:
        """Let these be all subscribers."""
        asset = self._asset(caller, wanted)
        self._check_users(wanted.subscribers)

        def replaced(before: Sequence[str]) -> Sequence[str]:
            if not before:
                raise NotThere("Subscription not found")
            return tuple(dict.fromkeys(wanted.subscribers))

        self._change(asset, replaced)
        self._record(caller, "subscription.update", asset, wanted.subscribers)

    def remove(self, caller: Caller, wanted: SubscriptionValues) -> None:
        """Unsubscribe some users."""
        asset = self._asset(caller, wanted)

        def without(before: Sequence[str]) -> Sequence[str]:
            if not set(before) & set(wanted.subscribers):
                raise NotThere("Subscription not found")
            return tuple(user for user in before if user not in wanted.subscribers)

        self._change(asset, without)
        self._record(caller, "subscription.remove", asset, wanted.subscribers)

    def delete(self, caller: Caller, wanted: SubscribedEntity) -> None:
        """Unsubscribe everybody."""
        asset = self._asset(caller, wanted)

        def none(before: Sequence[str]) -> Sequence[str]:
            if not before:
                raise NotThere("Subscription not found")
            return ()

        self._change(asset, none)
        self._record(caller, "subscription.delete", asset, ())

    def remove_all(self, asset: Asset) -> None:
        """Delete the subscriptions to an asset that is deleted for good. It asks for no
        permission.
        """
        self._change(asset, lambda before: ())

    # --

    def _asset(self, caller: Caller, wanted: SubscribedEntity) -> Asset:
        return self._names.one(caller, "POST", wanted.entityId, wanted.databaseId)

    def _row(self, asset_id: str) -> Subscription | None:
        key = Subscription.key(event_name=EVENT, entity_name=ENTITY, entity_id=asset_id)
        return self._store.find(key, consistent=True)

    def _change(self, asset: Asset, change: Change) -> None:
        """Change the subscribers of an asset, unless the row changes meanwhile: then again."""
        for _ in range(TRIES):
            row = self._row(asset.asset_id)
            before = self._by_database(row, asset)
            users = tuple(change(before.get(asset.database_id, ())))
            if len(users) > SUBSCRIBERS_MAX:
                raise Invalid(f"at most {SUBSCRIBERS_MAX} users can subscribe to an asset")
            after = {**before, asset.database_id: users}
            try:
                self._write(row, asset, {name: each for name, each in after.items() if each})
            except ConditionFailed:
                continue
            return
        raise Conflict("the subscription is being changed by others: try again")

    def _by_database(self, row: Subscription | None, asset: Asset) -> dict[str, tuple[str, ...]]:
        """The subscribers of each database. A row that does not say it is of every asset with its
        id.
        """
        if row is None:
            return {}
        if row.subscribers_by_database is not None:
            return dict(row.subscribers_by_database)
        assets = (asset, *self._assets.by_id(asset.asset_id))
        return {each.database_id: row.subscribers for each in assets}

    def _write(
        self, row: Subscription | None, asset: Asset, after: dict[str, tuple[str, ...]]
    ) -> None:
        if row is None:
            if after:
                self._store.create(_subscription(asset, after))
        elif after:
            self._store.put(_subscription(asset, after), when=_is_still(row))
        else:
            self._store.delete(row, when=_is_still(row))

    def _check_users(self, user_ids: Sequence[str]) -> None:
        found = self._store.batch_get([User.key(user_id=each) for each in set(user_ids)])
        known = {user.user_id for user in found if user is not None and user.email}
        if unknown := [each for each in user_ids if each not in known]:
            raise Invalid(f"{unknown[0]} is not a user with a known e-mail address")

    def _record(self, caller: Caller, action: str, asset: Asset, users: Iterable[str]) -> None:
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        self._access.audit.record("ACTIONS", caller, action, subject, users=", ".join(users))


def subscribers_of(row: Subscription, asset: Asset) -> Sequence[str]:
    """The subscribers of an asset in the row of its id."""
    if row.subscribers_by_database is None:
        return row.subscribers
    return row.subscribers_by_database.get(asset.database_id, ())


def _subscription(asset: Asset, by_database: dict[str, tuple[str, ...]]) -> Subscription:
    everybody = dict.fromkeys(user for users in by_database.values() for user in users)
    return Subscription(
        event_name=EVENT,
        entity_name=ENTITY,
        entity_id=asset.asset_id,
        subscribers=tuple(everybody),
        subscribers_by_database=by_database,
    )


def _is_still(row: Subscription) -> Condition:
    """The condition that nobody has changed a row since it was read."""
    by_database = attr(Subscription.subscribers_by_database)
    is_same = attr(Subscription.subscribers) == row.subscribers
    if row.subscribers_by_database is None:
        return is_same & by_database.missing()
    return is_same & (by_database == row.subscribers_by_database)


def _answer(row: Subscription, asset: Asset, users: Sequence[str]) -> dict[str, Any]:
    return {
        "eventName": row.event_name,
        "entityName": row.entity_name,
        "entityId": row.entity_id,
        "entityValue": asset.asset_name,
        "databaseId": asset.database_id,
        "subscribers": list(users),
    }
