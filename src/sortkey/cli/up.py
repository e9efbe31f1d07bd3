"""`sortkey up`: everything at once, from one folder: DynamoDB's protocol, REST, the console and the workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.listening import address_of, listen, own, reaches_others

if TYPE_CHECKING:
    import socket

    from sortkey.connect.buckets import Buckets
    from sortkey.engine import Engine
    from sortkey.runtime.payloads.store import PayloadStore
    from sortkey.web.console.request_log import RequestLog
    from sortkey.web.hosting import Host
    from sortkey.wire.server import Server

EXAMPLES = """\
examples:
  sortkey up                          all of it, from the folder data/
  sortkey up --systems applens        one system only
  sortkey up --aws eu-west-1          the same on DynamoDB and S3
  sortkey up --host 0.0.0.0           for other machines too; the console then asks for a password
"""
CONSOLE = "/console"


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    data: str
    region: str | None
    systems: Sequence[str]
    host: str
    port: int
    dynamodb_port: int
    has_sample: bool
    password: str | None


def run(
    systems: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Systems to run, with commas (default: all).")
    ] = None,
    data: Annotated[str, typer.Option(metavar="FOLDER", help="Folder of everything that is stored.")] = "data",
    host: Annotated[
        str, typer.Option(help="Address of REST and console; DynamoDB stays on this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of REST and console; 0 takes a free one.")] = 8080,
    dynamodb_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of DynamoDB's protocol; 0 takes a free one.")
    ] = 8000,
    aws: Annotated[
        str | None, typer.Option(metavar="REGION", help="Store in DynamoDB and S3 of this region instead.")
    ] = None,
    no_sample: Annotated[bool, typer.Option("--no-sample", help="Load no sample data.")] = False,
    password: Annotated[
        str | None,
        typer.Option(envvar="SORTKEY_PASSWORD", help="Of the console; made up where one is needed and none is given."),
    ] = None,
) -> None:
    """Bring everything to life: the DynamoDB endpoint, REST, the console and the workers, in one process and folder.

    The first time it makes the tables and loads sample data, so that there is something to see.
    """
    import logging

    from sortkey.cli.loops import run_loop

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if data == "":
        raise CommandFailed("the folder has no name: give one with --data", USAGE)
    secret = _password(host, password)
    options = Options(data, aws, _names(systems), host, port, dynamodb_port, not no_sample, secret)
    sockets = listen(host, port)
    wire = [] if aws else _wire_sockets(dynamodb_port)
    with _opened(options, address_of(sockets[0])) as house:
        run_loop(_serve(options, house, sockets, wire))


def _names(systems: str | None) -> list[str]:
    from sortkey.cli.loading import SYSTEMS

    names: list[str] = [each.strip() for each in systems.split(",")] if systems else [*SYSTEMS]
    for name in names:
        if name not in SYSTEMS:
            raise CommandFailed(f"there is no system {name!r}: choose from {', '.join(SYSTEMS)}", USAGE)
    return names


def _password(host: str, given: str | None) -> str | None:
    """Beyond this machine there is always one."""
    if given or not reaches_others(host):
        return given
    from secrets import token_urlsafe

    return token_urlsafe(12)


def _wire_sockets(port: int) -> list[socket.socket]:
    try:
        return listen("127.0.0.1", port)
    except CommandFailed as error:
        raise CommandFailed(str(error).replace("--port", "--dynamodb-port")) from None


@dataclass(frozen=True, slots=True)
class House:
    """What runs: systems with REST and console on a store, and the wire in front of the same engine."""

    host: Host
    engine: Engine | None
    log: RequestLog


@contextmanager
def _opened(options: Options, address: str) -> Generator[House]:
    from sortkey.connect.buckets import Buckets
    from sortkey.web.console.request_log import RequestLog
    from sortkey.web.hosting import HOSTABLE, Host, objects_url
    from sortkey.web.server_secret import secret_for, server_secret

    secret, log = server_secret(options.data), RequestLog()
    where = f"s3://{{bucket}}?region={options.region}" if options.region else f"{options.data}/buckets/{{bucket}}"
    buckets = Buckets(where, url=objects_url(address))
    engine = None if options.region else own(options.data)
    store = _store(options, engine, buckets, secret_for("cursors", secret), log)
    try:
        named = [name for name in options.systems if name in HOSTABLE]
        host = Host(store, buckets, options.data, secret=secret, systems=named, unlimited=(f"{CONSOLE}/",))
        _add_console(host, options, store, engine, log, secret_for("console", secret).hex())
        yield House(host, engine, log)
    finally:
        store.close()
        buckets.close()


def _store(options: Options, engine: Engine | None, buckets: Buckets, cursors: bytes, log: RequestLog) -> PayloadStore:
    import sortkey
    from sortkey.connect.embedded import EmbeddedBackend
    from sortkey.runtime.payloads.store import PayloadStore

    if engine is None:
        return sortkey.open(f"aws://{options.region}", objects=buckets, secret=cursors, metrics=log)
    return PayloadStore(EmbeddedBackend(engine), objects=buckets, secret=cursors, metrics=log)


def _changes(engine: Engine, limit: int) -> list[Any]:
    from sortkey.engine.recent import recent_changes

    return recent_changes(engine, limit=limit)


def _add_console(
    host: Host, options: Options, store: PayloadStore, engine: Engine | None, log: RequestLog, secret: str
) -> None:
    from pathlib import Path

    from starlette.responses import RedirectResponse

    from sortkey.cli.loading import load_model
    from sortkey.web.console import Password, Workspace, add_console

    models = [load_model(name) for name in options.systems]
    for model in models:
        store.ensure(model)
    changes = partial(_changes, engine) if engine is not None else None
    workspace = Workspace(store, models, log, store.payloads.buckets, changes)
    pages = [page for each in host.systems for page in _of(each.name, "console").pages(each.service, CONSOLE)]
    password = Password(options.password) if options.password else None
    sessions = Path(options.data) / "console"
    host.app.add_route("/", lambda _: RedirectResponse(f"{CONSOLE}/"))
    add_console(host.app, workspace, pages, secret=secret, sessions=sessions, password=password, base=CONSOLE)


def _of(system: str, part: str) -> Any:
    """A part of a system by its name: the library does not know the systems on it."""
    from importlib import import_module

    return import_module(f"sortkey_systems.{system}.{part}")


async def _serve(options: Options, house: House, sockets: list[socket.socket], wire: list[socket.socket]) -> None:
    """Until a signal. The end goes backwards: no more requests, then no more jobs, then no more DynamoDB."""
    import asyncio

    from sortkey.cli.loops import stop_signal
    from sortkey.web.serving import RestServer

    signalled = stop_signal()
    async with AsyncExitStack() as running:
        if house.engine is not None:
            server, publish = _wire(house.engine, house.log, wire)
            await server.start(wire)
            publish()
            running.push_async_callback(server.stop)
        running.push_async_callback(asyncio.to_thread, house.host.stop)
        await asyncio.to_thread(house.host.start)
        rest = RestServer(house.host.app, sockets)
        await rest.start()
        running.push_async_callback(rest.stop)
        print(_banner(options, address_of(sockets[0]), wire), flush=True)
        if options.has_sample:
            await asyncio.to_thread(_load_samples, house.host)
        await signalled.wait()


def _wire(engine: Engine, log: RequestLog, sockets: list[socket.socket]) -> tuple[Server, Callable[[], None]]:
    from secrets import token_hex
    from time import time

    from sortkey.wire.access import Access
    from sortkey.wire.server import Server
    from sortkey.wire.sharing import SharedEngine

    token = token_hex(32)
    server = Server(SharedEngine(engine, log.heard), Access(None, engine.region, time, token), region=engine.region)
    return server, lambda: engine.publish(address_of(sockets[0]), token)


def _load_samples(host: Host) -> None:
    """Each system's own, once. Whoever does not want to wait need not: everything answers meanwhile."""
    import logging

    for each in host.systems:
        try:
            _of(each.name, "sample").load(each.service)
            print(f"  {each.name}: sample data is there", flush=True)
        except Exception:  # nothing else depends on it
            logging.getLogger("sortkey.up").exception("the sample of %s could not be loaded", each.name)


def _program() -> str:
    """What to type for this program: it need not be on the path."""
    import shutil
    import sys

    if shutil.which("sortkey"):
        return "sortkey"
    return "python -m sortkey" if sys.argv[0].endswith("__main__.py") else os.path.relpath(sys.argv[0])


def _banner(options: Options, address: str, wire: list[socket.socket]) -> str:
    where = (
        f"DynamoDB and S3 in {options.region}" if options.region else os.path.join(os.path.abspath(options.data), "")
    )
    dynamodb = address_of(wire[0]) if wire else f"DynamoDB in {options.region}"
    password = f"\n  password  {options.password}" if options.password else ""
    program, data = _program(), "" if options.data == "data" else f" --data {options.data}"
    return f"""\
Sortkey is up.

  console   {address}{CONSOLE}/{password}
  REST      {address}/docs
  DynamoDB  {dynamodb}
  data      {where}

Try:
  open the console: run an access pattern, look at the graph of a Terraform run, watch a journey
  aws dynamodb list-tables --endpoint-url {dynamodb}
  {program} query jobengine:Journey.all{data}
  {program} token --system applens --user 12345{data}     for REST; {program} keys create mine --system jobengine{data}

Ctrl-C stops it.
"""
