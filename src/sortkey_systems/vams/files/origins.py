"""Where an object comes from: marks in its metadata. An object without them was put into the bucket
by another program.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from sortkey import ObjectInfo
from sortkey_systems.vams.access.callers import Caller

BY, ORIGIN = "vams-by", "vams-origin"


def marks(caller: Caller, origin: str) -> dict[str, str]:
    """The metadata of an object that a caller writes. Metadata must be ASCII."""
    return {BY: quote(caller.user_id)[:512], ORIGIN: quote(origin, safe=":/-")[:512]}


def is_ours(info: ObjectInfo) -> bool:
    """Whether VAMS has written an object."""
    return BY in info.metadata


def origin_of(info: ObjectInfo) -> str:
    """The origin of an object; empty if it is not known."""
    return unquote(info.metadata.get(ORIGIN, ""))


def user_of(info: ObjectInfo) -> str:
    """Who has written an object; empty if that is not known."""
    return unquote(info.metadata.get(BY, ""))
