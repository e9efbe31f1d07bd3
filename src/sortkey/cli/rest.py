"""`sortkey rest`: the systems over REST, with their workers, from one folder or from AWS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sortkey.cli.failure import USAGE, CommandFailed
from sortkey.cli.hosting import Place, names_of, opened, serve
from sortkey.cli.listening import address_of, listen, origin_policy
from sortkey.cli.options import AllowHost, HostName, OtherBuckets, Port, PublicUrl

if TYPE_CHECKING:
    from sortkey.web.hosting import Host

EXAMPLES = """\
examples:
  sortkey rest                                        applens and jobengine on 127.0.0.1:8080, from the folder data/
  sortkey rest --systems applens --port 9000
  sortkey rest --store aws://eu-west-1 \\
    --objects "s3://acme-{bucket}?region=eu-west-1"
  sortkey token --system applens --user 12345         a token for it
  sortkey keys create nightly --system jobengine      a key for it
"""


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
    objects: OtherBuckets = None,
    host: HostName = "127.0.0.1",
    port: Port = 8080,
    url: PublicUrl = None,
    allow_host: AllowHost = None,
    no_workers: Annotated[
        bool, typer.Option("--no-workers", help="Only answer: jobs wait for workers elsewhere.")
    ] = False,
) -> None:
    """Serve the REST interfaces of the systems, and run their jobs, in one process.

    Everything lies in one folder, unless --store and --objects name other places. Users need a token, programs a
    key; /docs describes every route, /health says whether it runs.
    """
    from sortkey.cli.loops import log_to_stderr, run_loop
    from sortkey.errors import NotConfigured
    from sortkey.web.hosting import HOSTABLE, check_hostable
    from sortkey.wire.second_openers import SecondOpeners

    log_to_stderr()
    names = names_of(systems, HOSTABLE)
    try:
        for name in names:
            check_hostable(name)  # before a folder is made in vain
    except NotConfigured as error:
        raise CommandFailed(str(error), USAGE) from None
    place, has_workers = Place(data, store, objects), not no_workers
    origins = origin_policy(host, allow_host, url=url)
    sockets = listen(host, port)
    address = url or address_of(sockets[0])
    with opened(place, address, names, origins=origins) as house:
        openers = SecondOpeners(house.engine) if house.engine else None

        def ready() -> None:
            print(_banner(house.host, place, address, has_workers), flush=True)

        run_loop(serve(house.host.app, sockets, openers, ready, workers=[house.host] if has_workers else []))


def _banner(host: Host, place: Place, address: str, has_workers: bool) -> str:
    names = [each.name for each in host.systems]
    width = max(map(len, [*names, "docs", "data"]))
    told = [*((name, f"{address}/{name}") for name in names), ("docs", f"{address}/docs"), ("data", place.tables)]
    told.append(("jobs", "run in this process" if has_workers else "wait for workers elsewhere"))
    lines = "\n".join(f"  {name:<{width}}  {what}" for name, what in told)
    return f"""\
sortkey serves REST on {address}
{lines}

  a token for a user: sortkey token --system {names[0]} --user 12345{place.folder_option}
  a key for a program: sortkey keys create mine --system {names[-1]}{place.keys_option}

Ctrl-C stops it."""
