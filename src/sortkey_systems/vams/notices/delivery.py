"""What a channel of notices is."""

from __future__ import annotations

from typing import Protocol

from sortkey_systems.vams.notices.records import Notice


class Undeliverable(Exception):
    """A notice that will never be delivered, so that trying again is useless."""


class Channel(Protocol):
    """Delivers notices. Raises Undeliverable, or any other error if it is worth trying again."""

    def send(self, notice: Notice) -> None: ...
