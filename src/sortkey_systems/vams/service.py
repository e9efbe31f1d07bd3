"""VAMS as one object: what the routes, the console and the commands stand on.

Each part takes the caller first and asks `access` before it does anything.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from sortkey import JobQueue, JobWorker
from sortkey.systems import Resources, Worker
from sortkey_systems.vams.access.api_keys import ApiKeys
from sortkey_systems.vams.access.audit import AuditLog
from sortkey_systems.vams.access.authentication import Authentication
from sortkey_systems.vams.access.cognito import Cognito
from sortkey_systems.vams.access.constraints import Constraints
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.credentials import CODES_PURPOSE, Credentials
from sortkey_systems.vams.access.installation import Installation
from sortkey_systems.vams.access.outbox import Outbox
from sortkey_systems.vams.access.roles import Roles
from sortkey_systems.vams.access.signing_keys import SigningKey
from sortkey_systems.vams.access.tokens import Tokens
from sortkey_systems.vams.access.users import Users
from sortkey_systems.vams.asset_counts import AssetCounts
from sortkey_systems.vams.asset_names import AssetNames
from sortkey_systems.vams.assets import Assets
from sortkey_systems.vams.assets.archive import Archive
from sortkey_systems.vams.assets.removal import Removal
from sortkey_systems.vams.buckets import Buckets
from sortkey_systems.vams.changes import Changes
from sortkey_systems.vams.comments import Comments
from sortkey_systems.vams.databases import Databases
from sortkey_systems.vams.exports.service import Exports
from sortkey_systems.vams.files.downloads import Downloads
from sortkey_systems.vams.files.file_archive import FileArchive
from sortkey_systems.vams.files.file_copies import FileCopies
from sortkey_systems.vams.files.file_lists import FileLists
from sortkey_systems.vams.files.file_values import FileValues
from sortkey_systems.vams.files.files import Files
from sortkey_systems.vams.files.folders import Folders
from sortkey_systems.vams.files.previews import Previews
from sortkey_systems.vams.ingest import Ingest
from sortkey_systems.vams.jobs import WORKER_DEATHS_MAX, Jobs
from sortkey_systems.vams.links.service import Links
from sortkey_systems.vams.metadata.schemas import Schemas
from sortkey_systems.vams.metadata.values import Metadata
from sortkey_systems.vams.notices import Notices
from sortkey_systems.vams.runners.registry import Runners
from sortkey_systems.vams.search.asset_search import AssetSearch
from sortkey_systems.vams.subscriptions import Subscriptions
from sortkey_systems.vams.sync.bucket_watch import LOOK_SECONDS, BucketWatch
from sortkey_systems.vams.sync.s3_events import queue_from_environment
from sortkey_systems.vams.tags import Tags
from sortkey_systems.vams.upkeep import Upkeep
from sortkey_systems.vams.uploads.completions import UploadCompletions
from sortkey_systems.vams.uploads.uploads import Uploads
from sortkey_systems.vams.versions.service import Versions
from sortkey_systems.vams.workflows.auto_trigger import AutoTrigger
from sortkey_systems.vams.workflows.callbacks import Callbacks
from sortkey_systems.vams.workflows.executions import Executions
from sortkey_systems.vams.workflows.pipelines import Pipelines
from sortkey_systems.vams.workflows.run_records import RunRecords
from sortkey_systems.vams.workflows.step_jobs import QUEUE as WORKFLOW_QUEUE
from sortkey_systems.vams.workflows.step_jobs import StepJobs
from sortkey_systems.vams.workflows.workflows import Workflows


def make_service(resources: Resources) -> Vams:
    """The service on the resources of a host. A new installation gets its first roles, constraints
    and users.
    """
    service = Vams(resources)
    service.installation.ensure()
    service.schemas.ensure_seeds()
    service.buckets.open_all()
    return service


def make_workers(service: Vams) -> list[Worker]:
    """What runs beside the requests: the jobs of all parts, and upkeep."""
    return [service.jobs.worker(), service.workflow_worker(), service.upkeep]


def load_sample(service: Vams) -> str:
    """Load the sample data; the text says how to sign in."""
    from sortkey_systems.vams.sample.loader import load

    load(service)
    return service.installation.offer_login()


class Vams:
    """All of the service."""

    def __init__(self, resources: Resources) -> None:
        self.resources, self.store, self.clock = resources, resources.store, resources.clock
        self.base_path = urlsplit(resources.url).path.rstrip("/")
        """The path under which the routes are served: empty at the root of a port."""
        self.audit = AuditLog(self.store, self.clock)
        self.access = Access(self.store, self.audit)
        self.credentials = Credentials(self.store, resources.derive_secret(CODES_PURPOSE))
        self.installation = Installation(resources, self.credentials)
        pool = self.installation.pool
        key = SigningKey(self.store, resources.derive_secret("token key"))
        self.signing_key = key
        self.tokens = Tokens(resources, key, pool.pool_id, pool.client_id)
        self.api_keys = ApiKeys(self.store, self.access, self.clock)
        self.outbox = Outbox(resources.folder / "outbox")
        self.users = Users(self.store, self.access, self.api_keys, self.credentials, self.outbox)
        self.authentication = Authentication(self.access, self.tokens, self.api_keys, self.users)
        self.roles = Roles(self.store, self.access)
        self.constraints = Constraints(self.store, self.access)
        self.search = AssetSearch(resources.searches, self.access)
        self.cognito = Cognito(
            store=self.store,
            access=self.access,
            users=self.users,
            credentials=self.credentials,
            tokens=self.tokens,
            audit=self.audit,
            clock=self.clock,
        )
        self._add_assets()
        self._add_metadata()
        self._add_versions_and_links()
        self._add_files()
        self._add_workflows()

    def _add_assets(self) -> None:
        self.jobs = Jobs(self.store)
        self.upkeep = Upkeep()
        self.upkeep.every(3600, "ended jobs", lambda: self.jobs.remove_ended(self.now()))
        self.changes = Changes(self.jobs, self.now)
        self.buckets = Buckets(self.store, self.resources.buckets)
        counts = AssetCounts(self.store, self.access, self.search)
        self.databases = Databases(self.store, self.access, self.buckets, counts)
        self.assets = Assets(
            self.store, self.access, self.databases, self.buckets, self.changes, self.now
        )
        self.archive = Archive(
            self.store,
            self.access,
            self.assets,
            self.databases,
            self.changes,
            self.jobs,
            self.now,
        )
        self.removal = Removal(
            self.store,
            self.access,
            self.assets,
            self.databases,
            self.buckets,
            self.changes,
            self.jobs,
        )

    def _add_versions_and_links(self) -> None:
        self.versions = Versions(self)
        self.assets.creation.first_version = self.versions.create_first
        self.removal.register("versions", self.versions.remove_all)
        self.links = Links(self.store, self.access, self.assets)
        self.removal.register("links", self.links.remove_all)
        self.exports = Exports(self)

    def _add_metadata(self) -> None:
        self.metadata = Metadata(self)
        self.schemas = Schemas(self)
        self.tags = Tags(self.store, self.access)
        self.asset_names = AssetNames(self.assets, self.access)
        self.comments = Comments(self)
        self.subscriptions = Subscriptions(self)
        self.notices = Notices(self)
        self.removal.register("notices", self.notices.announce_removal)
        self.removal.register("subscriptions", self.subscriptions.remove_all)
        self.removal.register("comments", self.comments.remove_all)
        self.removal.register("metadata", self.metadata.remove_all)

    def _add_files(self) -> None:
        self.files, self.file_lists = Files(self), FileLists(self)
        self.folders, self.previews = Folders(self), Previews(self)
        self.file_values = FileValues(self)
        self.file_values.add(self.metadata)
        self.file_copies, self.file_archive = FileCopies(self), FileArchive(self)
        self.downloads = Downloads(self)
        self.uploads, self.upload_completions = Uploads(self), UploadCompletions(self)
        self.ingest = Ingest(self)
        self.bucket_watch = BucketWatch(self, queue_from_environment())
        self.removal.register("uploads", self.uploads.remove_all)
        self.upkeep.every(LOOK_SECONDS, "asset buckets", self.bucket_watch.look)
        self.upkeep.every(3600, "expired uploads", self.uploads.remove_expired)

    def _add_workflows(self) -> None:
        self.runners = Runners(self.resources.folder, self.resources.url)
        self.pipelines = Pipelines(self.store, self.access, self.databases, self.runners)
        self.workflows = Workflows(self.store, self.access, self.databases, self.pipelines)
        queue = JobQueue(self.store, WORKFLOW_QUEUE, worker_deaths_max=WORKER_DEATHS_MAX)
        self.run_records = RunRecords(self.store, queue)
        self.step_jobs = StepJobs(self, queue, self.run_records)
        self.callbacks = Callbacks(self.run_records, self.step_jobs)
        self.executions = Executions(self, queue, self.run_records, self.step_jobs)
        self.auto_trigger = AutoTrigger(self, queue)
        self.changes.on_files_arrived("workflows", self.auto_trigger.files_arrived)
        self.removal.register("executions", self.executions.remove_all)
        self.upkeep.every(60, "runs without a job", self.executions.repair)
        self.upkeep.every(3600, "logs of runs", self.executions.remove_old_jobs)

    def workflow_worker(self, **settings: Any) -> JobWorker:
        """A worker for the steps of workflows. It is not started."""
        return self.step_jobs.worker(self.auto_trigger.start_job, **settings)

    def now(self) -> datetime:
        """The instant of the host's clock."""
        return datetime.fromtimestamp(self.clock(), UTC)
