"""Buckets that are closed with the store that uses them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey.runtime.objects import Objects


class OwnedBuckets(Mapping[str, "Objects"]):
    """Buckets by name, opened for one store and closed with it. A plain mapping of buckets is not
    closed.
    """

    @abstractmethod
    def close(self) -> None:
        """Close the buckets. Closing twice is fine."""
