"""`sortkey up`: everything at once, from one folder: DynamoDB's protocol, REST, the console and the workers."""

from __future__ import annotations

import os
import shlex
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.chosen import ensure_tables, load_models, system_names
from sortkey.cli.completing import complete_models
from sortkey.cli.endpoint_credentials import VARIABLE, derive_credentials, write_credentials
from sortkey.cli.failure import CommandFailed
from sortkey.cli.hosting import House, Place, opened, serve
from sortkey.cli.listening import address_of, listen, origin_policy, reaches_others
from sortkey.cli.options import SEARCHES, AllowHost, Cors, OtherBuckets, PublicUrl

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from sortkey.cli.samples import Samples
    from sortkey.connect.searches import Searches
    from sortkey.engine import Engine
    from sortkey.model.patterns import Model
    from sortkey.origins import OriginPolicy
    from sortkey.web.console.request_log import RequestLog

EXAMPLES = """\
examples:
  sortkey up                          all of it, from the folder data/
  sortkey up --systems applens        one system only
  sortkey up --model shop:model       with the Model `model` of shop.py, your own
  sortkey up --systems none --model shop:model
                                      with nothing else
  sortkey up --aws eu-west-1 --objects "s3://acme-{bucket}?region=eu-west-1"
                                      the same on DynamoDB and S3
  sortkey up --host 0.0.0.0           for other machines too; the console then asks for a password,
                                      and DynamoDB for credentials
"""
CONSOLE = "/console"
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Doors:
    """Who reaches it, and how."""

    password: str | None
    is_made_up: bool
    """The password: then it is told, for nobody knows it. One that was given is a secret."""
    url: str | None
    origins: OriginPolicy
    """Of REST and the console."""
    dynamodb_origins: OriginPolicy


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    place: Place
    region: str | None
    search: str | None
    systems: Sequence[str]
    models: Mapping[str, Model]
    """Of the systems, and one's own, by what they were called."""
    has_sample: bool
    doors: Doors


def run(
    systems: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Systems to run, with commas, or none (default: all).")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A model of your own, as shop:model or shop.py; can be given several times.",
            autocompletion=complete_models,
        ),
    ] = None,
    data: Annotated[str, typer.Option(metavar="FOLDER", help="Folder of everything that is stored.")] = "data",
    host: Annotated[str, typer.Option(help="Address of REST and console; DynamoDB stays on this machine.")] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of REST and console; 0 takes a free one.")] = 8080,
    dynamodb_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of DynamoDB's protocol; 0 takes a free one.")
    ] = 8000,
    aws: Annotated[
        str | None, typer.Option(metavar="REGION", help="Store in DynamoDB and S3 of this region instead.")
    ] = None,
    objects: OtherBuckets = None,
    search: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="OpenSearch, for --aws; the folder has a search of its own.")
    ] = None,
    no_sample: Annotated[bool, typer.Option("--no-sample", help="Load no sample data.")] = False,
    password: Annotated[
        str | None,
        typer.Option(envvar="SORTKEY_PASSWORD", help="Of the console; made up where one is needed and none is given."),
    ] = None,
    url: PublicUrl = None,
    allow_host: AllowHost = None,
    cors: Cors = None,
) -> None:
    """Bring everything to life: the DynamoDB endpoint, REST, the console and the workers, in one process and folder.

    The first time it makes the tables and loads sample data, so that there is something to see.
    """
    from sortkey.cli.loops import log_to_stderr, run_loop

    log_to_stderr()
    place = _place(data, aws, objects)
    search = search or (None if aws else os.path.join(data, SEARCHES))
    web, dynamodb = origin_policy(host, allow_host, url=url), origin_policy(LOOPBACK, allow_host, cors)
    needed = _password(host, password)
    doors = Doors(needed, is_made_up=needed != password, url=url, origins=web, dynamodb_origins=dynamodb)
    names = system_names(systems)
    models = load_models(names, model or ())
    options = Options(place, aws, search, names, models, not no_sample, doors)
    sockets = listen(host, port)
    wire = [] if aws else _wire_sockets(dynamodb_port)
    with _opened(options, url or address_of(sockets[0])) as up:
        run_loop(_serve(up, options, sockets, wire))


async def _serve(up: Up, options: Options, sockets: list[socket.socket], wire: list[socket.socket]) -> None:
    from sortkey.wire.second_openers import SecondOpeners

    host, engine, openers, credentials_file = up.house.host, up.house.engine, None, None
    if engine is not None:
        # Who has to know a password for the console must not find the same data open next door.
        credentials = derive_credentials(up.house.secret) if options.doors.password else None
        if credentials is not None:
            credentials_file = write_credentials(options.place.data, credentials, engine.region)
        origins = options.doors.dynamodb_origins
        openers = SecondOpeners(engine, wire, up.log.heard, credentials=credentials, origins=origins)
    address = options.doors.url or address_of(sockets[0])
    ready = partial(print, _banner(options, address, wire, credentials_file), flush=True)
    later = [_samples(up.house, options.systems)] if options.has_sample else []
    await serve(host.app, sockets, openers, ready, workers=[host, up.searches], later=later)


def _place(data: str, region: str | None, objects: str | None) -> Place:
    if region is None:
        return Place(data, None, objects)
    return Place(data, f"aws://{region}", objects or f"s3://{{bucket}}?region={region}")


def _password(host: str, given: str | None) -> str | None:
    """Beyond this machine there is always one."""
    if given or not reaches_others(host):
        return given
    from secrets import token_urlsafe

    return token_urlsafe(12)


def _wire_sockets(port: int) -> list[socket.socket]:
    try:
        return listen(LOOPBACK, port)
    except CommandFailed as error:
        raise CommandFailed(str(error).replace("--port", "--dynamodb-port")) from None


@dataclass(frozen=True, slots=True)
class Up:
    """What runs: the systems, the log of all requests to them, and what is found by searching."""

    house: House
    log: RequestLog
    searches: Searches


@contextmanager
def _opened(options: Options, address: str) -> Generator[Up]:
    from sortkey.connect.searches import open_searches
    from sortkey.web.console.request_log import RequestLog
    from sortkey.web.hosting import HOSTABLE

    log, hosted = RequestLog(), [name for name in options.systems if name in HOSTABLE]
    unlimited = (f"{CONSOLE}/",)
    with opened(
        options.place, address, hosted, origins=options.doors.origins, unlimited=unlimited, metrics=log
    ) as house:
        ensure_tables(house.store, options.models)
        models = [*options.models.values()]
        up = Up(house, log, open_searches(house.store, models, options.search))
        _add_console(up, models, options)
        yield up


def _add_console(up: Up, models: Sequence[Model], options: Options) -> None:
    from pathlib import Path

    from starlette.responses import RedirectResponse

    from sortkey.web.console import Password, Workspace, add_console
    from sortkey.web.hosting import part_of
    from sortkey.web.server_secret import secret_for

    house, store = up.house, up.house.store
    changes = partial(_changes, house.engine) if house.engine is not None else None
    workspace = Workspace(store, models, up.log, store.payloads.buckets, changes, search=up.searches)
    pages = [page for each in house.host.systems for page in part_of(each.name, "console").pages(each.service, CONSOLE)]
    password = Password(options.doors.password) if options.doors.password else None
    secret, sessions = secret_for("console", house.secret).hex(), Path(options.place.data) / "console"
    house.host.app.add_route("/", lambda _: RedirectResponse(f"{CONSOLE}/"))
    add_console(
        house.host.app,
        workspace,
        pages,
        secret=secret,
        sessions=sessions,
        password=password,
        base=CONSOLE,
        origins=options.doors.origins,
    )


def _changes(engine: Engine, limit: int, table: str | None) -> list[Any]:
    from sortkey.engine.recent import recent_changes

    return recent_changes(engine, limit=limit, table_name=table)


def _samples(house: House, systems: Sequence[str]) -> Samples:
    """Those of systems with a service first: they have pages of their own to be looked at."""
    from sortkey.cli.samples import Samples

    hosted = {each.name: each.service for each in house.host.systems}
    return Samples(hosted | {name: house.store for name in systems if name not in hosted})


def _program() -> str:
    """What to type for this program: it need not be on the path."""
    import shutil
    import sys

    if shutil.which("sortkey"):
        return "sortkey"
    return "python -m sortkey" if sys.argv[0].endswith("__main__.py") else os.path.relpath(sys.argv[0])


def _banner(options: Options, address: str, wire: list[socket.socket], credentials_file: Path | None) -> str:
    from sortkey.web.hosting import HOSTABLE

    place, doors = options.place, options.doors
    told = doors.password if doors.is_made_up else "the one that was given"
    password = f"\n  password  {told}" if doors.password else ""
    rest = f"\n  REST      {address}/docs" if any(name in HOSTABLE for name in options.systems) else ""
    dynamodb = address_of(wire[0]) if wire else f"that of {options.region}"
    where = f"{place.tables} and {place.objects}" if place.objects else place.tables
    reached = f"--endpoint-url {dynamodb}" if wire else f"--region {options.region}"
    signed = f", for requests signed with the keys in {credentials_file}" if credentials_file else ""
    return f"""\
Sortkey is up.

  console   {address}{CONSOLE}/{password}{rest}
  DynamoDB  {dynamodb}{signed}
  data      {where}

Try:
{_to_try(options, reached, credentials_file)}

Ctrl-C stops it.
"""


def _to_try(options: Options, reached: str, credentials_file: Path | None) -> str:
    """What can be done with what is there, a line each."""
    place, program, systems = options.place, _program(), options.systems
    seen = {"applens": "look at the graph of a Terraform run", "jobengine": "watch a journey"}
    here = [text for name, text in seen.items() if name in systems] or ["change an item"]
    lines = {
        f"open the console: run an access pattern, {', '.join(here)}": True,
        f"export {VARIABLE}={shlex.quote(str(credentials_file))}": credentials_file is not None,
        f"aws dynamodb list-tables {reached}": True,
        f"{program} query jobengine:Journey.all{place.tables_option}": "jobengine" in systems,
        f"{program} token --system applens --user 12345{place.folder_option}     for REST": "applens" in systems,
        f"{program} keys create mine --system jobengine{place.keys_option}     for programs": "jobengine" in systems,
        **{f"{program} models {name}": True for name in options.models if name not in systems},
    }
    return "\n".join(f"  {line}" for line, is_there in lines.items() if is_there)
