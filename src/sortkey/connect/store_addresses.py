"""`sortkey.open(address)`: a store for an address. The rest of a program does not know where its
data is stored.

`data/`, `:memory:`                  the engine in this process; a folder that another one serves is reached through it
`aws://eu-west-1?profile=name`       DynamoDB on AWS; without a region the one of the environment
`http://localhost:8000?region=…`     any server that speaks the protocol
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from sortkey.connect.addresses import address_parts
from sortkey.connect.buckets import BucketAddresses, Buckets

if TYPE_CHECKING:
    from typing import Unpack

    from sortkey.engine import Engine
    from sortkey.runtime.async_store import AsyncStore
    from sortkey.runtime.metrics import Metrics
    from sortkey.runtime.steps import AsyncPause, Pause
    from sortkey.runtime.store import Store
    from sortkey.storage.database import Synchronous

Address = str | os.PathLike[str]
LOCAL_REGION = "us-east-1"
S = TypeVar("S")


class _Settings(TypedDict, total=False):
    secret: bytes | None
    tenant: str
    metrics: Metrics | None
    hide_expired: bool
    clock: Callable[[], float]
    random: Callable[[], float]
    synchronous: Synchronous
    background: bool


class Settings(_Settings, total=False):
    """The settings of a `Store`. `synchronous` and `background` are for the embedded engine,
    `clock` is for both.
    """

    sleep: Pause


class AsyncSettings(_Settings, total=False):
    """The same for an `AsyncStore`."""

    sleep: AsyncPause


def open(
    address: Address = "data",
    *,
    objects: BucketAddresses | None = None,
    **settings: Unpack[Settings],
) -> Store:
    """Open a store. Settings are those of `Store`: secret, tenant, metrics, hide_expired, clock,
    sleep, random. The embedded engine also takes synchronous ("full" survives a power cut) and
    background (False leaves background work to you).

    `objects` are the buckets of payloads: one address for all of them, as in
    `data/buckets/{bucket}`, or an address or `Objects` per bucket name.
    """
    from sortkey.runtime.store import Store

    return _open_store(Store, address, objects, cast(dict[str, Any], settings), awaited=False)


def open_async(
    address: Address = "data",
    *,
    objects: BucketAddresses | None = None,
    **settings: Unpack[AsyncSettings],
) -> AsyncStore:
    """The same as `open`, for async programs."""
    from sortkey.runtime.async_store import AsyncStore

    return _open_store(AsyncStore, address, objects, cast(dict[str, Any], settings), awaited=True)


def _open_store(
    kind: Callable[..., S],
    address: Address,
    objects: BucketAddresses | None,
    settings: dict[str, Any],
    *,
    awaited: bool,
) -> S:
    for_engine, for_store = _split(objects, settings)
    if (client := _client_settings(address)) is not None:
        return kind(_client(client, awaited=awaited), **for_store)
    backend, close = _on_folder(address, for_engine, awaited=awaited)
    try:
        return kind(backend, **for_store)
    except BaseException:
        close()  # a wrong setting must not leave the folder locked
        raise


def _split(
    objects: BucketAddresses | None, settings: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of the engine, and those of the store. A clock is for both."""
    for_engine = {
        name: settings[name] for name in ("synchronous", "background", "clock") if name in settings
    }
    for_store = {
        name: value for name, value in settings.items() if name not in ("synchronous", "background")
    }
    if objects is not None:
        for_store["objects"] = Buckets(objects, settings.get("clock"))
    return for_engine, for_store


def _client_settings(address: Address) -> dict[str, Any] | None:
    """What an address says about a client of DynamoDB; None for the embedded engine."""
    text = os.fspath(address)
    if "://" not in text:
        return None
    forms = ": a folder, :memory:, aws://<region>, or http(s)://<host>:<port>"
    url, options = address_parts(text, ("aws", "http", "https"), ("region", "profile"), forms)
    endpoint = None if url.scheme == "aws" else f"{url.scheme}://{url.netloc}"
    region = options.get("region") or (url.netloc if url.scheme == "aws" else None) or None
    client = {"endpoint": endpoint, "region": region, "profile": options.get("profile")}
    if url.scheme == "http" and client["profile"] is None and "AWS_ACCESS_KEY_ID" not in os.environ:
        from sortkey.connect.sigv4 import Credentials

        # A server on this machine or in a test network, which accepts any key. For all others real
        # keys are looked up.
        return client | {
            "credentials": Credentials("sortkey", "sortkey"),
            "region": region or LOCAL_REGION,
        }
    return client


def _client(settings: dict[str, Any], *, awaited: bool) -> Any:
    from sortkey.connect.dynamodb import AsyncClient, Client

    return AsyncClient(**settings) if awaited else Client(**settings)


def _on_folder(
    address: Address, settings: dict[str, Any], *, awaited: bool
) -> tuple[Any, Callable[[], None]]:
    """The backend of a folder or of memory, and a function that closes it without awaiting."""
    from sortkey import engine
    from sortkey.errors import FolderInUse
    from sortkey.storage.folder import was_served_recently

    if not was_served_recently(address):
        try:
            local = engine.open(address, **settings)
        except FolderInUse as owner:
            if owner.address is None and not owner.is_interim:
                raise
        else:
            return _embedded(local, awaited=awaited), local.close
    from sortkey.connect.async_shared_folder_backend import AsyncSharedFolderBackend
    from sortkey.connect.shared_folder import SharedFolder
    from sortkey.connect.shared_folder_backend import SharedFolderBackend

    # A shared folder's owner does its background work.
    shared = SharedFolder(
        address, {name: value for name, value in settings.items() if name != "background"}
    ).open()
    return AsyncSharedFolderBackend(shared) if awaited else SharedFolderBackend(
        shared
    ), shared.close


def _embedded(engine: Engine, *, awaited: bool) -> Any:
    from sortkey.connect.embedded import AsyncEmbeddedBackend, EmbeddedBackend

    return AsyncEmbeddedBackend(engine) if awaited else EmbeddedBackend(engine)
