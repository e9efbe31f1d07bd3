"""`System`: a value that says what a system brings. It names its parts; importing it loads none of
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

from sortkey.errors import ModelError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PARTS = ("model", "service", "routes", "pages", "commands", "sample", "workers", "guests")
_PART = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Worker(Protocol):
    """Runs beside the requests of a system: a JobWorker, a StreamWorker, or anything that starts
    and stops.
    """

    def start(self) -> object: ...
    def stop(self) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What a system brings. Parts are named as "module:attribute" and imported when they are first
    needed.

        system = System(
            name="shop",
            title="Shop",
            model="shop.model:model",
            service="shop.service:make_service",
            routes="shop.api:router",
        )

    Only `name`, `title` and `model` are required. `service` makes what the other parts are given; a
    system without one gives them its `Resources`.
    """

    name: str
    """In addresses, commands and options: lower-case letters, digits and hyphens."""
    title: str
    """How people write the name: "AI Job Engine"."""
    model: str
    """A `sortkey.Model`. Its tables are created, and its search documents are kept up to date."""
    description: str = ""
    """One sentence for the REST reference and the console."""
    service: str | None = None
    """`(Resources) -> service`"""
    routes: str | None = None
    """`(service) -> fastapi.APIRouter`, served under the system's name."""
    pages: str | None = None
    """`(service, base) -> Sequence[ConsolePage]`; `base` is the path of the console."""
    commands: str | None = None
    """A `typer.Typer`: `sortkey NAME ...`"""
    sample: str | None = None
    """`(service) -> object`: loads sample data, at every start of `sortkey up`, unless it is there.
    If it returns a text, that is printed: a key to try the system with, for example."""
    workers: str | None = None
    """`(service) -> Sequence[Worker]`: what runs in the background."""
    buckets: tuple[str, ...] = ()
    """Buckets that are opened with the host, so that links handed out before a restart work after
    it.
    """
    large_bodies: tuple[str, ...] = ()
    """Paths of routes that limit the sizes of request bodies themselves, as "/uploads/*". Others
    take a megabyte.
    """
    any_origin: tuple[str, ...] = ()
    """Paths of routes that check a token in the URL, as "/view/*": pages and extensions of any
    origin may call them.
    """
    guests: str | None = None
    """`(service) -> (uid) -> bool`, or -> None if there are none: which local users are guests,
    whose processes the system runs for strangers. A host lets them call the paths of `any_origin`
    only, not REST, the console or DynamoDB.
    """
    console_hint: str = ""
    """What can be seen in the console, for the start of `sortkey up`: "watch a journey"."""
    try_commands: tuple[str, ...] = ()
    """Command lines that `sortkey up` suggests, after the program's name: "query
    shop:Order.all{tables}". `{tables}`, `{folder}` and `{keys}` become the options that lead a
    command to the same tables, data folder or API keys."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ModelError(
                f"{self.name!r} cannot name a system: use lower-case letters, digits and hyphens"
            )
        for field in _PARTS:
            part: str | None = getattr(self, field)
            if part is not None and not _PART.fullmatch(part):
                raise ModelError(
                    f"{self.name}: {field}={part!r} must be written as 'module:attribute'"
                )

    def load(self, part: str) -> Any:
        """Import a part of the system: `system.load(system.model)`. Errors of the import are raised
        as they are.
        """
        from importlib import import_module

        name, _, attribute = part.partition(":")
        module = import_module(name)
        try:
            return getattr(module, attribute)
        except AttributeError:
            raise ModelError(
                f"the system {self.name} names {part}, but {name} has no {attribute!r}"
            ) from None
