"""Shapes that many routes answer with: operations, lists and wrapped lists. What is special to a
subject stands with its routes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sortkey_systems.vams.pages import Page

Json = dict[str, Any]
Operation = Literal["create", "update", "delete", "archive", "unarchive", "revert", "resetPassword"]


class MessageAnswer(BaseModel):
    """An answer with a text, and whatever else the operation gives."""

    model_config = ConfigDict(extra="allow")
    message: Any


class OperationAnswer(BaseModel):
    """What a write answers. It also carries the id of what was written, under its name."""

    model_config = ConfigDict(extra="allow")
    success: bool = True
    message: str
    operation: Operation
    timestamp: str


class ItemsAnswer(BaseModel):
    """A page of a list."""

    model_config = ConfigDict(extra="allow")
    Items: list[dict[str, Any]]
    NextToken: str | None = None


class WrappedItemsAnswer(BaseModel):
    """A page of a list, under `message`."""

    message: ItemsAnswer


class ErrorAnswer(BaseModel):
    """Every error."""

    message: str = Field(description="What was wrong, for people")


def now_text(now: datetime | None = None) -> str:
    """An instant as the answers write it."""
    return (now or datetime.now(UTC)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def operation(kind: Operation, message: str, **ids: Any) -> Json:
    """`{success, message, <ids>, operation, timestamp}`."""
    return {
        "success": True,
        "message": message,
        **ids,
        "operation": kind,
        "timestamp": now_text(),
    }


def items(page: Page[Any], shape: Callable[[Any], Mapping[str, Any]] = dict, **more: Any) -> Json:
    """`{Items, NextToken}` of a page whose items `shape` turns into answers."""
    return {"Items": [dict(shape(item)) for item in page.items], "NextToken": page.token, **more}


def wrapped(page: Page[Any], shape: Callable[[Any], Mapping[str, Any]] = dict) -> Json:
    """`{"message": {Items, NextToken}}`."""
    return {"message": items(page, shape)}


def without_none(values: Mapping[str, Any], kept: Sequence[str] = ()) -> Json:
    """Values without those that are None, except the `kept` ones."""
    return {name: value for name, value in values.items() if value is not None or name in kept}
