"""The sample is worth looking at: it has what there is to see, and loading it twice changes nothing."""

import json

from sortkey_systems.applens.sample import SAMPLES, USER, load
from sortkey_systems.applens.service import AppLens


def test_the_sample_shows_each_kind_of_run(service: AppLens) -> None:
    # Who opens the console for the first time sees good and bad, both environments, and a failure with its reason.
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


def test_mending_the_shop_takes_the_grave_findings_away(service: AppLens) -> None:
    # The comparison tells a story: what was wrong, and that it is right now.
    after, *_, before = load(service)
    found = service.compare(USER, before.run_id, after.run_id)
    assert found.score_before > 80
    assert found.score_after < 20
    severities = [json.loads(service.report(USER, run.run_id))["severities"] for run in (before, after)]
    assert severities[0]["critical"] >= 3
    assert severities[1]["critical"] == severities[1]["high"] == 0
    rules = {each["rule"] for each in json.loads(service.report(USER, before.run_id))["findings"]}
    assert {"DB-01", "DB-02", "NET-02", "S3-01", "IAM-02", "API-01", "SEC-01", "EDGE-01", "PATH-01"} <= rules
