"""`sortkey serve`: serves DynamoDB's protocol, from a folder or from memory."""

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
FILES_MAX = 10_240  # the limit of connections, plus the database; macOS allows no more


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command, checked."""

    host: str
    port: int
    folder: str | None
    """None is memory."""
    synchronous: Literal["normal", "full"]
    region: str
    insecure: bool
    own_tables: bool
    origins: OriginPolicy


Folder = Annotated[str | None, typer.Option(metavar="FOLDER", help="Data folder (default: data).")]
Memory = Annotated[
    bool, typer.Option("--memory", help="Keep everything in memory; lost when it stops.")
]
Synchronous = Annotated[
    Literal["normal", "full"],
    typer.Option(
        help="What writes survive: normal, a crash of the process; full, also a power cut."
    ),
]
Region = Annotated[str, typer.Option(metavar="REGION", help="Region in ARNs and signatures.")]
AccessKey = Annotated[
    str | None,
    typer.Option(
        metavar="KEY", envvar="SORTKEY_ACCESS_KEY", help="Access key that callers sign with."
    ),
]
SecretKey = Annotated[
    str | None,
    typer.Option(
        metavar="SECRET",
        envvar="SORTKEY_SECRET_KEY",
        help="Its secret; set the variable to keep it out of the process list.",
    ),
]
Insecure = Annotated[
    bool,
    typer.Option("--insecure", help="Allow addresses other than loopback without credentials."),
]
OwnTables = Annotated[
    bool,
    typer.Option(
        "--own-tables",
        help="Let callers change Sortkey's own tables (sortkey-…), for programs with jobs or keys.",
    ),
]


def run(
    host: HostName = "127.0.0.1",
    port: Port = 8000,
    data: Folder = None,
    memory: Memory = False,
    synchronous: Synchronous = "normal",
    region: Region = "us-east-1",
    access_key: AccessKey = None,
    secret_key: SecretKey = None,
    insecure: Insecure = False,
    cors: Cors = None,
    allow_host: AllowHost = None,
    own_tables: OwnTables = False,
) -> None:
    """Serve DynamoDB to any AWS SDK, the AWS CLI or NoSQL tools, from one process and one folder.

    Without credentials it accepts every caller, and therefore listens on this machine only
    (127.0.0.1). With --access-key and --secret-key every request must be signed, as on AWS. Web
    pages cannot call it unless --cors allows their origin. On loopback it answers only to loopback
    names and those of --allow-host.
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
    """Serve until SIGINT or SIGTERM."""
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
    gc.freeze()  # these objects stay: keep the collector from scanning them under load
    ready()
    await signalled.wait()
    await server.stop()


def _region(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", text):
        raise CommandFailed(f"{text!r} is not a region: use a name such as us-east-1", USAGE)
    return text


def _folder(data: str | None, memory: bool) -> str | None:
    if data is not None and memory:
        raise CommandFailed("give only one of --data and --memory", USAGE)
    return None if memory else named("data" if data is None else data)


def _raise_file_limit() -> None:
    """Allow more open files, one per connection: many systems allow only 256 or 1,024."""
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
        raise CommandFailed(f"credentials have two parts: give {missing} as well", USAGE)
    from sortkey.wire.access import Credentials

    return Credentials(access_key, secret_key)


def _bind(options: Options, credentials: Credentials | None) -> list[socket.socket]:
    if credentials is None and not options.insecure and reaches_others(options.host):
        raise CommandFailed(
            f"other machines can reach {options.host}: give --access-key and --secret-key, "
            "or --insecure to accept every caller",
            USAGE,
        )
    return listen(options.host, options.port)


def _banner(options: Options, address: str, credentials: Credentials | None) -> str:
    where = "memory (lost when the server stops)"
    if options.folder is not None:
        where = os.path.join(os.path.abspath(options.folder), "")
    key, secret = (credentials.access_key, "...") if credentials else ("any", "any")
    others = " and every other address of this machine" if options.host in EVERY_ADDRESS else ""
    callers = (
        f"signed by {key}"
        if credentials
        else "anyone who can reach the address; signatures are not checked"
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
