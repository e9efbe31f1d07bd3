"""The index as the port wants it: an alias, the index behind it, and the one that is built to take
its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

from opensearchpy import OpenSearch

from sortkey.connect.opensearch_index import answers, bulk
from sortkey.connect.opensearch_index.client import ATTEMPTS, Connection
from sortkey.connect.opensearch_index.mapping import (
    FORMAT,
    ID,
    mappings,
    memory,
    properties,
    settings,
)
from sortkey.connect.opensearch_index.queries import Json, Translator
from sortkey.errors import SearchError, SearchIndexMissing, SearchWritesFailed
from sortkey.model.documents import Document, DocumentWrite
from sortkey.runtime.search.matches import Match
from sortkey.runtime.search.port import Answer, Found, Position, Written
from sortkey.runtime.search.queries import SearchQuery
from sortkey.runtime.search.query_checks import counted_words


class OpenSearchIndex:
    """Documents behind an alias. Other programs may write and search it at the same time."""

    def __init__(
        self,
        document: Document[Any],
        client: OpenSearch,
        *,
        name: str | None = None,
        shards: int = 1,
        sleep: Callable[[float], object] = time.sleep,
        role: Literal["live", "building"] = "live",
    ) -> None:
        self._document, self._client, self._shards, self._sleep = document, client, shards, sleep
        self._name, self._role = name or document.name, role
        self._alias = self._name if role == "live" else f"{self._name}-building"
        self._connection = Connection(client, sleep)
        self._translator = Translator(document.fields, self._words)

    # -- the port

    def ensure(self) -> list[str]:
        index = self._index()
        if index is None:
            try:
                return [f"created {self._create(self._alias)} for {self._alias}"]
            except SearchError:
                if (index := self._index()) is None:  # else another program was faster
                    raise
        known = self._meta(index)
        if _fits(known, self._document):
            return []
        if known.get("format") != FORMAT:
            return [
                f"{self._alias} was built by another release of Sortkey: reindex to build it again"
            ]
        return self._adapt(index, known["declaration"])

    def write(self, writes: Sequence[DocumentWrite], /) -> Written:
        late: list[str] = []
        for taken, body in bulk.requests(self._document.fields, writes):
            late += self._send(taken, body)
        return Written(len(writes) - len(late), late)

    def flush(self) -> None:
        """Nothing to do: what the service has acknowledged is in its log on disk."""

    def refresh(self) -> None:
        self._connection.send("POST", f"/{self._alias}/_refresh")

    def query(self, query: SearchQuery, position: Position | None, /) -> Answer:
        body = answers.request(self._translator, query, position)
        return answers.read(self._connection.send("POST", f"/{self._alias}/_search", body), query)

    def count(self, where: Match | None, /) -> int:
        body = {"query": self._translator.query(where)}
        return self._connection.send("POST", f"/{self._alias}/_count", body)["count"]

    def get(self, ids: Sequence[str], /) -> dict[str, Found]:
        rows = [answers.found(each) for each in self._documents(ids)]
        return {row.id: row for row in rows}

    def known(self, ids: Sequence[str], /) -> dict[str, int]:
        by_service_id = {bulk.service_id(each): each for each in ids}
        return {
            by_service_id[each["_id"]]: each["_version"]
            for each in self._documents(ids, _source="false")
        }

    def versions(self, after: str | None, size: int, /) -> list[tuple[str, int]]:
        body: Json = {
            "size": size,
            "sort": [{ID: "asc"}],
            "version": True,
            "_source": False,
            "track_total_hits": False,
        }
        if after is not None:
            body["search_after"] = [after]
        hits = self._connection.send("POST", f"/{self._alias}/_search", body)["hits"]["hits"]
        return [(hit["sort"][0], hit["_version"]) for hit in hits]

    # -- another index beside it

    def beside(self) -> OpenSearchIndex:
        built = OpenSearchIndex(
            self._document,
            self._client,
            name=self._name,
            shards=self._shards,
            sleep=self._sleep,
            role="building",
        )
        begun = built._index()
        if begun is not None and not _fits(built._meta(begun), self._document):
            self._connection.send("DELETE", f"/{begun}")
            begun = None
        if begun is None:
            built._create(built._alias)
        return built

    def note(self, progress: Any, /) -> None:
        known = memory(self._document.fields.signature, progress)
        self._connection.send("PUT", f"/{self._needed()}/_mapping", known)

    def noted(self) -> Any:
        meta = self._meta(self._needed())
        return meta["progress"] if _fits(meta, self._document) else None

    def replace_with(self, built: OpenSearchIndex, /) -> None:
        new, old = built._needed(), self._index()
        actions: list[Json] = [
            {"remove": {"index": new, "alias": built._alias}},
            {"add": {"index": new, "alias": self._alias}},
        ]
        if old is not None:
            actions.append({"remove_index": {"index": old}})
        self._connection.send("POST", "/_aliases", {"actions": actions})

    def close(self) -> None:
        if self._role == "live":
            self._connection.close()

    # -- another declaration

    def _adapt(self, index: str, built_for: Json) -> list[str]:
        """Add what is new. Nothing is noted of its progress then: only a rebuild knows what new
        fields hold.

        The types and rules that an index has cannot be changed. It goes on as it is, until it is
        built again.
        """
        wanted, have = self._document.fields.signature, built_for["fields"]
        new = [name for name in wanted["fields"] if name not in have]
        changed = [name for name, kind in have.items() if wanted["fields"].get(name) != kind]
        done: list[str] = []
        if new:
            added = {"properties": properties(self._document.fields, new)}
            built_for = {
                **built_for,
                "fields": {**have, **{name: wanted["fields"][name] for name in new}},
            }
            self._connection.send("PUT", f"/{index}/_mapping", added | memory(built_for))
            done.append(f"{self._alias}: added {', '.join(new)}; reindex to fill them")
        if changed or built_for["rules"] != wanted["rules"]:
            what = ", ".join(changed) or "its rule for undeclared fields"
            done.append(
                f"{self._alias} was built for another declaration of {what}: reindex to build it "
                "again"
            )
        return done

    # -- requests

    def _send(self, writes: list[DocumentWrite], body: bytes) -> list[str]:
        """The ids of what came too late. What is refused for load is sent again."""
        late: list[str] = []
        for attempt in range(1, ATTEMPTS + 1):
            answered = self._connection.send(
                "POST", f"/{self._alias}/_bulk", body, require_alias="true"
            )
            came_late, writes = bulk.outcome(writes, answered)
            late += came_late
            if not writes:
                return late
            if attempt < ATTEMPTS:
                self._connection.pause(attempt)
            body = b"".join(each for _, each in bulk.requests(self._document.fields, writes))
        raise SearchWritesFailed(
            f"OpenSearch refuses {len(writes)} documents for load", bulk.for_load(writes)
        )

    def _documents(self, ids: Sequence[str], **params: str) -> list[Json]:
        if not ids:
            return []
        asked = {"ids": [bulk.service_id(each) for each in ids]}
        documents: list[Json] = self._connection.send(
            "POST", f"/{self._alias}/_mget", asked, **params
        )["docs"]
        for each in documents:
            if "error" in each:
                raise SearchError(f"OpenSearch could not read {each['_id']}: {each['error']}")
        return [each for each in documents if each["found"]]

    # -- names

    def _index(self) -> str | None:
        """The index behind the alias. Raises SearchError for an index where the alias should be."""
        try:
            found = list(self._connection.send("GET", f"/_alias/{self._alias}"))
        except SearchIndexMissing:
            found = []
        if len(found) > 1:
            raise SearchError(f"{self._alias} stands for {', '.join(found)}: it must be one index")
        return found[0] if found else None

    def _needed(self) -> str:
        index = self._index()
        if index is None:
            raise SearchIndexMissing(f"there is no index {self._alias}: call ensure()")
        return index

    def _create(self, alias: str) -> str:
        taken = self._connection.send("GET", f"/{self._name}-*/_alias", expand_wildcards="all")
        numbers = [
            int(tail) for each in taken if (tail := each.removeprefix(f"{self._name}-")).isdigit()
        ]
        index = f"{self._name}-{max(numbers, default=0) + 1:06d}"
        body: Json = {
            "settings": settings(self._shards),
            "mappings": mappings(self._document.fields),
            "aliases": {alias: {}},
        }
        self._connection.send("PUT", f"/{index}", body, wait_for_active_shards="1")
        return index

    def _meta(self, index: str) -> Json:
        answered = self._connection.send("GET", f"/{index}/_mapping")
        return answered[index]["mappings"].get("_meta", {}).get("sortkey", {})

    def _words(self, text: str) -> Sequence[str]:
        return counted_words(self._connection.words(self._alias, text))


def _fits(meta: Json, document: Document[Any]) -> bool:
    """Whether an index was built for this declaration."""
    return meta.get("format") == FORMAT and meta["declaration"] == document.fields.signature
