"""Where the systems' services are tested: in one folder of this machine, and on DynamoDB Local with
a real S3 server.

A home has a store and buckets, fresh for each test. What holds in one home holds in the other.
"""

from __future__ import annotations

import atexit
import secrets
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import Objects, Store
from sortkey.connect.dynamodb import Client, Credentials
from sortkey.connect.files import FileObjects
from sortkey.connect.s3.calls import client
from sortkey.web import make_app
from tests.contract.objects_adapters import new_s3_bucket, s3_endpoint
from tests.oracle.server import apart_port
from tests.web.running import running
from tools.downloads import Missing

__all__ = ["HOMES", "Home", "home", "open_home", "s3_endpoint"]

AWS_MARKS = (pytest.mark.slow, pytest.mark.oracle, pytest.mark.xdist_group("s3"))
HOMES = ("embedded", pytest.param("aws", marks=AWS_MARKS))


@dataclass(frozen=True)
class Home:
    """A store, whose payloads lie in `objects`. Presigned links can be followed, in both homes."""

    name: str
    store: Store
    objects: Mapping[str, Objects]


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """Both homes, one after the other; empty."""
    endpoint = request.getfixturevalue("s3_endpoint") if request.param == "aws" else None
    with open_home(tmp_path, endpoint) as opened:
        yield opened


@contextmanager
def open_home(folder: Path, endpoint: str | None = None) -> Generator[Home]:
    """The home in a folder, or with the address of an S3 server the one that is like AWS."""
    with _embedded(folder) if endpoint is None else _aws(endpoint) as opened:
        yield opened


@contextmanager
def _embedded(folder: Path) -> Generator[Home]:
    with ExitStack() as stack:

        def make(name: str) -> Objects:
            address, served = _object_host()
            files = FileObjects(folder / "data" / "buckets" / name, url=f"{address}/objects")
            served[name] = stack.enter_context(files)
            return files

        objects = Fresh(make)
        store = stack.enter_context(sortkey.open(folder / "data", objects=objects))
        yield Home("embedded", store, objects)


@cache
def _object_host() -> tuple[str, dict[str, Objects]]:
    """Where the links of all folders of this process lead, and which those are at the moment."""
    served: dict[str, Objects] = {}
    host = ExitStack()
    atexit.register(host.close)
    return host.enter_context(running(make_app([], objects=served))), served


@contextmanager
def _aws(endpoint: str) -> Generator[Home]:
    try:
        address = f"http://127.0.0.1:{apart_port()}"
    except Missing as missing:
        pytest.skip(f"no DynamoDB Local: {missing}")
    with ExitStack() as stack:
        objects = Fresh(
            lambda name: stack.enter_context(
                new_s3_bucket(endpoint, name=name, client=_s3(endpoint))
            )
        )
        # There each access key has tables of its own, so that they have the names that they have on
        # AWS.
        dynamodb = Client(
            address, "us-east-1", Credentials(f"tests{secrets.token_hex(6)}", "secret")
        )
        store = stack.enter_context(Store(dynamodb, objects=objects))
        yield Home("aws", store, objects)


@cache
def _s3(endpoint: str) -> Any:
    """One for all tests of this process: making a client takes longer than most of them."""
    return client(None, endpoint, None)


class Fresh(Mapping[str, Objects]):
    """Buckets by name, each made when it is first asked for."""

    def __init__(self, make: Callable[[str], Objects]) -> None:
        self._make = make
        self._made: dict[str, Objects] = {}

    def __getitem__(self, name: str) -> Objects:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
