"""Assets: their records, where their files are, and how they are archived and deleted."""

from sortkey_systems.vams.assets.assets import Assets
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.assets.shapes import asset_object

__all__ = ["AssetPlace", "Assets", "asset_object"]
