"""The connection: opensearch-py, with its errors converted to ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from opensearchpy import OpenSearch
from opensearchpy import exceptions as failures

from sortkey.connect.opensearch_index.mapping import ANALYZER
from sortkey.errors import SearchError, SearchIndexMissing, Throttled, Unreachable

Json = dict[str, Any]
ATTEMPTS = 5
FIRST_PAUSE_SECONDS = 0.1
TOO_MANY = 429


class Connection:
    """Sends requests to one cluster. Retries after a pause when the cluster is overloaded."""

    def __init__(self, client: OpenSearch, sleep: Callable[[float], object]) -> None:
        self._client, self._sleep = client, sleep
        self._analyzed = lru_cache(1000)(self._analyze)

    def send(self, method: str, path: str, body: Any = None, **params: Any) -> Json:
        """One request. Raises Unreachable, Throttled, SearchIndexMissing or SearchError."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answered: Any = self._client.transport.perform_request(
                    method, path, params=params, body=body
                )
                return cast(Json, answered)
            except failures.TransportError as error:
                if error.status_code != TOO_MANY or attempt == ATTEMPTS:
                    raise _ours(error) from error
            self.pause(attempt)
        raise AssertionError("the last attempt raises")

    def pause(self, attempt: int) -> None:
        self._sleep(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))

    def words(self, index: str, text: str) -> tuple[str, ...]:
        """The words of a text, as the index analyzes it. Cached per text."""
        return self._analyzed(index, text)

    def close(self) -> None:
        self._client.close()

    def _analyze(self, index: str, text: str) -> tuple[str, ...]:
        answered = self.send("POST", f"/{index}/_analyze", {"analyzer": ANALYZER, "text": text})
        return tuple(token["token"] for token in answered["tokens"])


def _ours(error: failures.TransportError) -> Exception:
    if isinstance(error, failures.ConnectionError):
        return Unreachable(
            f"OpenSearch does not answer: {error.error}. Start it, or check the address"
        )
    if error.status_code == TOO_MANY:
        return Throttled(f"OpenSearch is overloaded: {_message(error)}")
    if "not_found" in str(error.error) or "alias [" in str(error.error):
        return SearchIndexMissing(f"{_message(error)}: call ensure()")
    return SearchError(f"OpenSearch rejects the request: {_message(error)}")


def _message(error: Any) -> str:
    try:
        return error.info["error"]["root_cause"][0]["reason"]
    except (KeyError, IndexError, TypeError):
        return str(error)
