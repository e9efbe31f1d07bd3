"""Turns: changes of the graph of links happen one after the other, in every process.

Two links can make a cycle that neither makes alone. A writer reads the turn, checks the graph, and
ends the turn in the transaction that writes the link; if another has ended it meanwhile, the
transaction fails and the writer checks again.

Indexes on AWS show a new link a little later. So a turn names the latest links, which are read from
their table.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sortkey import Put, Store, attr
from sortkey_systems.vams.links.graph import LinkGraph
from sortkey_systems.vams.model import AssetLink, AuthEntity

RECENT_MAX = 100
"""Links that a turn names: those of several seconds, even if links are written without a pause."""
_ENTITY_TYPE, _SK = "change", "links"


@dataclass(frozen=True, slots=True)
class Turn:
    """The state of the graph at a moment. `graph` reads it."""

    graph: LinkGraph
    _definition: dict[str, Any] | None

    def end(self, asset_link_id: str) -> Put[AuthEntity]:
        """The write that ends the turn with a change of one link. It fails if the turn has ended
        already.
        """
        recent = [asset_link_id, *(self._definition or {}).get("recent", [])][:RECENT_MAX]
        definition = {"mark": secrets.token_hex(8), "recent": recent}
        row = AuthEntity(entity_type=_ENTITY_TYPE, sk=_SK, definition=definition)
        if self._definition is None:
            return Put(row, "create")
        return Put(row, when=attr(AuthEntity.definition) == self._definition)


def read_turn(store: Store) -> Turn:
    """The turn of this moment."""
    row = store.find(AuthEntity.key(entity_type=_ENTITY_TYPE, sk=_SK), consistent=True)
    definition = row.definition if row is not None else None
    ids = (definition or {}).get("recent", [])
    keys = [AssetLink.key(asset_link_id=str(each)) for each in ids]
    links = store.batch_get(keys, consistent=True) if keys else []
    return Turn(LinkGraph(store, [link for link in links if link is not None]), definition)
