"""A page of a list, as sent over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel, Field

T = TypeVar("T")
E_co = TypeVar("E_co", covariant=True)


class StorePage(Protocol[E_co]):
    """A page that a store returns."""

    @property
    def items(self) -> Sequence[E_co]: ...
    @property
    def cursor(self) -> str | None: ...


class Page(BaseModel, Generic[T]):
    """A part of a list, and a cursor for the next part."""

    items: list[T]
    cursor: str | None = Field(
        default=None, description="Send it to get the next page; null at the end"
    )

    @classmethod
    def of(cls, page: StorePage[E_co], convert: Callable[[E_co], T]) -> Page[T]:
        """A page of a store, with converted items."""
        return cls(items=[convert(item) for item in page.items], cursor=page.cursor)
