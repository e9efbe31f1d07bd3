"""A service that is slow, full, gone or failing: what is retried, and what is reported."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sortkey import DeleteDocument, PutDocument, Search, open_search
from sortkey.errors import (
    NotConfigured,
    SearchError,
    SearchIndexMissing,
    SearchWritesFailed,
    Throttled,
    Unreachable,
)
from tests.contract.search_adapters import Note, notes

Answer = tuple[int, dict[str, Any]]


class Scripted(ThreadingHTTPServer):
    """Answers with what a test has written down, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, str, bytes]] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Scripted)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.asked.append((self.command, self.path, body))
        status, answer = self.server.answers.pop(0)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_DELETE = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def search(server: Scripted, slept: list[float]) -> Iterator[Search[Note]]:
    with open_search(
        notes, f"http://127.0.0.1:{server.server_port}/x-", sleep=slept.append
    ) as opened:
        yield opened


def item(status: int, error: dict[str, Any] | None = None) -> dict[str, Any]:
    outcome = {"status": status, "_index": "x-notes", "_id": "?"}
    return {"index": outcome if error is None else {**outcome, "error": error}}


def bulk(*items: dict[str, Any]) -> Answer:
    return 200, {"errors": True, "items": list(items)}


def refused(status: int, kind: str, reason: str = "why") -> Answer:
    return status, {
        "error": {"type": kind, "root_cause": [{"type": kind, "reason": reason}]},
        "status": status,
    }


FULL = {"type": "opensearch_rejected_execution_exception", "reason": "queue is full"}
PUTS = [PutDocument(name, 1, {"size": 1}) for name in ("a", "b", "c")]


def test_what_is_refused_for_load_is_sent_again_and_only_that(
    search: Search[Note], server: Scripted, slept: list[float]
) -> None:
    # A bulk request is answered one by one: two of three may be in already.
    server.answers = [
        bulk(item(201), item(429, FULL), item(409, FULL)),
        bulk(item(429, FULL)),
        bulk(item(200)),
    ]
    written = search.write(PUTS)
    assert (written.written, written.late) == (2, ["c"])
    assert [body.count(b"external_gte") for _, _, body in server.asked] == [3, 1, 1]
    assert slept == [0.1, 0.2]


def test_what_stays_refused_for_load_is_named(search: Search[Note], server: Scripted) -> None:
    server.answers = [bulk(item(201), item(429, FULL), item(201)), *[bulk(item(429, FULL))] * 4]
    with pytest.raises(
        SearchWritesFailed, match="overloaded: 1 documents were not written"
    ) as caught:
        search.write(PUTS)
    assert caught.value.ids == {"b": "OpenSearch is overloaded"}


def test_what_is_refused_for_good_is_named_with_the_reason(
    search: Search[Note], server: Scripted
) -> None:
    why = {
        "type": "mapper_parsing_exception",
        "reason": "failed to parse",
        "caused_by": {"reason": "no number"},
    }
    server.answers = [bulk(item(201), item(400, why), item(201))]
    with pytest.raises(SearchWritesFailed, match="b: failed to parse: no number") as caught:
        search.write(PUTS)
    assert caught.value.ids == {"b": "failed to parse: no number"}


def test_a_request_that_is_refused_for_load_is_sent_again(
    search: Search[Note], server: Scripted, slept: list[float]
) -> None:
    full = refused(429, "circuit_breaking_exception")
    server.answers = [full, full, (200, {"count": 7})]
    assert search.count() == 7
    assert slept == [0.1, 0.2]
    server.answers = [full] * 5
    with pytest.raises(Throttled):
        search.count()


def test_errors_are_ours(search: Search[Note], server: Scripted) -> None:
    # Nobody above has to know opensearch-py.
    server.answers = [refused(404, "index_not_found_exception", "no such index [x-notes]")]
    with pytest.raises(SearchIndexMissing, match=r"no such index \[x-notes\]: call ensure"):
        search.count()
    server.answers = [refused(400, "parsing_exception", "bad query")]
    with pytest.raises(SearchError, match="OpenSearch rejects the request: bad query"):
        search.count()


def test_a_service_that_is_gone_is_unreachable() -> None:
    with open_search(notes, "http://127.0.0.1:1") as search, pytest.raises(Unreachable):
        search.count()


def test_deletes_carry_their_version_too(search: Search[Note], server: Scripted) -> None:
    server.answers = [(200, {"errors": False, "items": [{"delete": {"status": 404}}]})]
    assert search.write([DeleteDocument("a", 7)]).written == 1
    ((method, path, body),) = server.asked
    assert (method, path) == ("POST", "/x-notes/_bulk?require_alias=true")
    assert json.loads(body) == {
        "delete": {"_id": "a", "version": 7, "version_type": "external_gte"}
    }


@pytest.mark.parametrize("address", ["ftp://host", "http://", "http://host?colour=red"])
def test_an_address_that_is_none_is_refused_without_telling_it(address: str) -> None:
    # An address may hold a password.
    with pytest.raises(NotConfigured) as caught:
        open_search(notes, address)
    assert "host?colour" not in str(caught.value)
