"""`sortkey serve`: DynamoDB's protocol on a port, from a folder or from memory."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING

from sortkey.cli.failure import USAGE, CommandFailed

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine

    from sortkey.engine.engine import Engine
    from sortkey.wire.access import Credentials
    from sortkey.wire.server import Server

DESCRIPTION = """\
Serve DynamoDB to any AWS SDK, the AWS CLI or NoSQL tools, from one process and one folder.

Without credentials every caller is welcome, so the server then binds to this machine only (127.0.0.1).
With --access-key and --secret-key every request must be signed with them, as on AWS.
"""


FILES_MAX = 10_240  # the limit on connections, and the database; macOS allows no more

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # and the one of them that is sure to be there


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    parser = commands.add_parser(
        "serve",
        help="serve DynamoDB's protocol",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", default=8000, type=_port, help="port; 0 takes a free one (default: %(default)s)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--data", default="data", type=_folder, metavar="FOLDER", help="folder of the data (default: %(default)s)"
    )
    where.add_argument("--memory", action="store_true", help="keep everything in memory; gone when the server stops")
    parser.add_argument(
        "--synchronous",
        default="normal",
        choices=("normal", "full"),
        help="what an answered write survives: normal: a crash of the process; full: also a power cut "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--region", default="us-east-1", type=_region, help="region in ARNs and signatures (default: %(default)s)"
    )
    parser.add_argument("--access-key", metavar="KEY", help="access key callers sign with; or SORTKEY_ACCESS_KEY")
    parser.add_argument(
        "--secret-key", metavar="SECRET", help="its secret; or SORTKEY_SECRET_KEY, which stays out of the process list"
    )
    parser.add_argument(
        "--insecure", action="store_true", help="allow another address than loopback without credentials"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM."""
    import logging

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    _raise_file_limit()
    credentials = _credentials(options)
    sockets = _bind(options, credentials)
    engine = _open(options)
    try:
        from secrets import token_hex
        from time import time

        from sortkey.wire.access import Access
        from sortkey.wire.server import Server

        token = token_hex(32)
        address = _address(sockets[0])

        def ready() -> None:
            engine.publish(address, token)
            print(_banner(options, address, credentials), flush=True)

        server = Server(engine, Access(credentials, options.region, time, token), region=options.region)
        _run_loop(_until_signal(server, sockets, ready))
    finally:
        engine.close()
    return 0


def _run_loop(serving: Coroutine[None, None, None]) -> None:
    import asyncio

    try:
        from uvloop import new_event_loop  # twice as fast as asyncio's own; not there on every platform
    except ImportError:
        new_event_loop = None
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(serving)


async def _until_signal(server: Server, sockets: list[socket.socket], ready: Callable[[], None]) -> None:
    import asyncio
    import gc
    import signal

    signalled = asyncio.Event()

    def on_signal() -> None:
        if signalled.is_set():
            os._exit(130)  # asked twice: do not wait for anyone. What was answered is committed
        signalled.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    await server.start(sockets)
    gc.collect()
    gc.freeze()  # what is there now stays: spare the collector from walking it under load
    ready()
    await signalled.wait()
    await server.stop()


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: use a number from 0 to 65535")
    return int(text)


def _region(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no region: use a name such as us-east-1")
    return text


def _folder(text: str) -> str:
    if not text:  # an unset variable, most likely; it would mean the current folder
        raise argparse.ArgumentTypeError("the folder has no name")
    return text


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


def _credentials(options: argparse.Namespace) -> Credentials | None:
    access_key = options.access_key or os.environ.get("SORTKEY_ACCESS_KEY")
    secret_key = options.secret_key or os.environ.get("SORTKEY_SECRET_KEY")
    if not access_key and not secret_key:
        return None
    if not access_key or not secret_key:
        missing = "a secret key (--secret-key or SORTKEY_SECRET_KEY)" if access_key else "an access key (--access-key)"
        raise CommandFailed(f"credentials need both parts; give {missing} as well", USAGE)
    from sortkey.wire.access import Credentials

    return Credentials(access_key, secret_key)


def _bind(options: argparse.Namespace, credentials: Credentials | None) -> list[socket.socket]:
    import errno

    from sortkey.wire.addresses import bind, is_loopback

    try:
        if credentials is None and not options.insecure and not is_loopback(options.host):
            raise CommandFailed(
                f"{options.host} can be reached from other machines: give --access-key and --secret-key, "
                "or --insecure to let anyone in",
                USAGE,
            )
        return bind(options.host, options.port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandFailed(
                f"port {options.port} on {options.host} is in use: stop what uses it, or choose another with --port"
            ) from None
        if error.errno == errno.EACCES:
            raise CommandFailed(f"port {options.port} is not for ordinary users: choose one above 1023") from None
        raise CommandFailed(f"cannot listen on {options.host}:{options.port}: {error.strerror}") from None


def _open(options: argparse.Namespace) -> Engine:
    import apsw

    from sortkey import engine
    from sortkey.errors import FolderInUse

    folder = ":memory:" if options.memory else options.data
    try:
        return engine.own(folder, synchronous=options.synchronous, region=options.region)
    except FolderInUse as error:
        raise CommandFailed(
            f"the folder {error.folder} is in use by process {error.pid}"
            + (f", which serves it on {error.address}: use that" if error.address else ": stop that process")
            + ", or choose another folder with --data"
        ) from None
    except OSError as error:
        raise CommandFailed(f"cannot use the folder {folder}: {error.strerror}; choose another with --data") from None
    except apsw.Error as error:
        raise CommandFailed(
            f"cannot read the data in the folder {folder}: {error}; restore it, or choose another with --data"
        ) from None


def _address(bound: socket.socket) -> str:
    name, port = bound.getsockname()[:2]
    host = _EVERY_ADDRESS.get(name) or str(name)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _banner(options: argparse.Namespace, address: str, credentials: Credentials | None) -> str:
    where = "memory (gone when the server stops)" if options.memory else os.path.join(os.path.abspath(options.data), "")
    key, secret = (credentials.access_key, "...") if credentials else ("any", "any")
    others = " and every other address of this machine" if options.host in _EVERY_ADDRESS else ""
    callers = f"signed by {key}" if credentials else "anyone who reaches the address; no signature is checked"
    return f"""\
sortkey serves DynamoDB on {address}{others}
  data     {where}
  region   {options.region}
  callers  {callers}

  import boto3
  boto3.client("dynamodb", endpoint_url="{address}", region_name="{options.region}",
               aws_access_key_id="{key}", aws_secret_access_key="{secret}")

Ctrl-C stops it."""
