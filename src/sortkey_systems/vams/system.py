"""Visual assets with versions, metadata, links and search."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="vams",
    title="VAMS",
    model="sortkey_systems.vams.model:model",
    sample="sortkey_systems.vams.sample:load_into",
)
