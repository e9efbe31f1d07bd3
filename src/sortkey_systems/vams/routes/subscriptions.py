"""/subscriptions, /unsubscribe and /check-subscription: who is notified when an asset changes."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from sortkey_systems.vams.answers import MessageAnswer, WrappedItemsAnswer, wrapped
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.subscriptions import (
    SubscribedEntity,
    SubscriptionCheck,
    SubscriptionValues,
)

DONE = {"message": "success"}


def router(service: Vams) -> APIRouter:
    """The routes of subscriptions."""
    made = APIRouter(route_class=Route, tags=["subscriptions"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/subscriptions",
        summary="List subscriptions",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_subscriptions(me: Me, paging: Pages) -> Any:
        rows = service.subscriptions.all(me)
        page = page_of_list(
            "subscriptions",
            rows,
            paging,
            position=lambda row: f"{row['entityId']}:{row['databaseId']}",
        )
        return wrapped(page)

    @made.post(
        "/check-subscription",
        summary="Whether a user is subscribed to an asset",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def check_subscription(wanted: SubscriptionCheck, me: Me) -> Any:
        """The message is `success` if the user is."""
        if service.subscriptions.is_subscribed(me, wanted):
            return DONE
        return {"message": "Subscription doesn't exist."}

    _ = list_subscriptions, check_subscription


def _add_writes(made: APIRouter, service: Vams) -> None:
    options: dict[str, Any] = {"response_model": MessageAnswer, "responses": ERRORS}

    @made.post("/subscriptions", summary="Subscribe users to an asset", **options)
    def subscribe(wanted: SubscriptionValues, me: Me) -> Any:
        """A user who is subscribed already is refused."""
        service.subscriptions.add(me, wanted)
        return DONE

    @made.put("/subscriptions", summary="Replace the subscribers of an asset", **options)
    def replace_subscribers(wanted: SubscriptionValues, me: Me) -> Any:
        service.subscriptions.replace(me, wanted)
        return DONE

    @made.delete("/subscriptions", summary="Remove all subscribers of an asset", **options)
    def delete_subscription(wanted: SubscribedEntity, me: Me) -> Any:
        service.subscriptions.delete(me, wanted)
        return DONE

    @made.delete("/unsubscribe", summary="Remove some subscribers of an asset", **options)
    def unsubscribe(wanted: SubscriptionValues, me: Me) -> Any:
        service.subscriptions.remove(me, wanted)
        return DONE

    _ = subscribe, replace_subscribers, delete_subscription, unsubscribe
