"""Pages of lists. A page is filled across items that the caller may not see, and its token is given
only when something visible follows.

`page_of_list` cuts a list that is sorted by a text. `page_of_query` reads a query of the store.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey import Entity, Query, Store
from sortkey.errors import BadCursor
from sortkey_systems.vams.failures import BadToken, Invalid

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

SIZE = 3000
"""The page size of most lists, and the largest one."""
TOKEN_CHARACTERS_MAX = 8192
CHUNK = 200
"""Items that are read at a time while a page is filled."""


@dataclass(frozen=True, slots=True)
class Paging:
    """What a request asks for. `size` None means the list's default."""

    size: int | None = None
    token: str | None = None

    def size_of(self, default: int = SIZE, most: int = SIZE) -> int:
        """The size of the page, within the limits of a list."""
        size = default if self.size is None else self.size
        if size < 1:
            raise Invalid("pageSize must be at least 1")
        return min(size, most)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Items, and the token of what follows. None: nothing does."""

    items: list[T]
    token: str | None = None


ALL = Paging()


def write_token(about: str, position: Any) -> str:
    """An opaque token for a position in a list that `about` names."""
    text = json.dumps([about, position], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode()


def read_token(about: str, token: str) -> Any:
    """The position in a token. Raises BadToken."""
    if len(token) > TOKEN_CHARACTERS_MAX:
        raise BadToken
    try:
        known, position = json.loads(base64.b64decode(token, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise BadToken from None
    if known != about:
        raise BadToken
    return position


def page_of_list(
    about: str,
    items: Iterable[T],
    paging: Paging,
    *,
    position: Callable[[T], str],
    default: int = SIZE,
    most: int = SIZE,
) -> Page[T]:
    """A page of items, sorted by `position`, which distinguishes them. The next page begins after
    the last item, so that changes meanwhile neither repeat nor skip others.
    """
    size = paging.size_of(default, most)
    ordered = sorted(items, key=position)
    if paging.token:
        after = read_token(about, paging.token)
        if not isinstance(after, str):
            raise BadToken
        ordered = [item for item in ordered if position(item) > after]
    shown = ordered[:size]
    more = len(ordered) > size
    return Page(shown, write_token(about, position(shown[-1])) if more else None)


def page_of_query(
    store: Store,
    query: Query[E],
    paging: Paging,
    *,
    keep: Callable[[E], bool] = lambda entity: True,
    default: int = SIZE,
    most: int = SIZE,
) -> Page[E]:
    """A page of a query with the items that `keep` lets through.

    The token has the store's cursor of a chunk and the number of its items that were passed.
    """
    size = paging.size_of(default, most)
    about = "query"
    cursor, passed = _chunk_position(about, paging.token)
    shown: list[E] = []
    while True:
        try:
            chunk = store.page(query, cursor=cursor, size=CHUNK)
        except BadCursor:
            raise BadToken from None
        for number, entity in enumerate(chunk.items):
            if number < passed or not keep(entity):
                continue
            if len(shown) == size:
                return Page(shown, write_token(about, [cursor, number]))
            shown.append(entity)
        if chunk.cursor is None:
            return Page(shown)
        cursor, passed = chunk.cursor, 0


def _chunk_position(about: str, token: str | None) -> tuple[str | None, int]:
    if not token:
        return None, 0
    position = read_token(about, token)
    match position:
        case [None | str() as cursor, int() as passed] if 0 <= passed <= CHUNK:
            return cursor, passed
        case _:
            raise BadToken


def paging_of(values: Mapping[str, str]) -> Paging:
    """The paging of a query string: pageSize (or maxItems) and startingToken."""
    text = values.get("pageSize") or values.get("maxItems")
    try:
        size = int(text) if text else None
    except ValueError:
        raise Invalid("pageSize must be a whole number") from None
    return Paging(size, values.get("startingToken") or None)
