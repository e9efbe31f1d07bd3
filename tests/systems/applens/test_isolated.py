"""Analyses in a process of their own: an upload that takes all memory or all time fails its run,
and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.applens import terraform
from sortkey import Sandbox
from sortkey_systems.applens import analysis, isolated
from sortkey_systems.applens.isolated import analyze_isolated
from sortkey_systems.applens.problems import AnalysisFailed
from sortkey_systems.applens.service import AppLens
from tests.systems.applens.uploading import SHOP, USER, analyzed
from tests.systems.homes import open_home

LARGE = b'{"terraform_version": "1", "resources": [' + b"[],[1]," * 1_400_000 + b"[]]}"
"""Less than 10 MB, that Python needs some hundred MB for."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[AppLens]:
    with open_home(tmp_path) as home:
        made = AppLens(home.store)
        made.ensure()
        yield made


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Less than the limits of the product, so that little is enough to exceed them."""
    sandbox = Sandbox(memory_bytes=200_000_000, seconds=60)
    monkeypatch.setattr(isolated, "ANALYSES", sandbox)
    yield
    sandbox.close()


@pytest.mark.usefixtures("limited")
def test_an_upload_that_needs_too_much_memory_fails_its_run_at_once(service: AppLens) -> None:
    # Tried again it would take the memory again; and the next run has nothing to do with it.
    failed = analyzed(service, LARGE, "all.tfstate")
    reason = "analysing all.tfstate needs more than 200 MB of memory: upload a part of it"
    assert (failed.status, failed.last_error) == ("FAILED", reason)
    assert failed.job_id is not None
    assert [each.outcome for each in service.queue.attempts(failed.job_id)] == ["completed"]
    assert analyzed(service).status == "COMPLETE"


def test_an_upload_that_takes_too_long_fails_its_run(
    service: AppLens, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Python alone takes longer to start.
    monkeypatch.setattr(isolated, "ANALYSES", Sandbox(memory_bytes=200_000_000, seconds=0.001))
    failed = analyzed(service)
    reason = "analysing main.tf needs more than 0.001 seconds: upload a part of it"
    assert (failed.status, failed.last_error) == ("FAILED", reason)


def test_a_source_that_grows_without_end_fails_its_run_with_what_grew(service: AppLens) -> None:
    doubled = "".join(f"  a{n} = [local.a{n - 1}, local.a{n - 1}]\n" for n in range(1, 41))
    text = (
        f'locals {{\n  a0 = "x"\n{doubled}}}\nresource "aws_x" "x" '
        f"{{\n  v = jsonencode(local.a40)\n}}\n"
    )
    failed = analyzed(service, text.encode())
    assert failed.status == "FAILED"
    assert failed.last_error is not None
    assert failed.last_error.startswith("evaluating aws_x.x needs more than 2,000,000 values: ")


def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.005)


def children() -> list[int]:
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has just ended
            found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


def test_a_process_that_dies_fails_the_analysis_with_the_reason() -> None:
    # The system ends the largest process when memory is short.
    sandbox, before = Sandbox(memory_bytes=500_000_000, seconds=60), set(children())

    def kill(stage: str, text: str) -> None:
        for pid in set(children()) - before:
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(
        AnalysisFailed, match=r"main\.tf was not analysed: the process .* ended by SIGKILL"
    ):
        analyze_isolated("main.tf", terraform(500), kill, lambda: None, sandbox)


def test_an_analysis_ends_when_its_worker_is_stopped_and_goes_on_later(service: AppLens) -> None:
    # A server that stops should not wait for an analysis, nor leave it behind.
    isolated.ANALYSES.close()
    before = set(children())
    run = service.upload(USER, "prod", "main.tf", terraform(5000))
    job = service.analyze(USER, run.run_id)
    worker = service.worker(poll_seconds=0.01).start()
    wait_until(lambda: service.queue.get(job.job_id).progress_text is not None)
    assert worker.stop()
    assert service.get(USER, run.run_id).status == "PROCESSING"
    assert set(children()) - before == set()
    assert [each.outcome for each in service.queue.attempts(job.job_id)] == ["released"]
    service.worker().run_once()
    assert service.get(USER, run.run_id).status == "COMPLETE"


def test_a_fault_of_ours_is_reported_without_what_was_analysed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The message of an exception may quote a password.
    def broken(*_: object) -> None:
        raise ValueError("invalid: hunter2222")

    monkeypatch.setattr(isolated, "analyze_upload", broken)
    monkeypatch.setattr(analysis, "read", broken)
    (tmp_path / "main.tf").write_bytes(SHOP)
    for call in (
        lambda: isolated.outcome_of("main.tf", SHOP, lambda step: None),
        lambda: analysis.analyze(tmp_path),
    ):
        with pytest.raises(
            AnalysisFailed, match=r"^AppLens itself failed: ValueError in test_isolated\.py"
        ) as error:
            call()
        assert "hunter2222" not in str(error.value)
