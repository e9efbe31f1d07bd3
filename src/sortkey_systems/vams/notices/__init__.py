"""Notices to subscribers of assets: an outbox in a table, and the channels that deliver them."""

from sortkey_systems.vams.notices.notices import Notices

__all__ = ["Notices"]
