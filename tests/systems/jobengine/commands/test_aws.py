"""`sortkey jobengine costs` and `policies`: figures and documents for a move to AWS."""

from __future__ import annotations

import json

import pytest

from sortkey.cli import main
from sortkey_systems.jobengine.policies import policy


def printed(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert main(["jobengine", *line]) == 0
    return capsys.readouterr().out


@pytest.mark.accepts("JE-72")
def test_costs_are_estimated_for_the_volume_that_was_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The document's figures are for its own volume; nobody has exactly that one.
    assert "S3 only        $    4.14 a month" in printed(capsys, "costs")
    estimated = json.loads(printed(capsys, "costs", "--jobs-per-day", "200", "--json"))
    assert round(estimated["s3"], 2) == 8.28
    assert estimated["gigabytes"] == 360


@pytest.mark.accepts("JE-78")
@pytest.mark.parametrize("access", ["read", "full"])
def test_a_policy_is_printed_as_aws_takes_it(
    access: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # It goes from here into a file and on to `aws iam create-policy`.
    document = json.loads(printed(capsys, "policies", access, "--prefix", "acme-"))
    assert document == policy("read" if access == "read" else "full", prefix="acme-")


@pytest.mark.accepts("JE-77")
def test_each_bucket_has_its_own_policy(capsys: pytest.CaptureFixture[str]) -> None:
    # A bucket policy names its bucket: one for all would be refused by S3.
    documents = json.loads(printed(capsys, "policies", "bucket", "--prefix", "acme-"))
    assert len(documents) == 3
    for name, document in documents.items():
        assert name.startswith("acme-")
        for statement in document["Statement"]:
            assert statement["Resource"] == [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"]


def test_a_purge_that_changes_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    # An option that is ignored silently would be taken for one that worked.
    assert main(["jobengine", "policies", "read", "--purge"]) == 2
    assert "only full access can purge" in capsys.readouterr().err
