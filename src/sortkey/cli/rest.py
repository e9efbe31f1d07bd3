"""`sortkey rest`: the systems over REST, with their workers, from one folder or from AWS."""

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


def run(
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="SYSTEM",
            help="Serve this system alone, at the root (default: each under its name).",
        ),
    ] = None,
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Systems to serve, with commas (default: all that can be)."
        ),
    ] = None,
    data: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Folder of the tables, the buckets and the secret."),
    ] = "data",
    store: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Tables that are elsewhere: http://… or aws://region."
        ),
    ] = None,
    objects: BucketAddress = None,
    search: Index = None,
    host: HostName = "127.0.0.1",
    port: Port = 8080,
    url: PublicUrl = None,
    allow_host: AllowHost = None,
    no_workers: Annotated[
        bool, typer.Option("--no-workers", help="Only answer: jobs wait for workers elsewhere.")
    ] = False,
) -> None:
    """Serve the REST interfaces of the systems, and run their jobs, in one process.

    Everything lies in one folder, unless --store and --objects name other places. Users need a
    token, programs a key; /docs describes every route, /health says whether it runs.
    """
    from sortkey.commands.loops import log_to_stderr, run_loop
    from sortkey.systems.shared import Addresses
    from sortkey.web.host import Host
    from sortkey.wire.second_openers import SecondOpeners

    log_to_stderr()
    if system and systems:
        raise CommandFailed(
            "a system at the root is served alone: leave --systems out, or SYSTEM", USAGE
        )
    chosen, has_workers = served_systems(system or systems), not no_workers
    if system and len(chosen) != 1:
        raise CommandFailed(
            "one system can be served at the root: name several with --systems", USAGE
        )
    models = [*load_models(chosen, ()).values()]
    addresses = Addresses(data, store, objects, search)
    origins = origin_policy(host, allow_host, url=url)
    sockets = listen(host, port)
    address = url or address_of(sockets[0])
    with opened(addresses, models, address) as shared:
        hosted = Host(shared, chosen, origins=origins, at_root=system is not None)
        openers = SecondOpeners(shared.engine) if shared.engine else None

        def ready() -> None:
            print(_banner(hosted, addresses, address, has_workers, system is not None), flush=True)

        run_loop(
            serve(hosted.app, sockets, openers, ready, workers=[hosted] if has_workers else [])
        )


def _banner(host: Host, addresses: Addresses, url: str, has_workers: bool, at_root: bool) -> str:
    names = [each.system.name for each in host.systems]
    width = max(map(len, [*names, "docs", "data"]))
    served = [(name, url if at_root else f"{url}/{name}") for name in names]
    rows = [*served, ("docs", f"{url}/docs"), ("data", tables_text(addresses))]
    rows.append(("jobs", "run in this process" if has_workers else "wait for workers elsewhere"))
    lines = "\n".join(f"  {name:<{width}}  {what}" for name, what in rows)
    return f"""\
sortkey serves REST on {url}
{lines}

  a token for a user: sortkey token --system {names[0]} --user 12345{folder_option(addresses)}
  a key for a program: sortkey keys create mine --system {names[-1]}{keys_option(addresses)}

Ctrl-C stops it."""
