"""Versions of assets: what the files and metadata of an asset were at a point in time."""
