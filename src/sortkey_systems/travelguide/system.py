"""A travel site: articles, photos, trends, travellers."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="travelguide",
    title="Travelguide",
    model="sortkey_systems.travelguide.model:model",
    sample="sortkey_systems.travelguide.sample:load_into",
)
