"""`Client`: calls of the interface in the name of one user."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, cast
from urllib.parse import quote, urlencode

from sortkey.errors import SortkeyError
from sortkey_systems.vams.client.transport import Request, Response, Transport

Answer = dict[str, Any]
WAITS_MAX = 5
"""How often a call is repeated where the server asks to wait (429)."""
WAIT_SECONDS_MAX = 90.0
LIST_FIELDS = ("Items", "items", "versions", "metadata", "users")
PAGES_MAX = 100_000


class CallFailed(SortkeyError):
    """The interface refused a call. Has the status, and the answer as it came."""

    def __init__(self, status: int, message: str, answer: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.answer: dict[str, Any] = cast("Answer", answer) if isinstance(answer, dict) else {}


class Client:
    """Calls with the token of a user. `user_id` is None where only the server knows it."""

    def __init__(
        self,
        transport: Transport,
        token: str,
        *,
        user_id: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.user_id = user_id
        self._transport, self._token, self._sleep = transport, token, sleep

    def get(self, path: str, **query: Any) -> Any:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self.call("POST", path, body)

    def put(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self.call("PUT", path, body)

    def delete(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self.call("DELETE", path, body)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """The JSON of an answer. Raises CallFailed."""
        data = b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        request = Request(method, path + query_text(query), headers, [data], len(data))
        return _answer(self._patiently(request, None))

    def find(self, path: str, **query: Any) -> Any:
        """The same as `get`, but None where nothing is there (404)."""
        try:
            return self.get(path, **query)
        except CallFailed as failure:
            if failure.status == 404:
                return None
            raise

    def every(self, path: str, **query: Any) -> Iterator[Answer]:
        """The items of a list, over all its pages."""
        token: str | None = None
        for _ in range(PAGES_MAX):
            page = cast("Answer", self.get(path, **query, startingToken=token))
            yield from _items(page)
            token = _inner(page).get("NextToken")
            if not token:
                return

    def download(self, path: str, into: BinaryIO, **query: Any) -> None:
        """Write a stream of the interface into a file."""
        headers = {"Authorization": f"Bearer {self._token}"}
        response = self._patiently(Request("GET", path + query_text(query), headers), into)
        if not response.is_success:
            _answer(response)

    def send_part(self, url: str, chunks: Callable[[], Iterator[bytes]], size: int) -> str:
        """Put bytes at a link, which needs no token. Gives the ETag without its quotes."""
        headers = {"Content-Type": "application/octet-stream"}
        response = self._transport.send(Request("PUT", url, headers, chunks(), size))
        if not response.is_success:
            raise CallFailed(response.status, f"a part was refused with {response.status}")
        return response.headers.get("etag", "").strip('"')

    def _patiently(self, request: Request, into: BinaryIO | None) -> Response:
        for _ in range(WAITS_MAX):
            response = self._transport.send(request, into)
            if response.status != 429:
                return response
            self._sleep(_wait_seconds(response))
        return self._transport.send(request, into)


def path_of(*steps: str) -> str:
    """A path from its steps, each of them quoted: an id may have any character."""
    return "".join(f"/{quote(step, safe='@:')}" for step in steps)


def asset_path(database_id: str, asset_id: str, *steps: str) -> str:
    """The path of an asset, or of something under it."""
    return path_of("database", database_id, "assets", asset_id, *steps)


def query_text(query: Mapping[str, Any] | None) -> str:
    """`?name=value&…` without what is None; booleans as the interface reads them."""
    pairs = [(name, value) for name, value in (query or {}).items() if value is not None]
    if not pairs:
        return ""
    return "?" + urlencode([(name, _query_value(value)) for name, value in pairs])


def _query_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _wait_seconds(response: Response) -> float:
    try:
        seconds = float(response.headers.get("retry-after", "1"))
    except ValueError:
        seconds = 1.0
    return min(max(seconds, 0.1), WAIT_SECONDS_MAX)


def _answer(response: Response) -> Any:
    try:
        answer: Any = json.loads(response.body) if response.body else {}
    except ValueError:
        answer = None
    if response.is_success and answer is not None:
        return answer
    raise CallFailed(response.status, _message(response.status, answer), answer)


def _message(status: int, answer: Any) -> str:
    message: Any = cast("Answer", answer).get("message") if isinstance(answer, dict) else None
    text = message if isinstance(message, str) and message else "the answer cannot be read"
    advice = {
        401: ": sign in again, or give another token",
        403: ": `sortkey vams can` says which constraint decides",
    }
    return f"{text.removeprefix('VAMS General Error: ')} ({status}){advice.get(status, '')}"


def _inner(page: Answer) -> Answer:
    """The list of an answer, which may stand under `message`."""
    wrapped = page.get("message")
    return cast("Answer", wrapped) if isinstance(wrapped, dict) else page


def _items(page: Answer) -> list[Answer]:
    message = page.get("message")
    if isinstance(message, list):
        return cast("list[Answer]", message)
    inner = _inner(page)
    for name in LIST_FIELDS:
        if isinstance(inner.get(name), list):
            return inner[name]
    return []
