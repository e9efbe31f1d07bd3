"""`sortkey serve`: DynamoDB's protocol on a port, from a folder or from memory."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sortkey.cli.listeners import (
    EVERY_ADDRESS,
    address_of,
    listen,
    named,
    origin_policy,
    own,
    reaches_others,
)
from sortkey.cli.quick_command import QuickCommand
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import AllowHost, Cors, HostName, Port

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from sortkey.origins import OriginPolicy
    from sortkey.wire.access import Credentials
    from sortkey.wire.server import Server

EXAMPLES = examples(
    "sortkey serve                          the folder data/, on port 8000",
    "sortkey serve --memory --port 0        for tests: in memory, any free port",
    "SORTKEY_SECRET_KEY=… sortkey serve --host 0.0.0.0 --access-key shop",
    "aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000",
)
COMMAND = QuickCommand
FILES_MAX = 10_240  # the limit on connections, and the database; macOS allows no more


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    host: str
    port: int
    folder: str | None
    """None is memory."""
    synchronous: Literal["normal", "full"]
    region: str
    insecure: bool
    own_tables: bool
    origins: OriginPolicy


def run(
    host: HostName = "127.0.0.1",
    port: Port = 8000,
    data: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder of the data (default: data).")
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory", help="Keep everything in memory; gone when it stops.")
    ] = False,
    synchronous: Annotated[
        Literal["normal", "full"],
        typer.Option(
            help="What an answered write survives: normal: a crash of the process; full: also a power cut."
        ),
    ] = "normal",
    region: Annotated[
        str, typer.Option(metavar="REGION", help="Region in ARNs and signatures.")
    ] = "us-east-1",
    access_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", envvar="SORTKEY_ACCESS_KEY", help="Access key callers sign with."
        ),
    ] = None,
    secret_key: Annotated[
        str | None,
        typer.Option(
            metavar="SECRET",
            envvar="SORTKEY_SECRET_KEY",
            help="Its secret; the variable keeps it out of the process list.",
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Allow another address than loopback without credentials."),
    ] = False,
    cors: Cors = None,
    allow_host: AllowHost = None,
    own_tables: Annotated[
        bool,
        typer.Option(
            "--own-tables",
            help="Let callers change Sortkey's own tables (sortkey-…), for programs that keep jobs or keys here.",
        ),
    ] = False,
) -> None:
    """Serve DynamoDB to any AWS SDK, the AWS CLI or NoSQL tools, from one process and one folder.

    Without credentials every caller is welcome, so the server then binds to this machine only
    (127.0.0.1). With --access-key and --secret-key every request must be signed with them, as on
    AWS. Web pages may not call it, unless --cors names their origin; on loopback it answers to
    names of loopback and those of --allow-host only.
    """
    options = Options(
        host=host,
        port=port,
        folder=_folder(data, memory),
        synchronous=synchronous,
        region=_region(region),
        insecure=insecure,
        own_tables=own_tables,
        origins=origin_policy(host, allow_host, cors),
    )
    _serve(options, _credentials(access_key, secret_key))


def _serve(options: Options, credentials: Credentials | None) -> None:
    """Until SIGINT or SIGTERM."""
    from sortkey.commands.loops import log_to_stderr, run_loop

    log_to_stderr()
    _raise_file_limit()
    sockets = _bind(options, credentials)
    engine = own(
        options.folder or ":memory:", synchronous=options.synchronous, region=options.region
    )
    try:
        from secrets import token_hex
        from time import time

        from sortkey.wire.access import Access
        from sortkey.wire.server import Server

        token = token_hex(32)
        address = address_of(sockets[0])

        def ready() -> None:
            engine.publish(address, token)
            print(_banner(options, address, credentials), flush=True)

        access = Access(credentials, options.region, time, token, own_tables=options.own_tables)
        server = Server(engine, access, region=options.region, origins=options.origins)
        run_loop(_until_signal(server, sockets, ready))
    finally:
        engine.close()


async def _until_signal(
    server: Server, sockets: list[socket.socket], ready: Callable[[], None]
) -> None:
    import gc

    from sortkey.commands.loops import stop_signal

    signalled = stop_signal()
    await server.start(sockets)
    gc.collect()
    gc.freeze()  # what is there now stays: spare the collector from walking it under load
    ready()
    await signalled.wait()
    await server.stop()


def _region(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", text):
        raise CommandFailed(f"{text!r} is no region: use a name such as us-east-1", USAGE)
    return text


def _folder(data: str | None, memory: bool) -> str | None:
    if data is not None and memory:
        raise CommandFailed("choose one of --data and --memory", USAGE)
    return None if memory else named("data" if data is None else data)


def _raise_file_limit() -> None:
    """A connection is an open file, and many systems allow 256 or 1,024 of them unless asked."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MAX if hard == resource.RLIM_INFINITY else min(FILES_MAX, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _credentials(access_key: str | None, secret_key: str | None) -> Credentials | None:
    if not access_key and not secret_key:
        return None
    if not access_key or not secret_key:
        missing = (
            "a secret key (--secret-key or SORTKEY_SECRET_KEY)"
            if access_key
            else "an access key (--access-key)"
        )
        raise CommandFailed(f"credentials need both parts; give {missing} as well", USAGE)
    from sortkey.wire.access import Credentials

    return Credentials(access_key, secret_key)


def _bind(options: Options, credentials: Credentials | None) -> list[socket.socket]:
    if credentials is None and not options.insecure and reaches_others(options.host):
        raise CommandFailed(
            f"{options.host} can be reached from other machines: give --access-key and "
            "--secret-key, "
            "or --insecure to let anyone in",
            USAGE,
        )
    return listen(options.host, options.port)


def _banner(options: Options, address: str, credentials: Credentials | None) -> str:
    where = "memory (gone when the server stops)"
    if options.folder is not None:
        where = os.path.join(os.path.abspath(options.folder), "")
    key, secret = (credentials.access_key, "...") if credentials else ("any", "any")
    others = " and every other address of this machine" if options.host in EVERY_ADDRESS else ""
    callers = (
        f"signed by {key}"
        if credentials
        else "anyone who reaches the address; no signature is checked"
    )
    return f"""\
sortkey serves DynamoDB on {address}{others}
  data     {where}
  region   {options.region}
  callers  {callers}

  import boto3
  boto3.client("dynamodb", endpoint_url="{address}", region_name="{options.region}",
               aws_access_key_id="{key}", aws_secret_access_key="{secret}")

Ctrl-C stops it."""
