"""A page of a list, as it goes over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel, Field

T = TypeVar("T")
E_co = TypeVar("E_co", covariant=True)


class StorePage(Protocol[E_co]):
    """A page as a store gives it."""

    @property
    def items(self) -> Sequence[E_co]: ...
    @property
    def cursor(self) -> str | None: ...


class Page(BaseModel, Generic[T]):
    """Some of a list, and where it goes on."""

    items: list[T]
    cursor: str | None = Field(
        default=None, description="Give it back for the next page; null at the end"
    )

    @classmethod
    def of(cls, page: StorePage[E_co], convert: Callable[[E_co], T]) -> Page[T]:
        """The page of a store, each item as it is shown."""
        return cls(items=[convert(each) for each in page.items], cursor=page.cursor)
