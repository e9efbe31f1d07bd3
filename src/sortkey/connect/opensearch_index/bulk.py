"""Writes as lines of a bulk request, with external versions, and the outcome of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import orjson

from sortkey.connect.opensearch_index.mapping import ID, ORIGINAL
from sortkey.errors import SearchIndexMissing, SearchWritesFailed
from sortkey.model.document_fields import DocumentFields
from sortkey.model.documents import DocumentWrite, PutDocument
from sortkey.model.field_values import EXACT_MAX

Json = dict[str, Any]
ID_BYTES_MAX = 512
BODY_BYTES = 5_000_000
"""AWS accepts 10 MB on its smaller machines."""
CONFLICT, TOO_MANY = 409, 429
_REASONS_SHOWN = 3


def requests(
    fields: DocumentFields, writes: Sequence[DocumentWrite]
) -> Iterator[tuple[list[DocumentWrite], bytes]]:
    """Batches of writes with their request bodies, none of them too large for a small service."""
    batch, body = list[DocumentWrite](), bytearray()
    for write in writes:
        lines = _lines(fields, write)
        if body and len(body) + len(lines) > BODY_BYTES:
            yield batch, bytes(body)
            batch, body = [], bytearray()
        batch.append(write)
        body += lines
    if batch:
        yield batch, bytes(body)


def _lines(fields: DocumentFields, write: DocumentWrite) -> bytes:
    # "gte": the same version may be written again; an older one, after a delete too, is a conflict.
    about = {"_id": service_id(write.id), "version": write.version, "version_type": "external_gte"}
    if isinstance(write, PutDocument):
        return orjson.dumps({"index": about}) + b"\n" + orjson.dumps(_source(fields, write)) + b"\n"
    return orjson.dumps({"delete": about}) + b"\n"


def outcome(
    writes: Sequence[DocumentWrite], answered: Json
) -> tuple[list[str], list[DocumentWrite]]:
    """The ids of late writes, and the writes to send again. Raises SearchWritesFailed for those
    that are rejected.
    """
    late, again, refused = list[str](), list[DocumentWrite](), dict[str, str]()
    for write, item in zip(writes, answered["items"], strict=True):
        ((_, result),) = item.items()
        if result["status"] == CONFLICT:
            late.append(write.id)
        elif result["status"] == TOO_MANY:
            again.append(write)
        elif "error" in result:
            if result["error"].get("type") == "index_not_found_exception":
                raise SearchIndexMissing(f"there is no index {result['_index']}: call ensure()")
            refused[write.id] = _reason(result["error"])
    if refused:
        refused |= for_load(again)
        reasons = "; ".join(f"{id}: {why}" for id, why in list(refused.items())[:_REASONS_SHOWN])
        raise SearchWritesFailed(
            f"{len(refused)} of {len(writes)} documents were rejected: {reasons}", refused
        )
    return late, again


def for_load(writes: Sequence[DocumentWrite]) -> dict[str, str]:
    return {write.id: "OpenSearch is overloaded" for write in writes}


def service_id(id: str) -> str:
    """OpenSearch accepts ids of up to 512 bytes. A longer one is replaced by its hash, and stored
    in a field.
    """
    raw = id.encode()
    return id if len(raw) <= ID_BYTES_MAX else f"sha256:{sha256(raw).hexdigest()}"


def _source(fields: DocumentFields, put: PutDocument) -> Json:
    raw = orjson.dumps(put.fields)
    if not raw.isascii() or len(raw) > EXACT_MAX:
        indexed = fields.indexable(put.fields)
        if indexed != put.fields:
            return {**indexed, ID: put.id, ORIGINAL: put.fields}
    return {**put.fields, ID: put.id}


def _reason(error: Json) -> str:
    cause = error.get("caused_by", {}).get("reason", "")
    return f"{error.get('reason', error)}{': ' + cause if cause else ''}"
