"""Requests and responses of the HTTP API, in the words of the run's item, each with an example."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from sortkey_systems.applens.comparison import Comparison
from sortkey_systems.applens.coverage import UnreadModule
from sortkey_systems.applens.graph import Edge, Node
from sortkey_systems.applens.model import Environment, Run, Status, Text
from sortkey_systems.applens.problems import Problem
from sortkey_systems.applens.report import Finding
from sortkey_systems.applens.service import Artifacts, Progress, Provenance
from sortkey_systems.applens.sources import BYTES_MAX
from sortkey_systems.applens.uploads import UploadLink

FileName = Annotated[str, Field(min_length=1, max_length=200, examples=["main.tf.json"])]
EXAMPLE_RUN: dict[str, JsonValue] = {
    "runId": "c8a91e",
    "status": "COMPLETE",
    "environment": "prod",
    "createdAt": "2026-02-22T19:12:11Z",
    "updatedAt": "2026-02-22T19:13:02Z",
    "graphS3Key": "graphs/prod/12345/c8a91e/graph.json",
    "iacS3Key": "uploads/prod/12345/main.tf.json",
    "iacS3VersionId": "3a5c1bd89225828e",
    "analysisS3Key": "reports/prod/12345/c8a91e/risk.json",
    "nodeCount": 42,
    "edgeCount": 67,
    "internetExposedCount": 2,
    "datastoreCount": 4,
    "graphHash": "sha256:9c5efaf25fdc92f809fbbc072bc57f0e85f0c09d431afe335399e120e422b2f9",
}


class Camel(BaseModel):
    """Names as stored in the items."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Request(Camel):
    """Unknown members are refused, so that a typing error is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class UploadRequest(Request):
    """The file to upload."""

    environment: Environment
    filename: FileName
    size: int = Field(
        ge=1,
        le=BYTES_MAX,
        description="In bytes; the link accepts exactly this size",
        examples=[20480],
    )
    content_type: str | None = Field(
        default=None,
        max_length=100,
        description="Defaults to the type of the name",
        examples=["application/json"],
    )


class UploadAnswer(Camel):
    """Where and how to upload it."""

    url: str
    method: str = Field(examples=["PUT"])
    headers: dict[str, str] = Field(
        examples=[{"Content-Type": "application/json", "Content-Length": "20480"}]
    )
    key: str = Field(examples=["uploads/prod/12345/main.tf.json"])
    environment: Environment
    filename: str = Field(examples=["main.tf.json"])
    expires_at: datetime

    @classmethod
    def of(cls, link: UploadLink) -> UploadAnswer:
        return cls(**asdict(link))


class RunRequest(Request):
    """The uploaded file, and where it came from, as far as known."""

    environment: Environment
    filename: FileName
    version_id: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    analyze: bool = Field(default=True, description="false: only create the run")
    iac_commit_sha: Text | None = Field(default=None, max_length=64, examples=["0a1b2c3d"])
    terraform_workspace: Text | None = Field(default=None, max_length=100, examples=["default"])
    account_id: Text | None = Field(default=None, max_length=32, examples=["123456789012"])
    region: Text | None = Field(default=None, max_length=32, examples=["eu-west-1"])

    def provenance(self) -> Provenance:
        return Provenance(**{name: getattr(self, name) for name in Provenance.model_fields})


class RunAnswer(Camel):
    """A run as stored."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_RUN]})

    run_id: str
    status: Status
    environment: Environment
    created_at: datetime | None = None
    updated_at: datetime | None = None
    iac_s3_key: str | None = None
    iac_s3_version_id: str | None = None
    graph_s3_key: str | None = None
    analysis_s3_key: str | None = None
    last_error: str | None = Field(default=None, description="Why it FAILED")
    job_id: str | None = None
    node_count: int | None = None
    edge_count: int | None = None
    internet_exposed_count: int | None = None
    datastore_count: int | None = None
    graph_hash: str | None = None
    iac_commit_sha: str | None = None
    terraform_workspace: str | None = None
    account_id: str | None = None
    region: str | None = None

    @classmethod
    def of(cls, run: Run) -> RunAnswer:
        same = {name: getattr(run, name) for name in cls.model_fields if name in Run.model_fields}
        keys = {"iac_s3_key": run.iac, "graph_s3_key": run.graph, "analysis_s3_key": run.report}
        version = run.iac.version_id if run.iac else None
        links = {name: key and key.key for name, key in keys.items()}
        return cls.model_validate({**same, **links, "iac_s3_version_id": version})


class ProgressAnswer(Camel):
    """The progress of a run."""

    run_id: str = Field(examples=["c8a91e"])
    status: Status
    percent: int = Field(ge=0, le=100, examples=[60])
    step: str | None = Field(
        default=None, description="building, parsed, analysing or storing", examples=["analysing"]
    )
    attempt: int = Field(default=0, description="Number of this attempt; 0 before the first")
    last_error: str | None = Field(
        default=None, description="Of the run, or of the previous attempt"
    )

    @classmethod
    def of(cls, progress: Progress) -> ProgressAnswer:
        return cls.model_validate(asdict(progress))


class ArtifactsAnswer(Camel):
    """Links to the files, null for missing ones."""

    iac: str | None = None
    graph: str | None = None
    report: str | None = None
    expires_seconds: int = Field(examples=[900])

    @classmethod
    def of(cls, artifacts: Artifacts) -> ArtifactsAnswer:
        return cls(**asdict(artifacts))


class GraphAnswer(BaseModel):
    """The graph."""

    nodes: list[Node]
    edges: list[Edge]


class ExposedPath(BaseModel):
    """The worst path from the internet to a datastore."""

    datastore: str = Field(examples=["aws_dynamodb_table.orders"])
    steps: list[str] = Field(
        examples=[["internet", "aws_lambda_function_url.orders", "aws_dynamodb_table.orders"]]
    )
    behind: str = Field(
        default="",
        description="How its entry authenticates callers; empty if not known",
        examples=["IAM"],
    )


class UnreadFile(BaseModel):
    file: str = Field(examples=["network.tf"])
    line: int
    message: str


class CoverageAnswer(BaseModel):
    """What the analysis covered, and what it did not."""

    resources: int = Field(description="Managed resources that were read", examples=[15])
    checked: int = Field(description="Those of a type that rules look at", examples=[12])
    withoutRules: dict[str, int] = Field(
        description="Resources of other types, by type", examples=[{"azurerm_storage_account": 3}]
    )
    filesRead: int
    filesNotRead: list[UnreadFile] = Field(
        description="Files that could not be read, or not completely"
    )
    filesLeftOut: list[UnreadFile] = Field(
        description="Left out on purpose, as a state beside its source"
    )
    modulesNotRead: list[UnreadModule] = Field(description="Of a registry or a repository")
    unresolvedValues: int = Field(description="Known only to a plan; see `unresolved`")
    sensitiveValues: int = Field(description="Marked as sensitive; rules do not see them")
    gaps: list[str] = Field(description="What was not covered, as text; empty if everything was")
    rating: str = Field(
        description="The score as text, with what it covers",
        examples=["risk 0 of 100 over 12 of 15 resources; 3 have no rules"],
    )


class ReportAnswer(BaseModel):
    """The risk report."""

    coverage: CoverageAnswer | None = Field(
        default=None, description="Read it before the score. Reports of older versions have none"
    )
    score: int = Field(ge=0, le=100, description="0 is nothing found in what was covered")
    rationale: list[str]
    counts: dict[str, int]
    graphHash: str
    severities: dict[str, int] = Field(examples=[{"critical": 0, "high": 1, "medium": 2, "low": 5}])
    findings: list[Finding]
    exposedPaths: list[ExposedPath]
    behind: dict[str, str] = Field(
        default={},
        description="Entries that require authentication",
        examples=[{"aws_lambda_function_url.a": "IAM"}],
    )
    warnings: list[Problem]
    unresolved: list[Problem]


class ChangesAnswer(BaseModel):
    """Names of what was added, removed, and changed."""

    added: list[str]
    removed: list[str]
    changed: list[str]


class ScoreChange(BaseModel):
    before: int
    after: int


class RatingChange(BaseModel):
    """The scores as text, with what they cover."""

    before: str = Field(examples=["risk 0 of 100 over 12 of 15 resources; 3 have no rules"])
    after: str


class ComparisonAnswer(Camel):
    """Two runs side by side."""

    same_graph: bool = Field(
        description="By the hashes. Findings may differ all the same, when rules have changed"
    )
    nodes: ChangesAnswer
    edges: ChangesAnswer
    findings: ChangesAnswer
    score: ScoreChange
    rating: RatingChange
    ways: ChangesAnswer = Field(description="From the internet to data, by datastore")
    titles: dict[str, str] = Field(description="Of the findings that are named, by id")
    what: dict[str, dict[str, list[str]]] = Field(
        description="Of nodes, edges, findings and paths by name: what changed",
        examples=[{"nodes": {"aws_db_instance.orders": ["storage_encrypted: false → true"]}}],
    )

    @classmethod
    def of(cls, comparison: Comparison) -> ComparisonAnswer:
        return cls.model_validate(comparison.to_json())


class InventoryRow(BaseModel):
    """A resource without its attributes."""

    id: str = Field(examples=["aws_dynamodb_table.orders"])
    address: str
    label: str
    resourceType: str = Field(examples=["aws_dynamodb_table"])
    provider: str = Field(examples=["aws"])
    mode: str = Field(examples=["managed"])
    threatSurface: str = Field(examples=["data"])
    internetExposed: bool
    datastore: bool
    findings: int = Field(ge=0, description="How many findings blame it")
