"""`sortkey.open(address)`: a store for an address. The rest of a program does not know where its data lies.

`data/`, `:memory:`                  the engine in this process; a folder that a server owns is reached through it
`aws://eu-west-1?profile=name`       DynamoDB on AWS; without a region the one of the environment
`http://localhost:8000?region=…`     anything that speaks the protocol
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar, overload

from sortkey.connect.addresses import address_parts
from sortkey.connect.buckets import Buckets, Given
from sortkey.runtime.store import AsyncStore, Store

if TYPE_CHECKING:
    from sortkey.runtime.payloads.store import AsyncPayloadStore, PayloadStore

Address = str | os.PathLike[str]
LOCAL_REGION = "us-east-1"
S = TypeVar("S", Store, AsyncStore)


@overload
def open(address: Address = "data", *, objects: None = None, **settings: Any) -> Store: ...
@overload
def open(address: Address = "data", *, objects: Given, **settings: Any) -> PayloadStore: ...
def open(address: Address = "data", *, objects: Given | None = None, **settings: Any) -> Store:
    """A store. Settings are those of `Store`: clock, secret, tenant, metrics.

    `objects` are the buckets of payloads: `data/buckets/{bucket}`, or one address, or `Objects`, for each by name.
    """
    if objects is None:
        return _on_backend(Store, address, settings, awaited=False)
    from sortkey.runtime.payloads.store import PayloadStore

    settings["objects"] = Buckets(objects, settings.get("clock"))
    return _on_backend(PayloadStore, address, settings, awaited=False)


@overload
def open_async(address: Address = "data", *, objects: None = None, **settings: Any) -> AsyncStore: ...
@overload
def open_async(address: Address = "data", *, objects: Given, **settings: Any) -> AsyncPayloadStore: ...
def open_async(address: Address = "data", *, objects: Given | None = None, **settings: Any) -> AsyncStore:
    """The same, to be awaited."""
    if objects is None:
        return _on_backend(AsyncStore, address, settings, awaited=True)
    from sortkey.runtime.payloads.store import AsyncPayloadStore

    settings["objects"] = Buckets(objects, settings.get("clock"))
    return _on_backend(AsyncPayloadStore, address, settings, awaited=True)


def _on_backend(kind: type[S], address: Address, settings: dict[str, Any], *, awaited: bool) -> S:
    """A store that owns its backend. Where there is none for a wrong setting, the folder must be free again."""
    backend = _backend(address, settings, awaited=awaited)
    try:
        return kind(backend, **settings)
    except BaseException:
        if engine := getattr(backend, "engine", None):
            engine.close()
        raise


def _backend(address: Address, settings: dict[str, Any], *, awaited: bool) -> Any:
    engine_settings = _engine_settings(settings)
    scheme, client = _client(address)
    if client is None:
        return _embedded(address, engine_settings, awaited=awaited)
    return _dynamodb(scheme, client, awaited=awaited)


def _client(address: Address) -> tuple[str, dict[str, Any] | None]:
    """The scheme and what the address says of a client; None for the embedded engine."""
    text = os.fspath(address)
    if "://" not in text:
        return "", None
    forms = ": a folder, :memory:, aws://<region>, or http(s)://<host>:<port>"
    url, options = address_parts(text, ("aws", "http", "https"), ("region", "profile"), forms)
    endpoint = None if url.scheme == "aws" else f"{url.scheme}://{url.netloc}"
    region = options.get("region") or (url.netloc if url.scheme == "aws" else None) or None
    return url.scheme, {"endpoint": endpoint, "region": region, "profile": options.get("profile")}


def _engine_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """What of the settings is for the engine; a clock is for both."""
    taken = {name: settings.pop(name) for name in ("synchronous", "background") if name in settings}
    return taken | {name: settings[name] for name in ("clock",) if name in settings}


def _embedded(address: Address, settings: dict[str, Any], *, awaited: bool) -> Any:
    from sortkey import engine
    from sortkey.connect.embedded import AsyncEmbeddedBackend, EmbeddedBackend

    opened = engine.open(address, **settings)
    return AsyncEmbeddedBackend(opened) if awaited else EmbeddedBackend(opened)


def _dynamodb(scheme: str, client: dict[str, Any], *, awaited: bool) -> Any:
    from sortkey.connect.dynamodb import AsyncClient, Client
    from sortkey.connect.sigv4 import Credentials

    if scheme == "http" and client["profile"] is None and "AWS_ACCESS_KEY_ID" not in os.environ:
        # A server on this machine or in a test network that asks for none; real ones are looked up for the rest.
        client |= {"credentials": Credentials("sortkey", "sortkey"), "region": client["region"] or LOCAL_REGION}
    return AsyncClient(**client) if awaited else Client(**client)
