"""Exports: an asset with the assets below it, their files, metadata and relationships."""
