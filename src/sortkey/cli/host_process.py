"""What `sortkey rest` and `sortkey up` share: a host with its resources, served until a signal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from sortkey.cli.listeners import named, own

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

    from sortkey.model.patterns import Model
    from sortkey.runtime.metrics import Metrics
    from sortkey.systems import Worker
    from sortkey.systems.shared import Addresses, SharedResources
    from sortkey.wire.second_openers import SecondOpeners

DEFAULT_FOLDER = "data"


@contextmanager
def opened(
    addresses: Addresses, models: Sequence[Model], url: str, *, metrics: Metrics | None = None
) -> Generator[SharedResources]:
    """Open the resources of a host. A folder that cannot be used fails with one line."""
    from sortkey.systems.shared import open_resources

    engine = None if addresses.store else own(named(addresses.data))
    with open_resources(addresses, models, url=url, engine=engine, metrics=metrics) as shared:
        yield shared


def tables_text(addresses: Addresses) -> str:
    """Where the tables are, as text for the user."""
    return addresses.store or os.path.join(os.path.abspath(addresses.data), "")


def folder_option(addresses: Addresses) -> str:
    """The option that points another command to the same data folder; empty for the default."""
    return "" if addresses.data == DEFAULT_FOLDER else f" --data {shlex.quote(addresses.data)}"


def tables_option(addresses: Addresses) -> str:
    """The option that points another command to the same tables."""
    return (
        f" --data {shlex.quote(addresses.store)}" if addresses.store else folder_option(addresses)
    )


def keys_option(addresses: Addresses) -> str:
    """The options of `sortkey keys create`: the tables, and the folder that holds the secret."""
    folder = f" --folder {shlex.quote(addresses.data)}" if addresses.store else ""
    return tables_option(addresses) + folder


async def serve(
    app: FastAPI,
    sockets: Sequence[socket.socket],
    openers: SecondOpeners | None,
    ready: Callable[[], None],
    *,
    workers: Sequence[Worker] = (),
    later: Sequence[Worker] = (),
) -> None:
    """Serve until a signal. `ready` is called when everything answers, before the workers in
    `later` start.

    It stops in reverse order: first requests, then jobs, then other processes that use the folder.
    """
    from sortkey.commands.loops import stop_signal
    from sortkey.web.rest_server import RestServer

    signalled = stop_signal()
    async with AsyncExitStack() as running:
        if openers is not None:
            await openers.start()
            running.push_async_callback(openers.stop)
        await _start(workers, running)
        rest = RestServer(app, sockets)
        await rest.start()
        running.push_async_callback(rest.stop)
        ready()
        await _start(later, running)
        await signalled.wait()


async def _start(workers: Sequence[Worker], running: AsyncExitStack) -> None:
    from asyncio import to_thread

    for worker in workers:
        running.push_async_callback(to_thread, worker.stop)
        await to_thread(worker.start)
