"""AppLens's data model: one table of graph runs, with metadata and indexing only. Graphs and
reports are stored in S3.

Follows the document "DynamoDB Graph Metadata Schema", in its order and in its words.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sortkey import (
    GSI,
    Created,
    Entity,
    InstantSeconds,
    KeyOnly,
    Model,
    Named,
    Payload,
    Query,
    States,
    StoredIn,
    Table,
    Template,
    Updated,
    camel,
    index,
    key,
    query,
)

model = Model("applens", doc="Terraform in, graph and risk report out.")

table = model.add(
    Table(
        "applens-graph-metadata",
        key=("PK", "SK"),
        indexes=[
            GSI("GSI1", "GSI1PK", "GSI1SK", doc="Lookup by runId"),
            GSI(
                "GSI2",
                "GSI2PK",
                "GSI2SK",
                doc="Runs of a user in one environment, without reading the others",
            ),
        ],
        doc="Metadata and indexing information for AppLens graph runs.",
    )
)

Status = Literal["UPLOADED", "PROCESSING", "COMPLETE", "FAILED"]
Environment = Literal["dev", "prod"]
Count = Annotated[int, Field(ge=0)]
Id = Annotated[str, Field(pattern=r"^[^#/]+$")]
"""It is part of keys and object paths."""
Text = Annotated[str, Field(min_length=1)]
"""Absent when unknown, never empty."""

GRAPH_KEY = Template("graphs/{environment}/{userId}/{runId}/graph.json")
REPORT_KEY = Template("reports/{environment}/{userId}/{runId}/risk.json")
IAC_KEY = Template("uploads/{environment}/{userId}/{filename}")
"""Without a runId: a second upload of the same file is a new version of the object,
`iacS3VersionId`.
"""

BUCKET = "applens"
"""The name of the bucket in the model. Its address is set when the store is opened."""
JSON = "application/json"

# Bytes as they are, not compressed: the SHA-256 of graph.json is the run's graphHash, and a browser
# can show it.
GraphJson = Annotated[
    Payload[bytes] | None,
    StoredIn(BUCKET, GRAPH_KEY.text, once=True, compress=False, content_type=JSON),
    Named("graphS3Key"),
]
ReportJson = Annotated[
    Payload[bytes] | None,
    StoredIn(BUCKET, REPORT_KEY.text, compress=False, content_type=JSON),
    Named("analysisS3Key"),
]
Source = Annotated[
    Payload[bytes] | None,
    StoredIn(BUCKET, IAC_KEY.text, compress=False, parameters=("filename",)),
    Named("iacS3Key"),
]

# A failed run stays failed: another attempt is a new run.
STATES = States(
    {"UPLOADED": ["PROCESSING", "FAILED"], "PROCESSING": ["COMPLETE", "FAILED"]},
    start=["UPLOADED"],
)


class Run(Entity, table=table, names=camel, unique=["run_id"]):
    """One graph run: its status, its summary, and where its artifacts are."""

    # Core attributes
    user_id: KeyOnly[Id]
    run_id: Id
    status: Annotated[Status, STATES] = "UPLOADED"
    environment: Environment
    created_at: Annotated[InstantSeconds | None, Created] = None
    updated_at: Annotated[InstantSeconds | None, Updated] = None
    graph: GraphJson = None
    iac: Source = None
    report: ReportJson = None
    last_error: Text | None = None
    job_id: Text | None = None

    # Summary fields (precomputed): fast dashboard rendering without loading the full graph
    node_count: Count | None = None
    edge_count: Count | None = None
    internet_exposed_count: Count | None = None
    datastore_count: Count | None = None
    graph_hash: Annotated[str, Field(pattern=r"^sha256:.+")] | None = None

    # Optional provenance metadata
    iac_commit_sha: Text | None = None
    terraform_workspace: Text | None = None
    account_id: Text | None = None
    region: Text | None = None

    @key("USER#{userId}", "RUN#{createdAt}#{runId}")
    def key(*, user_id: str, created_at: InstantSeconds, run_id: str):
        """One run of a user."""

    @query(key)
    def of_user(*, user_id: str):
        """Query all runs for a user, in chronological order."""

    @index("GSI1", "RUN#{runId}", "USER#{userId}")
    def by_id(*, run_id: str, user_id: str | None = None):
        """Direct lookup when only runId is known: resolve a run from an asynchronous Lambda
        callback.

        With the user, runs of other users are not found: the key separates them, not a filter.
        """

    @index("GSI2", "USER#{userId}#ENV#{environment}", "RUN#{createdAt}#{runId}")
    def of_environment(*, user_id: str, environment: Environment):
        """Fast querying by user and environment."""


@model.pattern
def latest_run(user_id: str) -> Query[Run]:
    """Retrieve the latest run of a user efficiently."""
    return Run.of_user(user_id=user_id).descending().limit(1)
