"""Sample runs: a shop with flaws, the same shop fixed, a file that does not parse. The Terraform is
in `samples/`.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files

from sortkey_systems.applens.model import Environment, Run
from sortkey_systems.applens.service import AppLens, Provenance

PACKAGE = "sortkey_systems.applens"
USER = "12345"


@dataclass(frozen=True, slots=True)
class Sample:
    """Folders of `samples/`, of which a later one replaces files of earlier ones, and when it was
    uploaded.
    """

    environment: Environment
    filename: str
    folders: tuple[str, ...]
    hours_ago: int
    provenance: Provenance


SAMPLES = (
    Sample(
        "prod", "shop.zip", ("shop",), 50, Provenance(iac_commit_sha="4c1d0a7", region="eu-west-1")
    ),
    Sample("dev", "main.tf", ("broken",), 26, Provenance(terraform_workspace="experiments")),
    Sample(
        "dev",
        "shop.zip",
        ("shop", "shop_fixed"),
        3,
        Provenance(iac_commit_sha="b27f9e3", region="eu-west-1"),
    ),
    Sample(
        "prod",
        "shop.zip",
        ("shop", "shop_fixed"),
        1,
        Provenance(iac_commit_sha="b27f9e3", region="eu-west-1"),
    ),
)


def load(service: AppLens, user_id: str = USER, now: datetime | None = None) -> list[Run]:
    """Upload and analyse the samples, unless the user already has other runs. Returns the runs,
    newest first.

    Samples that already exist are not changed, so an interrupted load continues.
    """
    service.ensure()
    oldest = service.store.page(Run.of_user(user_id=user_id), size=50).items
    stored = {(run.environment, run.iac_commit_sha, run.terraform_workspace): run for run in oldest}
    if not oldest or any(_mark(sample) in stored for sample in SAMPLES):
        now = now or datetime.now(UTC)
        for sample in SAMPLES:
            run = stored.get(_mark(sample)) or _uploaded(service, user_id, sample, now)
            if run.status == "UPLOADED":
                service.queue.wait(_worked(service, run), timeout=60)
    return service.runs(user_id).items


def _mark(sample: Sample) -> tuple[str, str | None, str | None]:
    """What identifies the sample of a run."""
    return (
        sample.environment,
        sample.provenance.iac_commit_sha,
        sample.provenance.terraform_workspace,
    )


def _uploaded(service: AppLens, user_id: str, sample: Sample, now: datetime) -> Run:
    at = now - timedelta(hours=sample.hours_ago)
    return service.upload(
        user_id,
        sample.environment,
        sample.filename,
        data_of(sample),
        sample.provenance,
        created_at=at,
    )


def data_of(sample: Sample) -> bytes:
    """The file to upload: an archive of the folders, or the single file."""
    sources = terraform(*sample.folders)
    if sample.filename in sources:
        return sources[sample.filename]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sources.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def terraform(*folders: str) -> dict[str, bytes]:
    """The files of sample folders by name."""
    places = [files(PACKAGE) / "samples" / folder for folder in folders]
    texts = {
        path.name: path.read_bytes()
        for place in places
        for path in place.iterdir()
        if path.name.endswith(".tf")
    }
    return dict(sorted(texts.items()))


def _worked(service: AppLens, run: Run) -> str:
    """Analyse a run here, unless another worker does. Returns the job."""
    job = service.analyze_later(run)
    service.worker().run_job(job.job_id)
    return job.job_id
