"""`Changes`: what happens after an asset has changed or files have arrived. Notices and automatic
workflows register here.

A change is stored as a job, so that a crash loses no notice. Each listener is a step of it: one
that has finished is not called again when another fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sortkey import JobContext, job
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.jobs import Jobs
from sortkey_systems.vams.model import Asset

Kind = Literal["version", "revert", "upload", "archive", "unarchive", "update", "delete"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PATHS_MAX = 500
"""Paths of files in one job; more become several jobs."""


@dataclass(frozen=True, slots=True)
class AssetChanged:
    """Something about an asset has changed. The asset may be gone when a listener runs."""

    database_id: str
    asset_id: str
    asset_name: str
    kind: Kind
    user_id: str
    at: str
    change_id: str = ""
    """Of this change: the same when a listener is called again for it."""


@dataclass(frozen=True, slots=True)
class FilesArrived:
    """Files of an asset are new or have new content."""

    database_id: str
    asset_id: str
    relative_paths: tuple[str, ...]
    origin: str
    """Where they come from: "upload", "sync", or "workflow:<database>:<workflow>"."""
    user_id: str
    change_id: str = ""


AssetListener = Callable[[AssetChanged], object]
FilesListener = Callable[[FilesArrived], object]


class Changes:
    """Stores changes as jobs and calls the listeners. Without listeners nothing is stored."""

    def __init__(self, jobs: Jobs, now: Callable[[], datetime]) -> None:
        self._jobs, self._now = jobs, now
        self._on_asset: dict[str, AssetListener] = {}
        self._on_files: dict[str, FilesListener] = {}
        self._asset_job = job("vams.asset-changed", timeout=600, retries=5)(self._run_asset)
        self._files_job = job("vams.files-arrived", timeout=1800, retries=5)(self._run_files)
        jobs.add(self._asset_job, self._files_job)

    def on_asset_changed(self, name: str, listener: AssetListener) -> None:
        """Call a listener for changes of assets. The name is that of its step."""
        self._on_asset[name] = listener

    def on_files_arrived(self, name: str, listener: FilesListener) -> None:
        """Call a listener for new files."""
        self._on_files[name] = listener

    def asset_changed(self, caller: Caller, asset: Asset, kind: Kind) -> None:
        """Record a change of an asset, right after it."""
        if not self._on_asset:
            return
        self._jobs.enqueue(
            self._asset_job,
            {
                "database_id": asset.database_id,
                "asset_id": asset.asset_id,
                "asset_name": asset.asset_name,
                "kind": kind,
                "user_id": caller.user_id,
                "at": now_text(self._now()),
            },
        )

    def files_arrived(
        self, caller: Caller, asset: Asset, relative_paths: Sequence[str], origin: str
    ) -> None:
        """Record new files of an asset, right after they can be read."""
        if not self._on_files:
            return
        for start in range(0, len(relative_paths), PATHS_MAX):
            self._jobs.enqueue(
                self._files_job,
                {
                    "database_id": asset.database_id,
                    "asset_id": asset.asset_id,
                    "relative_paths": list(relative_paths[start : start + PATHS_MAX]),
                    "origin": origin,
                    "user_id": caller.user_id,
                },
            )

    # -- jobs

    def _run_asset(
        self,
        context: JobContext,
        database_id: str,
        asset_id: str,
        asset_name: str,
        kind: Kind,
        user_id: str,
        at: str,
    ) -> None:
        change_id = context.job.job_id
        change = AssetChanged(database_id, asset_id, asset_name, kind, user_id, at, change_id)
        for name, listener in self._on_asset.items():
            context.step(name, _called, listener, change)

    def _run_files(
        self,
        context: JobContext,
        database_id: str,
        asset_id: str,
        relative_paths: list[str],
        origin: str,
        user_id: str,
    ) -> None:
        paths, change_id = tuple(relative_paths), context.job.job_id
        arrival = FilesArrived(database_id, asset_id, paths, origin, user_id, change_id)
        for name, listener in self._on_files.items():
            context.step(name, _called, listener, arrival)


def _called(listener: Callable[..., object], change: object) -> None:
    """Call a listener; what it returns is not stored."""
    listener(change)
