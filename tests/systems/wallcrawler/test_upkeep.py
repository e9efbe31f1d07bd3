"""Upkeep without browsers: sessions that only the table knows, and browsers that do not answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sortkey.systems import Resources
from sortkey_systems.wallcrawler.browsers.port import BrowserStatus, RunningBrowser
from sortkey_systems.wallcrawler.upkeep import Upkeep
from tests.systems.wallcrawler.test_lifecycle import Parts


def _upkeep(parts: Parts) -> Upkeep:
    service = parts.service
    return Upkeep(
        service.browsers,
        service.records,
        service.lifecycle,
        service.settings,
        service.clock,
        service.machine,
    )


def test_a_session_whose_browser_is_gone_is_ended_at_the_second_look(
    sortkey_resources: Resources, tmp_path: Path
) -> None:
    # Its place would be taken until its window closes. One look may fall into a pause.
    parts = Parts(sortkey_resources, tmp_path)
    parts.seed()
    parts.ready()

    async def scenario() -> None:
        upkeep = _upkeep(parts)
        await upkeep.compare()
        assert parts.now().internal_status == "READY"
        await upkeep.compare()
        assert parts.now().internal_status == "FAILED"
        assert parts.now().end_reason == "the browser is gone"

    asyncio.run(scenario())


def test_a_browser_that_is_slow_or_fails_to_answer_is_left_alone(
    sortkey_resources: Resources, tmp_path: Path
) -> None:
    # A busy machine is not a reason to end sessions, nor to skip the sessions after this one.
    parts = Parts(sortkey_resources, tmp_path)
    parts.seed()
    parts.ready()
    answers = [TimeoutError(), OSError("broken"), TimeoutError(), TimeoutError()]

    async def status(session_id: str) -> BrowserStatus | None:
        raise answers.pop()

    async def running() -> list[RunningBrowser]:
        return [RunningBrowser(session_id="sess_a", project_id="", is_alive=True, last_seen_at=0.0)]

    parts.browsers.status, parts.browsers.running = status, running

    async def scenario() -> None:
        upkeep = _upkeep(parts)
        for _ in range(4):
            await upkeep.compare()
        assert not answers
        assert parts.now().internal_status == "READY"

    asyncio.run(scenario())
