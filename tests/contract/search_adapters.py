"""Every kind of index for the contract of search: tantivy in a folder, and the run's real
OpenSearch.

OpenSearch is started by whoever needs it first, and ends with the run. SORTKEY_OPENSEARCH_PORT
names one that runs.
"""

from __future__ import annotations

import http.client
import itertools
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sortkey import (
    Bool,
    Date,
    Document,
    FieldKind,
    FieldRule,
    Flat,
    GeoPoint,
    GeoShape,
    Integer,
    Keyword,
    Number,
    Search,
    Searchable,
    Text,
    document,
    open_search,
)
from tools import opensearch
from tools.downloads import Missing, locked
from tools.dynamodb_local import wait_until_it_answers

SECRET = b"x" * 32
ADAPTERS = [
    "tantivy",
    pytest.param("opensearch", marks=[pytest.mark.slow, pytest.mark.xdist_group("opensearch")]),
]
FIELDS: dict[str, FieldKind] = {
    "title": Text(),
    "body": Text(),
    "size": Integer(),
    "rating": Number(),
    "open": Bool(),
    "made": Date(),
    "tags": Text(many=True),
    "codes": Keyword(many=True),
    "place": GeoPoint(),
    "outline": GeoShape(),
    "attributes": Flat(exclude=("internal_", "_")),
    "marks": Flat(),
    "kind": Keyword(),
}
RULES = (
    FieldRule("hidden_*", None),
    FieldRule("text_*", Text(), name="texts"),
    FieldRule("texts_*", Text(many=True)),
    FieldRule("word_*", Keyword()),
    FieldRule("whole_*", Integer()),
    FieldRule("number_*", Number()),
    FieldRule("is_*", Bool()),
    FieldRule("on_*", Date()),
    FieldRule("at_*", GeoPoint()),
    FieldRule("around_*", GeoShape()),
)
Open = Callable[..., Search[Any]]


@dataclass
class Note:
    """What the tests index: its fields are the document."""

    key: str
    fields: dict[str, Any] | None = field(default_factory=dict[str, Any])
    version: int = 1


@document(
    Note, "notes", id="{key}", fields=FIELDS, undeclared=RULES, version=lambda note: note.version
)
def notes(note: Note) -> Searchable:
    return note.fields


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def open_index(adapter: str, tmp_path: Path) -> Iterator[Open]:
    """Opens searches on one place: `open_index(declaration)`. Closes them, and forgets the place,
    after the test.
    """
    address = (
        str(tmp_path / "search")
        if adapter == "tantivy"
        else f"http://127.0.0.1:{port()}/{unused_prefix()}"
    )
    settings: dict[str, Any] = {"commit_seconds": None} if adapter == "tantivy" else {}
    opened: list[Search[Any]] = []

    def make(declared: Document[Any] = notes, **more: Any) -> Search[Any]:
        opened.append(open_search(declared, address, **{"secret": SECRET, **settings, **more}))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
    if adapter == "opensearch":
        forget(address)


@pytest.fixture
def search(open_index: Open) -> Search[Any]:
    """An empty index of notes."""
    made = open_index()
    made.ensure()
    return made


def filled(search: Search[Any], *found: Note) -> Search[Any]:
    search.put(*found)
    search.refresh()
    return search


@cache
def port() -> int:
    if given := os.environ.get("SORTKEY_OPENSEARCH_PORT"):
        return int(given)
    folder = Path(os.environ["SORTKEY_ORACLE_FOLDER"])
    known = folder / "opensearch-port"
    with locked(folder / "opensearch-lock"):
        if not known.exists():
            try:
                known.write_text(str(_start(folder)))
            except Missing as missing:
                pytest.skip(str(missing))
    return int(known.read_text())


def _start(folder: Path) -> int:
    port = opensearch.free_port()
    server = shlex.join(opensearch.command(port, folder / "opensearch"))
    print(f"starting OpenSearch on port {port} …", file=sys.stderr, flush=True)
    # cat returns when the owner of the run closes its end of the pipe or dies.
    script = (
        f"{server} & server=$!; cat {shlex.quote(str(folder / 'alive'))} > /dev/null; kill -9 "
        "$server"
    )
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        ["sh", "-c", script],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
        cwd=folder,
    )
    wait_until_it_answers(port, process, seconds=180)
    return port


_numbers = itertools.count()


def unused_prefix() -> str:
    return f"t{os.getpid()}-{next(_numbers)}-"


def forget(address: str) -> None:
    url = urlsplit(address)
    assert url.hostname
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    connection.request("DELETE", f"{url.path}*")
    connection.getresponse().read()
    connection.close()
