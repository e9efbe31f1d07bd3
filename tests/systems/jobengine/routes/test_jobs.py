"""Requests that wait for the end of a job: many at once leave the server free, and one key cannot
take them all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from typing import Any

import httpx
import pytest

import sortkey
from sortkey.web import ApiKeys, Mount, make_app
from sortkey_systems.jobengine.api import make_router
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import JOURNEY_EXAMPLE, JourneyDraft
from sortkey_systems.jobengine.jobs.places import Places
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.service import JobEngine
from tests.web.running import running

WAITS_MAX = 20
Call = Coroutine[Any, Any, httpx.Response]


@dataclass(frozen=True)
class Served:
    """A job that waits for a worker, behind a server on a real port."""

    address: str
    engine: JobEngine
    keys: ApiKeys
    job_id: str

    def client(self) -> httpx.AsyncClient:
        """A program with a key of its own, which may only read."""
        key = self.keys.create("reader", "jobengine", "read").text
        limits = httpx.Limits(max_connections=None)
        base = f"{self.address}/jobengine"
        return httpx.AsyncClient(
            base_url=base, headers={"X-Api-Key": key}, limits=limits, timeout=60
        )

    def wait(self, client: httpx.AsyncClient, seconds: int = 30) -> Call:
        job = self.engine.executions.get(self.job_id)
        return client.get(
            f"/journeys/{job.journey_id}/jobs/{job.job_id}/wait", params={"seconds": seconds}
        )

    async def fill(self, client: httpx.AsyncClient) -> list[asyncio.Task[httpx.Response]]:
        """As many waits as a key may have, all of them accepted."""

        async def accepted() -> httpx.Response:
            while (answer := await self.wait(client)).status_code == 429:
                pass  # the look below had taken the place
            return answer

        waits = [asyncio.ensure_future(accepted()) for _ in range(WAITS_MAX)]
        while (await self.wait(client, 0)).status_code != 429:
            assert not any(each.done() for each in waits)
        return waits

    def cancel(self) -> None:
        self.engine.executions.cancel(self.job_id)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    files = tmp_path / "files"
    files.mkdir()
    copy(make_shop(tmp_path / "shop.sqlite", customers=40), files)
    with sortkey.open(tmp_path / "data") as store:
        buckets = Buckets.open(str(tmp_path / "buckets" / "{bucket}"))
        engine, keys = JobEngine(store, buckets, places=Places(root=files)), ApiKeys(store)
        engine.ensure()
        keys.ensure()
        source = {**JOURNEY_EXAMPLE["source"], "address": "shop.sqlite"}
        journey = engine.create_journey(
            JourneyDraft(**JOURNEY_EXAMPLE | {"source": source}), created_by="tests"
        )
        job = engine.start_job(journey.journey_id, "raw_analysis")
        with running(make_app([Mount("jobengine", make_router(engine))], keys=keys)) as address:
            yield Served(address, engine, keys, job.job_id)


def test_sixty_waits_leave_the_server_free_for_everybody_else(served: Served) -> None:
    # Three read-only keys used to take every thread of the server, for half a minute at a time.
    async def main() -> None:
        async with (
            served.client() as one,
            served.client() as two,
            served.client() as three,
            served.client() as other,
        ):
            waits = [wait for client in (one, two, three) for wait in await served.fill(client)]
            assert len(waits) == 60
            assert (await other.get("/journeys")).status_code == 200
            assert not any(wait.done() for wait in waits), "they were waited for"
            await asyncio.to_thread(served.cancel)
            answers = await asyncio.gather(*waits)
            assert [each.json()["status"] for each in answers] == ["cancelled"] * 60

    asyncio.run(main())


def test_a_key_that_waits_too_often_is_throttled_and_others_are_not(served: Served) -> None:
    async def main() -> None:
        async with served.client() as greedy, served.client() as modest:
            waits = await served.fill(greedy)
            refused = await served.wait(greedy)
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "TooManyWaits")
            assert refused.headers["Retry-After"].isdecimal()
            assert (await served.wait(modest, 0)).status_code == 200
            await asyncio.to_thread(served.cancel)
            await asyncio.gather(*waits)
            assert (await served.wait(greedy, 0)).status_code == 200, (
                "a wait that is over counts no more"
            )

    asyncio.run(main())


def test_a_caller_that_went_away_waits_no_more(served: Served) -> None:
    # A program that is restarted in a loop must not lock itself out with the waits it left behind.
    async def main() -> None:
        async with served.client() as client:
            for wait in await served.fill(client):
                wait.cancel()
            while (await served.wait(client, 0)).status_code == 429:
                assert served.engine.executions.get(served.job_id).status == "pending"

    asyncio.run(main())
