"""/auth/api-keys: keys that act for users. Tier 1 alone decides who may use them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from sortkey_systems.vams.access.api_keys import KeyChange, NewKey, key_answer
from sortkey_systems.vams.answers import ItemsAnswer, items
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

KeyPath = Annotated[str, Path(max_length=256, examples=["key-notebook"])]


def router(service: Vams) -> APIRouter:
    """The routes of API keys."""
    made = APIRouter(route_class=Route, tags=["api keys"])

    @made.get(
        "/auth/api-keys", summary="List API keys", response_model=ItemsAnswer, responses=ERRORS
    )
    def list_keys(me: Me, paging: Pages) -> Any:
        """The keys without what opens anything."""
        rows = service.api_keys.all()
        page = page_of_list("api-keys", rows, paging, position=lambda key: key.api_key_id)
        return items(page, key_answer)

    @made.post("/auth/api-keys", summary="Create an API key", responses=ERRORS)
    def create_key(wanted: NewKey, me: Me) -> dict[str, Any]:
        """The answer has the key in `apiKey`. It is not shown again."""
        key, raw = service.api_keys.create(me, wanted)
        return {**key_answer(key), "apiKey": raw, "message": "API key created successfully"}

    @made.get("/auth/api-keys/{api_key_id}", summary="Get an API key", responses=ERRORS)
    def get_key(api_key_id: KeyPath, me: Me) -> dict[str, Any]:
        return key_answer(service.api_keys.get(api_key_id))

    @made.put("/auth/api-keys/{api_key_id}", summary="Change an API key", responses=ERRORS)
    def change_key(api_key_id: KeyPath, wanted: KeyChange, me: Me) -> dict[str, Any]:
        return key_answer(service.api_keys.change(me, api_key_id, wanted))

    @made.delete("/auth/api-keys/{api_key_id}", summary="Delete an API key", responses=ERRORS)
    def delete_key(api_key_id: KeyPath, me: Me) -> dict[str, Any]:
        key = service.api_keys.delete(me, api_key_id)
        return {"message": "API key deleted successfully", "apiKeyId": key.api_key_id}

    _ = list_keys, create_key, get_key, change_key, delete_key
    return made
