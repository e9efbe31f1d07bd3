"""Sortkey runs DynamoDB data models: an embedded engine that speaks the protocol, and the model on
top of it.

Names are loaded when they are first used, so that a program pays only for the rooms it enters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sortkey.connect.buckets import open_objects
    from sortkey.connect.search_addresses import open_search
    from sortkey.connect.searches import Searches, open_searches
    from sortkey.connect.store_addresses import open, open_async
    from sortkey.connect.topics import open_topics
    from sortkey.model.attributes import Action, Attr, Condition, attr, not_
    from sortkey.model.changes import Change
    from sortkey.model.collections import CollectionQuery, Grouped, collection
    from sortkey.model.document_fields import FieldRule
    from sortkey.model.documents import (
        DeleteDocument,
        Document,
        PutDocument,
        Searchable,
        document,
        version_at,
    )
    from sortkey.model.entity import CamelPart, Entity, Part
    from sortkey.model.field_kinds import (
        Bool,
        Date,
        FieldKind,
        Flat,
        GeoPoint,
        GeoShape,
        Integer,
        Keyword,
        Number,
        Text,
    )
    from sortkey.model.fields import (
        Created,
        Follows,
        KeepNull,
        KeyOnly,
        Named,
        Outside,
        Range,
        States,
        Updated,
        Version,
        camel,
        pascal,
    )
    from sortkey.model.geography import LatLon
    from sortkey.model.instants import (
        EpochSeconds,
        Instant,
        InstantMillis,
        InstantSeconds,
        instant_text,
    )
    from sortkey.model.keys import index, key, query
    from sortkey.model.operations import Check, Delete, Put, Update
    from sortkey.model.patterns import AccessPattern, Explanation, Model, explain
    from sortkey.model.payloads import Payload, Pointer, StoredIn
    from sortkey.model.queries import ItemKey, Query
    from sortkey.model.tables import GSI, LSI, Table
    from sortkey.model.templates import Template
    from sortkey.runtime.async_audit import audit_async
    from sortkey.runtime.async_store import AsyncStore
    from sortkey.runtime.audit import AuditRecord, audit, audit_table, audit_write
    from sortkey.runtime.evolution import Backfilled, Plan, Progress, evolution_table
    from sortkey.runtime.jobs import Backoff, Job, JobContext, JobFunction, JobQueue, JobWorker, job
    from sortkey.runtime.metrics import Metrics
    from sortkey.runtime.metrics_formats import emf, prometheus
    from sortkey.runtime.objects import Lifecycle, ObjectInfo, Objects, ObjectVersion
    from sortkey.runtime.objects.data import ObjectReader
    from sortkey.runtime.objects.multipart import ObjectPart, ObjectUpload
    from sortkey.runtime.objects.watch import ObjectChange, WatchedObjects
    from sortkey.runtime.sandbox import Sandbox
    from sortkey.runtime.search import (
        ComposedSource,
        Drift,
        EntitySource,
        Hit,
        Match,
        Search,
        SearchPage,
        SearchQuery,
        Sort,
        Source,
        SourcePage,
        follow,
        follow_composed,
        reconcile,
        reindex,
        renew,
    )
    from sortkey.runtime.store import Page, Store
    from sortkey.runtime.streams import (
        DeadLetter,
        Retries,
        StreamWorker,
        apply_once,
        apply_once_async,
        lambda_handler,
        on_change,
        on_changes,
        once,
        streams_table,
    )
    from sortkey.runtime.topic_hub import MemoryTopics
    from sortkey.runtime.topics import Message, Subscription, Topics

_ROOMS = {
    "connect.buckets": ("open_objects",),
    "connect.store_addresses": ("open", "open_async"),
    "connect.search_addresses": ("open_search",),
    "connect.searches": ("Searches", "open_searches"),
    "connect.topics": ("open_topics",),
    "model.attributes": ("Action", "Attr", "Condition", "attr", "not_"),
    "model.changes": ("Change",),
    "model.collections": ("CollectionQuery", "Grouped", "collection"),
    "model.document_fields": ("FieldRule",),
    "model.documents": (
        "DeleteDocument",
        "Document",
        "PutDocument",
        "Searchable",
        "document",
        "version_at",
    ),
    "model.entity": ("CamelPart", "Entity", "Part"),
    "model.field_kinds": (
        "Bool",
        "Date",
        "FieldKind",
        "Flat",
        "GeoPoint",
        "GeoShape",
        "Integer",
        "Keyword",
        "Number",
        "Text",
    ),
    "model.fields": (
        "Created",
        "Follows",
        "KeepNull",
        "KeyOnly",
        "Named",
        "Outside",
        "Range",
        "States",
        "Updated",
        "Version",
        "camel",
        "pascal",
    ),
    "model.instants": (
        "EpochSeconds",
        "Instant",
        "InstantMillis",
        "InstantSeconds",
        "instant_text",
    ),
    "model.keys": ("index", "key", "query"),
    "model.operations": ("Check", "Delete", "Put", "Update"),
    "model.patterns": ("AccessPattern", "Explanation", "Model", "explain"),
    "model.payloads": ("Payload", "Pointer", "StoredIn"),
    "model.geography": ("LatLon",),
    "model.queries": ("ItemKey", "Query"),
    "model.tables": ("GSI", "LSI", "Table"),
    "model.templates": ("Template",),
    "runtime.async_audit": ("audit_async",),
    "runtime.async_store": ("AsyncStore",),
    "runtime.audit": ("AuditRecord", "audit", "audit_table", "audit_write"),
    "runtime.evolution": ("Backfilled", "Plan", "Progress", "evolution_table"),
    "runtime.jobs": (
        "Backoff",
        "Job",
        "JobContext",
        "JobFunction",
        "JobQueue",
        "JobWorker",
        "job",
    ),
    "runtime.metrics": ("Metrics",),
    "runtime.metrics_formats": ("emf", "prometheus"),
    "runtime.objects.data": ("ObjectReader",),
    "runtime.objects.multipart": ("ObjectPart", "ObjectUpload"),
    "runtime.objects.watch": ("ObjectChange", "WatchedObjects"),
    "runtime.objects": ("Lifecycle", "ObjectInfo", "ObjectVersion", "Objects"),
    "runtime.sandbox": ("Sandbox",),
    "runtime.search": (
        "ComposedSource",
        "Drift",
        "EntitySource",
        "Hit",
        "Match",
        "Search",
        "SearchPage",
        "SearchQuery",
        "Sort",
        "Source",
        "SourcePage",
        "follow",
        "follow_composed",
        "reconcile",
        "reindex",
        "renew",
    ),
    "runtime.store": ("Page", "Store"),
    "runtime.streams": (
        "DeadLetter",
        "Retries",
        "StreamWorker",
        "apply_once",
        "apply_once_async",
        "lambda_handler",
        "on_change",
        "on_changes",
        "once",
        "streams_table",
    ),
    "runtime.topic_hub": ("MemoryTopics",),
    "runtime.topics": (
        "Message",
        "Subscription",
        "Topics",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "GSI",
    "LSI",
    "AccessPattern",
    "Action",
    "AsyncStore",
    "Attr",
    "AuditRecord",
    "Backfilled",
    "Backoff",
    "Bool",
    "CamelPart",
    "Change",
    "Check",
    "CollectionQuery",
    "ComposedSource",
    "Condition",
    "Created",
    "Date",
    "DeadLetter",
    "Delete",
    "DeleteDocument",
    "Document",
    "Drift",
    "Entity",
    "EntitySource",
    "EpochSeconds",
    "Explanation",
    "FieldKind",
    "FieldRule",
    "Flat",
    "Follows",
    "GeoPoint",
    "GeoShape",
    "Grouped",
    "Hit",
    "Instant",
    "InstantMillis",
    "InstantSeconds",
    "Integer",
    "ItemKey",
    "Job",
    "JobContext",
    "JobFunction",
    "JobQueue",
    "JobWorker",
    "KeepNull",
    "KeyOnly",
    "Keyword",
    "LatLon",
    "Lifecycle",
    "Match",
    "MemoryTopics",
    "Message",
    "Metrics",
    "Model",
    "Named",
    "Number",
    "ObjectChange",
    "ObjectInfo",
    "ObjectPart",
    "ObjectReader",
    "ObjectUpload",
    "ObjectVersion",
    "Objects",
    "Outside",
    "Page",
    "Part",
    "Payload",
    "Plan",
    "Pointer",
    "Progress",
    "Put",
    "PutDocument",
    "Query",
    "Range",
    "Retries",
    "Sandbox",
    "Search",
    "SearchPage",
    "SearchQuery",
    "Searchable",
    "Searches",
    "Sort",
    "Source",
    "SourcePage",
    "States",
    "Store",
    "StoredIn",
    "StreamWorker",
    "Subscription",
    "Table",
    "Template",
    "Text",
    "Topics",
    "Update",
    "Updated",
    "Version",
    "WatchedObjects",
    "__version__",
    "apply_once",
    "apply_once_async",
    "attr",
    "audit",
    "audit_async",
    "audit_table",
    "audit_write",
    "camel",
    "collection",
    "document",
    "emf",
    "evolution_table",
    "explain",
    "follow",
    "follow_composed",
    "index",
    "instant_text",
    "job",
    "key",
    "lambda_handler",
    "not_",
    "on_change",
    "on_changes",
    "once",
    "open",
    "open_async",
    "open_objects",
    "open_search",
    "open_searches",
    "open_topics",
    "pascal",
    "prometheus",
    "query",
    "reconcile",
    "reindex",
    "renew",
    "streams_table",
    "version_at",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'sortkey' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"sortkey.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
