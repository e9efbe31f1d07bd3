"""Results of steps, stored as objects: too large for items, and needed by later stages.

A result belongs to one execution. A stage sees its own, and those of the latest completed execution
of other stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

import orjson

from sortkey import Objects, Template
from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.stages.work import to_json

RESULT_FILE = Template(
    "journeys/{journey_id}/stages/{stage_id}/executions/{job_id}/results/{step_id}.json"
)
"""In the reports bucket, beside the reports."""


def result_key(job: Job, step_id: str) -> str:
    about = {
        "journey_id": job.journey_id,
        "stage_id": job.stage_id,
        "job_id": job.job_id,
        "step_id": step_id,
    }
    return str(RESULT_FILE.render(about))


class StepResults(MutableMapping[str, Any]):
    """Results by step, each read when first used."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._places: dict[str, str] = {}
        self._read: dict[str, Any] = {}

    def add(self, job: Job, step_ids: Iterable[str]) -> None:
        """Steps of an execution that have stored results."""
        self._places |= {step_id: result_key(job, step_id) for step_id in step_ids}

    def store(self, job: Job, step_id: str, result: Any) -> int:
        """Store a result and return its size in bytes. Storing it again is harmless."""
        data = orjson.dumps(to_json(result))
        self._objects.put(result_key(job, step_id), data, content_type="application/json")
        self._places[step_id] = result_key(job, step_id)
        self._read[step_id] = result
        return len(data)

    def __getitem__(self, step_id: str) -> Any:
        if step_id not in self._read:
            self._read[step_id] = orjson.loads(self._objects.read(self._places[step_id]))
        return self._read[step_id]

    def __setitem__(self, step_id: str, result: Any) -> None:
        self._read[step_id] = result

    def __delitem__(self, step_id: str) -> None:
        self._read.pop(step_id, None)
        self._places.pop(step_id, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places.keys() | self._read.keys())

    def __len__(self) -> int:
        return len(self._places.keys() | self._read.keys())
