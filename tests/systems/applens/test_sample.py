"""The sample is worth looking at: it has what there is to see, and loading it twice changes
nothing.
"""

import json

import pytest

from sortkey import Job
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.sample import SAMPLES, USER, load
from sortkey_systems.applens.service import AppLens


def test_the_sample_shows_each_kind_of_run(service: AppLens) -> None:
    # Who opens the console for the first time sees good and bad, both environments, and a failure
    # with its reason.
    runs = load(service)
    assert [(run.environment, run.status) for run in runs] == [
        ("prod", "COMPLETE"),
        ("dev", "COMPLETE"),
        ("dev", "FAILED"),
        ("prod", "COMPLETE"),
    ]
    assert runs[2].last_error == "main.tf:3: a text is not closed on its line"
    assert runs[0].graph_hash == runs[1].graph_hash != runs[3].graph_hash
    assert load(service) == runs
    assert len(SAMPLES) == len(runs)


def test_a_sample_that_was_cut_off_is_finished_without_a_second_of_each(
    service: AppLens, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever stops the program in its first minute still has the whole sample in the second.
    def killed_at_the_second(run: Run) -> Job:
        if run.environment == "dev":
            raise KeyboardInterrupt
        return AppLens.analyze_later(service, run)

    with monkeypatch.context() as cut:
        cut.setattr(service, "analyze_later", killed_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            load(service)
    assert [run.status for run in service.runs(USER).items] == ["UPLOADED", "COMPLETE"]
    runs = load(service)
    assert [(run.environment, run.iac_commit_sha) for run in runs] == [
        (sample.environment, sample.provenance.iac_commit_sha) for sample in reversed(SAMPLES)
    ]
    assert {run.status for run in runs} == {"COMPLETE", "FAILED"}


def test_whoever_has_runs_of_their_own_is_spared_the_sample(service: AppLens) -> None:
    # It is for an empty console, and not to be found among the work of somebody.
    own = service.upload(USER, "dev", "main.tf", b"#")
    assert load(service) == [own]


def test_mending_the_shop_takes_the_grave_findings_away(service: AppLens) -> None:
    # The comparison tells a story: what was wrong, and that it is right now.
    after, *_, before = load(service)
    found = service.compare(USER, before.run_id, after.run_id)
    assert found.score_before > 80
    assert found.score_after < 20
    severities = [
        json.loads(service.report(USER, run.run_id))["severities"] for run in (before, after)
    ]
    assert severities[0]["critical"] >= 3
    assert severities[1]["critical"] == severities[1]["high"] == 0
    rules = {each["rule"] for each in json.loads(service.report(USER, before.run_id))["findings"]}
    assert {
        "DB-01",
        "DB-02",
        "NET-02",
        "S3-01",
        "IAM-02",
        "API-01",
        "SEC-01",
        "EDGE-01",
        "PATH-01",
    } <= rules
