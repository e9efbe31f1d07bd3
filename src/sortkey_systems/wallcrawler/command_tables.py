"""What the commands share: the tables at an address, and rows as a table or as JSON."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer

from sortkey import Entity, Store, open_topics
from sortkey.commands import (
    JSON_SHOWS_ALL,
    USAGE,
    CommandFailed,
    open_store,
    print_json,
    print_table,
)
from sortkey_systems.wallcrawler.authorizer import TOPIC as ACCESS_TOPIC
from sortkey_systems.wallcrawler.model import model
from sortkey_systems.wallcrawler.tenants import Tenants

ProjectOption = Annotated[
    str | None,
    typer.Option("--project", metavar="ID", help="Only those of this project (default: of all)."),
]
SECRETS = {"signing_key", "connect_url", "api_key_hash", "proxies"}
"""Fields that no command prints: they open a browser, or help to guess what does."""


def is_list(context: typer.Context) -> bool:
    """Whether a group was called without a command, to list. Options in front of a command would be
    lost: refused.
    """
    if context.invoked_subcommand is None:
        return True
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = [
        name
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    ]
    if given:
        after = context.invoked_subcommand
        raise CommandFailed(
            f"write options after {after!r}: {context.command_path} {after} --{given[0]} …", USAGE
        )
    return False


@contextmanager
def opened(data: str) -> Generator[Store]:
    """The store, with the tables made where they are missing."""
    with open_store(data, begins=True) as store:
        store.ensure(model)
        yield store


@contextmanager
def opened_tenants(data: str) -> Generator[Tenants]:
    """Projects and keys. What changes is announced to the servers on this folder."""

    def announce(**what: str) -> None:
        if "://" in data:
            return  # servers elsewhere look again within five minutes
        topics = open_topics(data)
        try:
            topics.publish(ACCESS_TOPIC, what)
        finally:
            topics.close()

    with opened(data) as store:
        yield Tenants(store, announce)


def plain(entity: Entity, **more: Any) -> dict[str, Any]:
    """An entity for JSON, with the names of the API and without secrets."""
    return entity.model_dump(mode="json", by_alias=True, exclude=SECRETS, exclude_none=True) | more


def print_rows(
    rows: Sequence[Mapping[str, Any]], *, is_json: bool, values: Sequence[Any], nothing: str
) -> None:
    """`rows` for people, `values` for programs, `nothing` where there are none."""
    if is_json:
        print_json(list(values))
    elif rows:
        cells = [[_text(value) for value in row.values()] for row in rows]
        print_table(list(rows[0]), cells, whole=2, more=JSON_SHOWS_ALL)
    else:
        print(nothing)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return "" if value is None else str(value)
