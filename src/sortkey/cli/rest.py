"""`sortkey rest`: the systems over REST, with their workers, from one folder or from AWS."""

from __future__ import annotations

import os
import shlex
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.listening import address_of, listen, own

if TYPE_CHECKING:
    import socket

    from sortkey.connect.buckets import Buckets
    from sortkey.engine import Engine
    from sortkey.runtime.payloads.store import PayloadStore
    from sortkey.web.hosting import Host
    from sortkey.wire.second_openers import SecondOpeners

EXAMPLES = """\
examples:
  sortkey rest                                        applens and jobengine on 127.0.0.1:8080, from the folder data/
  sortkey rest --systems applens --port 9000
  sortkey rest --store aws://eu-west-1 \\
    --objects "s3://acme-{bucket}?region=eu-west-1"
  sortkey token --system applens --user 12345         a token for it
  sortkey keys create nightly --system jobengine      a key for it
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything lies: a folder, and what of it lies elsewhere."""

    data: str
    store: str | None
    objects: str | None


def run(
    systems: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Systems to serve, with commas (default: all that can be).")
    ] = None,
    data: Annotated[
        str, typer.Option(metavar="FOLDER", help="Folder of the tables, the buckets and the secret.")
    ] = "data",
    store: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Tables that are elsewhere: http://… or aws://region.")
    ] = None,
    objects: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Buckets that are elsewhere, as s3://name-{bucket}?region=….")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where callers reach it, if not at that address: for links.")
    ] = None,
    no_workers: Annotated[
        bool, typer.Option("--no-workers", help="Only answer: jobs wait for workers elsewhere.")
    ] = False,
) -> None:
    """Serve the REST interfaces of the systems, and run their jobs, in one process.

    Everything lies in one folder, unless --store and --objects name other places. Users need a token, programs a
    key; /docs describes every route, /health says whether it runs.
    """
    import logging

    from sortkey.cli.loops import run_loop

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if data == "":
        raise CommandFailed("the folder has no name: give one with --data", USAGE)
    sockets = listen(host, port)
    address = url or address_of(sockets[0])
    with _opened(Place(data, store, objects), address, systems) as opened:
        run_loop(_serve(opened, sockets, address, has_workers=not no_workers))


@dataclass(frozen=True, slots=True)
class Opened:
    """The host on its store. `others` lets other commands reach a folder meanwhile."""

    host: Host
    place: Place
    others: SecondOpeners | None


@contextmanager
def _opened(place: Place, address: str, systems: str | None) -> Generator[Opened]:
    from sortkey.connect.buckets import Buckets
    from sortkey.web.hosting import HOSTABLE, Host, objects_url
    from sortkey.web.server_secret import server_secret
    from sortkey.wire.second_openers import SecondOpeners

    names = [each.strip() for each in systems.split(",")] if systems else HOSTABLE
    secret = server_secret(place.data)
    buckets = Buckets(place.objects or os.path.join(place.data, "buckets", "{bucket}"), url=objects_url(address))
    engine = None if place.store else own(place.data)
    store = _store(place, engine, buckets, secret)
    try:
        host = Host(store, buckets, place.data, secret=secret, systems=names)
        yield Opened(host, place, SecondOpeners(engine) if engine else None)
    finally:
        store.close()
        buckets.close()


def _store(place: Place, engine: Engine | None, buckets: Buckets, secret: bytes) -> PayloadStore:
    import sortkey
    from sortkey.connect.embedded import EmbeddedBackend
    from sortkey.runtime.payloads.store import PayloadStore
    from sortkey.web.server_secret import secret_for

    cursors = secret_for("cursors", secret)  # so that they are good after a restart too
    if engine is None:
        return sortkey.open(place.store or "", objects=buckets, secret=cursors)
    return PayloadStore(EmbeddedBackend(engine), objects=buckets, secret=cursors)


async def _serve(opened: Opened, sockets: list[socket.socket], address: str, *, has_workers: bool) -> None:
    """Until a signal. The end goes backwards: no more requests, then no more jobs, then nobody else."""
    import asyncio

    from sortkey.cli.loops import stop_signal
    from sortkey.web.serving import RestServer

    signalled = stop_signal()
    async with AsyncExitStack() as running:
        if opened.others is not None:
            await opened.others.start()
            running.push_async_callback(opened.others.stop)
        if has_workers:
            running.push_async_callback(asyncio.to_thread, opened.host.stop)
            await asyncio.to_thread(opened.host.start)
        rest = RestServer(opened.host.app, sockets)
        await rest.start()
        running.push_async_callback(rest.stop)
        print(_banner(opened.host, opened.place, address, has_workers), flush=True)
        await signalled.wait()


def _banner(host: Host, place: Place, address: str, has_workers: bool) -> str:
    names = [each.name for each in host.systems]
    width = max(map(len, [*names, "docs", "data"]))
    where = place.store or os.path.join(os.path.abspath(place.data), "")
    told = [*((name, f"{address}/{name}") for name in names), ("docs", f"{address}/docs"), ("data", where)]
    told.append(("jobs", "run in this process" if has_workers else "wait for workers elsewhere"))
    lines = "\n".join(f"  {name:<{width}}  {what}" for name, what in told)
    folder = "" if place.data == "data" else f" --data {shlex.quote(place.data)}"
    keys = f" --data {shlex.quote(place.store)}" if place.store else folder
    return f"""\
sortkey serves REST on {address}
{lines}

  a token for a user: sortkey token --system {names[0]} --user 12345{folder}
  a key for a program: sortkey keys create mine --system {names[-1]}{keys}

Ctrl-C stops it."""
