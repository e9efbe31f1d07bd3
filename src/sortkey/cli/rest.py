"""`sortkey rest`: serves systems over REST, with their workers, from one folder or from AWS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.cli.host_process import folder_option, keys_option, opened, serve, tables_text
from sortkey.cli.listeners import address_of, listen, origin_policy
from sortkey.cli.selection import load_models, served_systems
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.options import AllowHost, BucketAddress, HostName, Index, Port, PublicUrl

if TYPE_CHECKING:
    from sortkey.systems.shared import Addresses
    from sortkey.web.host import Host

EXAMPLES = examples(
    "sortkey rest                    every system, from the folder data/",
    "sortkey rest --systems shop --port 9000",
    "sortkey rest shop --port 9000   one system, without its name in the paths",
    "sortkey rest --store aws://eu-west-1 \\",
    '  --objects "s3://acme-{bucket}?region=eu-west-1"',
    "sortkey token --system shop --user 12345        a token for it",
    "sortkey keys create nightly --system shop       a key for it",
)

OneSystem = Annotated[
    str | None,
    typer.Argument(
        metavar="SYSTEM",
        help="Serve only this system, at the root (default: each under its name).",
    ),
]
SystemNames = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="Systems to serve, separated by commas (default: all with REST)."
    ),
]
Folder = Annotated[
    str,
    typer.Option(metavar="FOLDER", help="Folder with the tables, the buckets and the secret."),
]
StoreAddress = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Address of tables elsewhere: http://… or aws://region."),
]
NoWorkers = Annotated[
    bool, typer.Option("--no-workers", help="Run no jobs: they wait for workers elsewhere.")
]


def run(
    system: OneSystem = None,
    systems: SystemNames = None,
    data: Folder = "data",
    store: StoreAddress = None,
    objects: BucketAddress = None,
    search: Index = None,
    topics: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Topics that several servers share: aws://region."),
    ] = None,
    host: HostName = "127.0.0.1",
    port: Port = 8080,
    url: PublicUrl = None,
    allow_host: AllowHost = None,
    no_workers: NoWorkers = False,
) -> None:
    """Serve the REST interfaces of the systems, and run their jobs, in one process.

    Everything is stored in one folder, unless --store and --objects give other addresses. Users
    need a token, programs a key. /docs describes every route, /health reports the server's state.
    """
    from sortkey.commands.loops import log_to_stderr, run_loop
    from sortkey.systems.shared import Addresses
    from sortkey.web.host import Host
    from sortkey.wire.second_openers import SecondOpeners

    log_to_stderr()
    if system and systems:
        raise CommandFailed(
            "SYSTEM serves one system at the root: omit it, or omit --systems", USAGE
        )
    served, has_workers = served_systems(system or systems), not no_workers
    if system and len(served) != 1:
        raise CommandFailed(
            "only one system can be served at the root: give several with --systems", USAGE
        )
    models = [*load_models(served, ()).values()]
    addresses = Addresses(data, store, objects, search, topics)
    origins = origin_policy(host, allow_host, url=url)
    sockets = listen(host, port)
    address = url or address_of(sockets[0])
    with opened(addresses, models, address) as shared:
        hosted = Host(shared, served, origins=origins, at_root=system is not None)
        openers = None
        if shared.engine:
            openers = SecondOpeners(shared.engine, is_guest=hosted.is_guest)

        def ready() -> None:
            print(_banner(hosted, addresses, address, has_workers, system is not None), flush=True)

        run_loop(
            serve(hosted.app, sockets, openers, ready, workers=[hosted] if has_workers else [])
        )


def _banner(host: Host, addresses: Addresses, url: str, has_workers: bool, at_root: bool) -> str:
    names = [hosted.system.name for hosted in host.systems]
    width = max(map(len, [*names, "docs", "data"]))
    urls = [(name, url if at_root else f"{url}/{name}") for name in names]
    rows = [*urls, ("docs", f"{url}/docs"), ("data", tables_text(addresses))]
    rows.append(("jobs", "run in this process" if has_workers else "wait for workers elsewhere"))
    lines = "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)
    return f"""\
sortkey serves REST on {url}
{lines}

  a token for a user: sortkey token --system {names[0]} --user 12345{folder_option(addresses)}
  a key for a program: sortkey keys create mine --system {names[-1]}{keys_option(addresses)}

Ctrl-C stops it."""
