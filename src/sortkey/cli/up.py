"""`sortkey up`: runs everything from one folder: DynamoDB's protocol, REST, console and workers."""

from __future__ import annotations

import os
import shlex
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.endpoint_credentials import VARIABLE, derive_credentials, write_credentials
from sortkey.cli.host_process import (
    folder_option,
    keys_option,
    opened,
    serve,
    tables_option,
    tables_text,
)
from sortkey.cli.listeners import address_of, listen, origin_policy, reaches_others
from sortkey.cli.selection import load_models, select_systems
from sortkey.commands.completion import complete_models
from sortkey.commands.failure import CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import AllowHost, BucketAddress, Cors, PublicUrl

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from sortkey.cli.samples import Samples
    from sortkey.engine import Engine
    from sortkey.model.patterns import Model
    from sortkey.origins import OriginPolicy
    from sortkey.systems import System
    from sortkey.systems.shared import Addresses
    from sortkey.web.console.request_log import RequestLog
    from sortkey.web.host import Host

EXAMPLES = examples(
    "sortkey up                       everything, from the folder data/",
    "sortkey up --systems shop        one system only",
    "sortkey up --model shop:model    also the Model `model` of your shop.py",
    "sortkey up --systems none --model shop:model    that model only",
    "sortkey up --host 0.0.0.0        for other machines too: the console then",
    "                                 needs a password, DynamoDB credentials",
    'sortkey up --aws eu-west-1 --objects "s3://acme-{bucket}?region=eu-west-1"',
)
CONSOLE = "/console"
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the server, and how."""

    password: str | None
    is_password_generated: bool
    """A generated password is printed, because nobody knows it. A given one is a secret."""
    origins: OriginPolicy
    """The policy of REST and the console."""
    dynamodb_origins: OriginPolicy


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command, checked."""

    addresses: Addresses
    region: str | None
    systems: Sequence[System]
    models: Mapping[str, Model]
    """The models of the systems and the user's own, by the names that were given."""
    has_sample: bool
    access: Access


SystemNames = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="Systems to run, separated by commas, or none (default: all)."
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="Your own model, such as shop:model or shop.py; can be given several times.",
        autocompletion=complete_models,
    ),
]
Folder = Annotated[str, typer.Option(metavar="FOLDER", help="Folder where everything is stored.")]
HostAddress = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS", help="Address of REST and console; DynamoDB stays on this machine."
    ),
]
RestPort = Annotated[
    int,
    typer.Option(
        metavar="PORT", min=0, max=65535, help="Port of REST and console; 0 takes a free one."
    ),
]
DynamodbPort = Annotated[
    int,
    typer.Option(
        metavar="PORT",
        min=0,
        max=65535,
        help="Port of DynamoDB's protocol; 0 takes a free one.",
    ),
]
AwsRegion = Annotated[
    str | None,
    typer.Option(metavar="REGION", help="Store in DynamoDB and S3 in this region instead."),
]
SearchAddress = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="OpenSearch for --aws; a folder has an embedded search."),
]
NoSample = Annotated[bool, typer.Option("--no-sample", help="Load no sample data.")]
ConsolePassword = Annotated[
    str | None,
    typer.Option(
        metavar="PASSWORD",
        envvar="SORTKEY_PASSWORD",
        help="Password of the console (default: generated where one is needed).",
    ),
]


def run(
    systems: SystemNames = None,
    model: Models = None,
    data: Folder = "data",
    host: HostAddress = LOOPBACK,
    port: RestPort = 8080,
    dynamodb_port: DynamodbPort = 8000,
    aws: AwsRegion = None,
    objects: BucketAddress = None,
    search: SearchAddress = None,
    no_sample: NoSample = False,
    password: ConsolePassword = None,
    url: PublicUrl = None,
    allow_host: AllowHost = None,
    cors: Cors = None,
) -> None:
    """Run everything in one process: the DynamoDB endpoint, REST, the console and the workers.

    The first start creates the tables and loads sample data, so that there is something to see.
    """
    from sortkey.commands.loops import log_to_stderr, run_loop

    log_to_stderr()
    selected, required_password = select_systems(systems), _password(host, password)
    access = Access(
        required_password,
        is_password_generated=required_password != password,
        origins=origin_policy(host, allow_host, url=url),
        dynamodb_origins=origin_policy(LOOPBACK, allow_host, cors),
    )
    models = load_models(selected, model or ())
    options = Options(
        _addresses(data, aws, objects, search), aws, selected, models, not no_sample, access
    )
    sockets = listen(host, port)
    wire = [] if aws else _wire_sockets(dynamodb_port)
    with _hosted(options, url or address_of(sockets[0])) as (hosted, log):
        run_loop(_serve(hosted, log, options, sockets, wire))


async def _serve(
    host: Host,
    log: RequestLog,
    options: Options,
    sockets: list[socket.socket],
    wire: list[socket.socket],
) -> None:
    from sortkey.wire.second_openers import SecondOpeners

    engine, openers, credentials_file = host.shared.engine, None, None
    if engine is not None:
        # If the console requires a password, the same data must not be open on the other port.
        credentials = derive_credentials(host.shared.secret) if options.access.password else None
        if credentials is not None:
            credentials_file = write_credentials(options.addresses.data, credentials, engine.region)
        origins = options.access.dynamodb_origins
        openers = SecondOpeners(
            engine,
            wire,
            log.on_request,
            credentials=credentials,
            origins=origins,
            is_guest=host.is_guest,
        )
    ready = partial(print, _banner(options, host.shared.url, wire, credentials_file), flush=True)
    later = [_samples(host)] if options.has_sample else []
    await serve(host.app, sockets, openers, ready, workers=[host], later=later)


def _addresses(data: str, region: str | None, objects: str | None, search: str | None) -> Addresses:
    from sortkey.systems.shared import Addresses

    if region is None:
        return Addresses(data, None, objects, search)
    return Addresses(data, f"aws://{region}", objects or f"s3://{{bucket}}?region={region}", search)


def _password(host: str, password: str | None) -> str | None:
    """The password of the console. If other machines can reach it, there is always one."""
    if password or not reaches_others(host):
        return password
    from secrets import token_urlsafe

    return token_urlsafe(12)


def _wire_sockets(port: int) -> list[socket.socket]:
    try:
        return listen(LOOPBACK, port)
    except CommandFailed as error:
        raise CommandFailed(str(error).replace("--port", "--dynamodb-port")) from None


@contextmanager
def _hosted(options: Options, url: str) -> Generator[tuple[Host, RequestLog]]:
    """The host with its resources and the console, and the log of all requests."""
    from sortkey.web.console.request_log import RequestLog
    from sortkey.web.host import Host, ensure_tables

    log, models = RequestLog(), [*options.models.values()]
    with opened(options.addresses, models, url, metrics=log) as shared:
        for name in _own_models(options):  # the host creates those of its systems
            ensure_tables(shared, name, options.models[name])
        host = Host(
            shared, options.systems, unlimited=(f"{CONSOLE}/",), origins=options.access.origins
        )
        _add_console(host, log, models, options)
        yield host, log


def _add_console(host: Host, log: RequestLog, models: Sequence[Model], options: Options) -> None:
    from pathlib import Path

    from starlette.responses import RedirectResponse

    from sortkey.systems.host_secret import derive
    from sortkey.web.console import Password, Workspace, add_console

    shared = host.shared
    changes = partial(_changes, shared.engine) if shared.engine is not None else None
    workspace = Workspace(
        shared.store, models, log, shared.buckets, changes, search=shared.searches
    )
    password = Password(options.access.password) if options.access.password else None
    secret, sessions = (
        derive(shared.secret, "console").hex(),
        Path(shared.addresses.data) / "console",
    )
    host.app.add_route("/", lambda _: RedirectResponse(f"{CONSOLE}/"))
    add_console(
        host.app,
        workspace,
        host.pages(CONSOLE),
        secret=secret,
        sessions=sessions,
        password=password,
        base=CONSOLE,
        origins=options.access.origins,
    )


def _changes(engine: Engine, limit: int, table: str | None) -> list[Any]:
    from sortkey.engine.recent import recent_changes

    return recent_changes(engine, limit=limit, table_name=table)


def _samples(host: Host) -> Samples:
    """The sample data, starting with systems that have pages: users look at those first."""
    from sortkey.cli.samples import Samples

    sampled = sorted(
        (hosted for hosted in host.systems if hosted.system.sample),
        key=lambda hosted: not hosted.system.pages,
    )
    return Samples({hosted.system.name: hosted.load_sample for hosted in sampled})


def _program() -> str:
    """How to call this program, which may not be on the path."""
    import shutil
    import sys

    if shutil.which("sortkey"):
        return "sortkey"
    return (
        "python -m sortkey" if sys.argv[0].endswith("__main__.py") else os.path.relpath(sys.argv[0])
    )


def _banner(
    options: Options, address: str, wire: list[socket.socket], credentials_file: Path | None
) -> str:
    addresses, access = options.addresses, options.access
    shown = access.password if access.is_password_generated else "as given"
    password = f"\n  password  {shown}" if access.password else ""
    rest = (
        f"\n  REST      {address}/docs" if any(system.routes for system in options.systems) else ""
    )
    dynamodb = address_of(wire[0]) if wire else f"AWS, {options.region}"
    tables = tables_text(addresses)
    where = f"{tables} and {addresses.objects}" if addresses.objects else tables
    reached = f"--endpoint-url {dynamodb}" if wire else f"--region {options.region}"
    signed = f", signed with the keys in {credentials_file}" if credentials_file else ""
    return f"""\
Sortkey is up.

  console   {address}{CONSOLE}/{password}{rest}
  DynamoDB  {dynamodb}{signed}
  data      {where}

Try:
{_to_try(options, reached, credentials_file)}

Ctrl-C stops it.
"""


def _own_models(options: Options) -> list[str]:
    """The names of the user's own models."""
    return [
        name for name in options.models if name not in {system.name for system in options.systems}
    ]


def _to_try(options: Options, reached: str, credentials_file: Path | None) -> str:
    """What to try first, a line each."""
    program, systems = _program(), options.systems
    hints = [system.console_hint for system in systems if system.console_hint] or ["change an item"]
    addresses = options.addresses
    places = {
        "tables": tables_option(addresses),
        "folder": folder_option(addresses),
        "keys": keys_option(addresses),
    }
    lines = [
        f"open the console: run an access pattern, {', '.join(hints)}",
        *([f"export {VARIABLE}={shlex.quote(str(credentials_file))}"] if credentials_file else []),
        f"aws dynamodb list-tables {reached}",
        *(
            f"{program} {line.format(**places)}"
            for system in systems
            for line in system.try_commands
        ),
        *(f"{program} models {name}" for name in _own_models(options)),
    ]
    return "\n".join(f"  {line}" for line in lines)
