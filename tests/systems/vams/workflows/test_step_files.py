"""The folder of a step, and links to its input."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sortkey_systems.vams.runners.port import StepFailed
from sortkey_systems.vams.workflows import step_files
from sortkey_systems.vams.workflows.step_files import InputFile, StepFiles, remove_left_behind
from tests.systems.vams.workflows.work import Work


def files_of(work: Work, asset_id: str, *inputs: InputFile) -> StepFiles:
    place = work.service.assets.place_of(work.found(asset_id))
    auxiliary = work.service.buckets.auxiliary
    return StepFiles(place.objects, inputs, "pipelines/x/", auxiliary, "x/")


def test_a_link_leads_to_the_input_without_a_token(work: Work) -> None:
    # A server that runs a step has no user here.
    work.asset("linked", a__txt=b"hello")
    (link,) = files_of(work, "linked", InputFile("/a.txt", "linked/a.txt")).links(60)
    assert link["path"] == "/a.txt"
    answer = work.requests.client.get(link["url"])
    assert (answer.status_code, answer.content) == (200, b"hello")


def test_a_key_that_leads_out_of_the_folder_is_refused(work: Work, tmp_path: Path) -> None:
    # Whoever writes into the bucket by hand chooses the keys.
    work.asset("hostile", a__txt=b"hello")
    files = files_of(work, "hostile", InputFile("/../../x.txt", "hostile/a.txt"))
    with pytest.raises(StepFailed, match="leads out"), files.opened(tmp_path, {}, True):
        pass
    assert list(tmp_path.iterdir()) == []  # nor does the folder stay


def test_an_output_that_is_too_large_is_refused(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A converter that writes for ever must not fill the bucket.
    monkeypatch.setattr(step_files, "BYTES_MAX", 100)
    work.asset("large")
    files = files_of(work, "large")
    with (
        pytest.raises(StepFailed, match="the output has more than"),
        files.opened(tmp_path, {}, False) as step,
    ):
        step.output("/big.bin").write_bytes(b"x" * 101)
    assert work.leftovers("large") == []


def test_folders_of_a_killed_server_go_after_some_days(tmp_path: Path) -> None:
    # They hold whole assets.
    for name, days in (("step-old", 9), ("step-new", 1), ("other", 9)):
        (tmp_path / name).mkdir()
        then = time.time() - days * 86_400
        os.utime(tmp_path / name, (then, then))
    remove_left_behind(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "step-new"]
