"""The search index port on OpenSearch: an alias, the index behind it, and the one being built to
replace it.
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
from sortkey.runtime.search.port import Answer, IndexedDocument, Position, Written
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
                if (index := self._index()) is None:  # else another program created it first
                    raise
        meta = self._meta(index)
        if _fits(meta, self._document):
            return []
        if meta.get("format") != FORMAT:
            return [
                f"{self._alias} was built by another release of Sortkey: reindex to build it again"
            ]
        return self._adapt(index, meta["declaration"])

    def write(self, writes: Sequence[DocumentWrite], /) -> Written:
        late: list[str] = []
        for batch, body in bulk.requests(self._document.fields, writes):
            late += self._send(batch, body)
        return Written(len(writes) - len(late), late)

    def flush(self) -> None:
        """Nothing to do: acknowledged writes are in the service's log on disk."""

    def refresh(self) -> None:
        self._connection.send("POST", f"/{self._alias}/_refresh")

    def query(self, query: SearchQuery, position: Position | None, /) -> Answer:
        body = answers.request(self._translator, query, position)
        return answers.read(self._connection.send("POST", f"/{self._alias}/_search", body), query)

    def count(self, where: Match | None, /) -> int:
        body = {"query": self._translator.query(where)}
        return self._connection.send("POST", f"/{self._alias}/_count", body)["count"]

    def values(self, field: str, where: Match | None, /) -> list[str]:
        values: list[str] = []
        body = answers.values_request(self._translator, field, where)
        while True:
            answered = self._connection.send("POST", f"/{self._alias}/_search", body)
            page, after = answers.read_values(answered)
            values += page
            if after is None:
                return values
            body["aggs"]["values"]["composite"]["after"] = after

    def get(self, ids: Sequence[str], /) -> dict[str, IndexedDocument]:
        rows = [answers.hit_of(document) for document in self._documents(ids)]
        return {row.id: row for row in rows}

    def known(self, ids: Sequence[str], /) -> dict[str, int]:
        by_service_id = {bulk.service_id(document): document for document in ids}
        return {
            by_service_id[document["_id"]]: document["_version"]
            for document in self._documents(ids, _source="false")
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

    # -- its replacement

    def replacement(self) -> OpenSearchIndex:
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
        meta = memory(self._document.fields.signature, progress)
        self._connection.send("PUT", f"/{self._needed()}/_mapping", meta)

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
        """Add new fields. This clears the noted progress: only a rebuild fills the new fields.

        Existing types and rules cannot be changed. The index keeps them until it is rebuilt.
        """
        declared, indexed = self._document.fields.signature, built_for["fields"]
        new = [name for name in declared["fields"] if name not in indexed]
        changed = [name for name, kind in indexed.items() if declared["fields"].get(name) != kind]
        messages: list[str] = []
        if new:
            added = {"properties": properties(self._document.fields, new)}
            built_for = {
                **built_for,
                "fields": {**indexed, **{name: declared["fields"][name] for name in new}},
            }
            self._connection.send("PUT", f"/{index}/_mapping", added | memory(built_for))
            messages.append(f"{self._alias}: added {', '.join(new)}; reindex to fill them")
        if changed or built_for["rules"] != declared["rules"]:
            what = ", ".join(changed) or "its rule for undeclared fields"
            messages.append(
                f"{self._alias} was built for another declaration of {what}: reindex to build it "
                "again"
            )
        return messages

    # -- requests

    def _send(self, writes: list[DocumentWrite], body: bytes) -> list[str]:
        """Returns the ids of late writes. Retries those that an overloaded service refused."""
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
            body = b"".join(part for _, part in bulk.requests(self._document.fields, writes))
        raise SearchWritesFailed(
            f"OpenSearch is overloaded: {len(writes)} documents were not written",
            bulk.for_load(writes),
        )

    def _documents(self, ids: Sequence[str], **params: str) -> list[Json]:
        if not ids:
            return []
        body = {"ids": [bulk.service_id(document) for document in ids]}
        documents: list[Json] = self._connection.send(
            "POST", f"/{self._alias}/_mget", body, **params
        )["docs"]
        for document in documents:
            if "error" in document:
                raise SearchError(
                    f"OpenSearch could not read {document['_id']}: {document['error']}"
                )
        return [document for document in documents if document["found"]]

    # -- names

    def _index(self) -> str | None:
        """The index behind the alias. Raises SearchError for an index where the alias should be."""
        try:
            indexes = list(self._connection.send("GET", f"/_alias/{self._alias}"))
        except SearchIndexMissing:
            indexes = []
        if len(indexes) > 1:
            raise SearchError(
                f"{self._alias} points to {', '.join(indexes)}: it must point to one index"
            )
        return indexes[0] if indexes else None

    def _needed(self) -> str:
        index = self._index()
        if index is None:
            raise SearchIndexMissing(f"there is no index {self._alias}: call ensure()")
        return index

    def _create(self, alias: str) -> str:
        existing = self._connection.send("GET", f"/{self._name}-*/_alias", expand_wildcards="all")
        numbers = [
            int(tail)
            for name in existing
            if (tail := name.removeprefix(f"{self._name}-")).isdigit()
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
