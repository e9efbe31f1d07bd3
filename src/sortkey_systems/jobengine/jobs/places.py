"""Where a journey's data comes from and goes to: absolute addresses, confined to a folder for
remote callers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sortkey_systems.jobengine.journeys.progress import WrongState
from sortkey_systems.jobengine.model import Journey

POSTGRES = ("postgresql://", "postgres://")
DEFAULT_TARGET = "{journey_id}.sqlite"


class PlaceRefused(WrongState):
    """A source or a target is missing, or is outside of what journeys may use. The message says
    which.
    """


@dataclass(frozen=True, slots=True)
class Places:
    """What journeys may read and write. With a `root` only what is below it; without one, whatever
    the process may.
    """

    root: Path | None = None
    databases: bool = True
    """Whether a journey may name a PostgreSQL server."""

    def source(self, journey: Journey) -> str:
        """The address of the journey's source."""
        address = journey.source.address
        if address is None:
            raise PlaceRefused(
                f"journey {journey.journey_id} has no source: give its source an address"
            )
        if address.startswith(POSTGRES):
            if not self.databases:
                raise PlaceRefused(
                    "journeys may not connect to databases here: give a file or a dump"
                )
            return address
        path = self._confined(address)
        if not path.is_file():
            raise PlaceRefused(
                f"no such file: {address}, the source of journey {journey.journey_id}"
            )
        return str(path)

    def target(self, journey: Journey) -> str:
        """The address of its documents: a file named after the journey if none is given."""
        address = journey.configuration.target or DEFAULT_TARGET.format(
            journey_id=journey.journey_id
        )
        path = self._confined(address)
        if path.resolve() == self._whole(journey.source.address or ""):
            raise PlaceRefused(
                f"{address} is the source itself, which is only read: give the journey another "
                "target"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        return str(path)

    def _confined(self, address: str) -> Path:
        if self.root is None:
            return Path(address)
        root, path = self.root.resolve(), self._whole(address)
        if not path.is_relative_to(root) or path == root:
            raise PlaceRefused(
                f"{address} is not in the folder that journeys may use: give a path inside it"
            )
        return path

    def _whole(self, address: str) -> Path:
        return ((self.root or Path()) / address).resolve()
