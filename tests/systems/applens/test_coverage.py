"""What was not looked at: said first, in every output, and never counted as sound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.applens.analysis import analyze, analyze_sources, analyze_upload
from sortkey_systems.applens.coverage import risk_figure
from sortkey_systems.applens.estate import Estate
from sortkey_systems.applens.report import Report
from sortkey_systems.applens.resources import Resource
from sortkey_systems.applens.rules.coverage import RULED_TYPES, SECRETS_ONLY
from sortkey_systems.applens.sarif import to_sarif
from sortkey_systems.applens.service import AppLens
from sortkey_systems.applens.sources import Source
from sortkey_systems.applens.text import page
from tests.systems.applens.rule_cases import CASES, one
from tests.systems.applens.uploading import USER, analyzed, zipped

QUEUE = one("aws_sqs_queue")
AZURE = (
    one("azurerm_storage_account")
    + one("azurerm_storage_account", name="y")
    + one("google_sql_user")
)
REGISTRY = 'module "vpc" {\n  source = "terraform-aws-modules/vpc/aws"\n}\n'
BROKEN = 'resource "aws_s3_bucket" "b" {\n  acl = "public-read" "x"\n}\n'


def report_of(**files: str) -> Report:
    return analyze_sources(
        [Source(f"{name}.tf", text.encode()) for name, text in files.items()]
    ).report


def test_a_source_that_is_covered_whole_has_no_gaps() -> None:
    # Then, and only then, nothing found means that nothing is wrong, as far as rules know.
    report = report_of(main=QUEUE)
    assert report.coverage is not None
    assert (report.coverage.gaps, report.rating) == ([], "risk 0 of 100 over 1 of 1 resource")


def test_resources_that_no_rule_looks_at_are_reported_with_their_types() -> None:
    # Azure, Google, and whatever of AWS has no rules: it was never looked at.
    report = report_of(main=QUEUE + AZURE)
    assert report.rating == "risk 0 of 100 over 1 of 4 resources; 3 have no rules"
    assert report.coverage is not None
    assert report.coverage.gaps == [
        "3 of 4 resources have no rules: azurerm_storage_account (2), google_sql_user"
    ]


def test_where_no_rule_looks_at_anything_there_is_no_score() -> None:
    # "0 of 100" would be read as "sound".
    report = report_of(main=AZURE)
    assert report.rating == "risk not rated: none of the 3 resources has rules"
    assert not any("0 of 100" in line for line in (page(report), *report.rationale))


def test_a_finding_in_a_resource_without_rules_still_counts() -> None:
    # Secrets are looked for everywhere.
    report = report_of(
        main=one("azurerm_sql_server", 'admin_password = "hunter2222"\npassword = "hunter2222"')
    )
    assert report.score > 0
    assert report.rating == f"risk {report.score} of 100 over 0 of 1 resource; 1 has no rules"


def test_modules_that_were_not_read_are_reported_with_their_sources() -> None:
    # What a module of the registry makes is not known, and may be most of it.
    report = report_of(main=QUEUE + REGISTRY)
    assert report.coverage is not None
    assert report.coverage.gaps == [
        "1 module was not read: module.vpc (terraform-aws-modules/vpc/aws)"
    ]
    assert report.rating == "risk 0 of 100 over 1 of 1 resource; 1 module was not read"
    assert (
        report_of(main=REGISTRY).rating
        == "risk not rated: no resources were read; 1 module was not read"
    )


def test_files_that_were_not_read_are_reported_with_the_reason() -> None:
    # The worst of all may be in there, as it is here.
    report = report_of(main=QUEUE, bad=BROKEN)
    assert report.coverage is not None
    why = "bad.tf:2: the argument 'acl' should end before a text"
    assert report.coverage.gaps == [f"1 file was not read: {why}"]
    assert report.rating == "risk 0 of 100 over 1 of 1 resource; 1 file was not read"
    assert not report.coverage.has_read_all_files


def test_a_state_beside_its_source_is_left_out_and_reported() -> None:
    # It was not looked at; but it says nothing that the source does not, so that it stops nobody.
    state = b'{"version": 4, "terraform_version": "1.9.0", "resources": []}'
    report = analyze_sources(
        [Source("main.tf", QUEUE.encode()), Source("terraform.tfstate", state)]
    ).report
    assert report.coverage is not None
    assert report.coverage.has_read_all_files
    assert [gap.partition(": a plan")[0] for gap in report.coverage.gaps] == [
        "1 file was left out: terraform.tfstate:1"
    ]
    assert report.coverage.files_read == 1


def test_values_that_are_not_known_are_counted() -> None:
    # A rule that finds nothing in an unknown value has not looked at it.
    variable = (
        'variable "secret" {\n  default = "hunter2222"\n  sensitive = true\n}\nvariable "name" {}\n'
    )
    queue = one("aws_sqs_queue", "name = var.name\ntags = { a = var.secret, b = [var.secret] }")
    report = report_of(main=variable + queue)
    assert report.coverage is not None
    assert report.coverage.gaps == [
        "1 value is unresolved: only a plan knows it",
        "2 values are sensitive: rules do not see them",
    ]


def test_what_was_not_covered_is_said_before_the_score() -> None:
    # Who reads two lines must have read it.
    lines = page(report_of(main=QUEUE + AZURE + REGISTRY, bad=BROKEN)).splitlines()
    assert lines[:4] == [
        "Not covered:",
        "  1 file was not read: bad.tf:2: the argument 'acl' should end before a text",
        "  1 module was not read: module.vpc (terraform-aws-modules/vpc/aws)",
        "  3 of 4 resources have no rules: azurerm_storage_account (2), google_sql_user",
    ]
    assert next(at for at, line in enumerate(lines) if line.startswith("risk ")) > 4


def test_sarif_has_a_notification_for_each_gap() -> None:
    # Code hosts show them beside the findings; a run that did not read all is no success.
    (run,) = to_sarif(report_of(main=QUEUE + AZURE + REGISTRY, bad=BROKEN), "1")["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    notifications = [
        (note["descriptor"]["id"], note["level"])
        for note in invocation["toolExecutionNotifications"]
    ]
    assert sorted(notifications) == [
        ("file-not-read", "error"),
        ("module-not-read", "warning"),
        ("no-rules", "warning"),
    ]
    assert run["properties"]["coverage"]["withoutRules"] == {
        "azurerm_storage_account": 2,
        "google_sql_user": 1,
    }
    (whole,) = to_sarif(report_of(main=QUEUE), "1")["runs"]
    assert whole["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_the_report_has_coverage_for_programs() -> None:
    document = report_of(main=QUEUE + AZURE + REGISTRY, bad=BROKEN).to_json()["coverage"]
    assert {name: document[name] for name in document if name not in ("gaps", "rating")} == {
        "resources": 4,
        "checked": 1,
        "withoutRules": {"azurerm_storage_account": 2, "google_sql_user": 1},
        "filesRead": 1,
        "filesNotRead": [
            {"file": "bad.tf", "line": 2, "message": "the argument 'acl' should end before a text"}
        ],
        "filesLeftOut": [],
        "modulesNotRead": [
            {
                "address": "module.vpc",
                "source": "terraform-aws-modules/vpc/aws",
                "file": "main.tf",
                "line": 13,
            }
        ],
        "unresolvedValues": 0,
        "sensitiveValues": 0,
    }


def test_a_report_comes_back_as_it_was_stored() -> None:
    report = report_of(main=QUEUE + AZURE + REGISTRY, bad=BROKEN)
    again = Report.from_json(json.loads(json.dumps(report.to_json())))
    assert (again.coverage, page(again)) == (report.coverage, page(report))


def test_a_report_of_an_older_version_does_not_claim_what_it_covers() -> None:
    document = report_of(main=QUEUE).to_json()
    del document["coverage"]
    report = Report.from_json(document)
    assert report.rating == "risk 0 of 100; what it covers was not recorded"
    assert "coverage" not in report.to_json()
    assert page(report).splitlines()[1] == report.rating


def test_a_comparison_says_what_either_run_covers(service: AppLens) -> None:
    # A score that fell because a module was taken out of sight is no progress.
    before, after = analyzed(service, QUEUE.encode()), analyzed(service, (QUEUE + AZURE).encode())
    made = service.compare(USER, before.run_id, after.run_id)
    assert (made.rating_before, made.rating_after) == (
        "risk 0 of 100 over 1 of 1 resource",
        "risk 0 of 100 over 1 of 4 resources; 3 have no rules",
    )


def test_the_report_of_a_run_begins_with_what_was_not_covered(service: AppLens) -> None:
    run = analyzed(
        service, zipped({"main.tf": (QUEUE + AZURE).encode(), "bad.tf": BROKEN.encode()}), "all.zip"
    )
    document = json.loads(service.report(USER, run.run_id))
    assert next(iter(document)) == "coverage"
    assert [gap.split(":")[0] for gap in document["coverage"]["gaps"]] == [
        "1 file was not read",
        "3 of 4 resources have no rules",
    ]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        (QUEUE, ("0", "risk, of 100, over 1 of 1 resource")),
        (QUEUE + AZURE, ("0", "risk, of 100, over 1 of 4 resources")),
        (AZURE, ("–", "risk, not rated")),
    ],
)
def test_the_figure_in_the_console_says_what_it_is_a_score_of(
    text: str, figure: tuple[str, str]
) -> None:
    assert risk_figure(report_of(main=text).to_json()) == figure


# -- files that are passed over


def test_a_link_inside_of_the_folder_is_followed(tmp_path: Path) -> None:
    # Shared files are often linked into each environment.
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "queue.tf").write_text(QUEUE)
    (tmp_path / "prod").mkdir()
    (tmp_path / "prod" / "queue.tf").symlink_to(tmp_path / "common" / "queue.tf")
    analysis = analyze(tmp_path)
    assert [node.id for node in analysis.graph.nodes] == [
        "common:aws_sqs_queue.x",
        "prod:aws_sqs_queue.x",
    ]
    assert analysis.warnings == []


def test_a_link_that_leads_out_is_not_read_and_reported(tmp_path: Path) -> None:
    # It may lead anywhere; but what it holds is part of the configuration, and was not looked at.
    (tmp_path / "else.tf").write_text(QUEUE)
    (tmp_path / "infra" / "modules").mkdir(parents=True)
    (tmp_path / "infra" / "main.tf").write_text(QUEUE)
    (tmp_path / "infra" / "more.tf").symlink_to(tmp_path / "else.tf")
    (tmp_path / "infra" / "broken.tf").symlink_to(tmp_path / "nothing.tf")
    (tmp_path / "infra" / "modules" / "far").symlink_to(tmp_path)
    report = analyze(tmp_path / "infra").report
    assert report.coverage is not None
    assert [each.file for each in report.coverage.files_not_read] == [
        "broken.tf",
        "modules/far",
        "more.tf",
    ]
    assert report.coverage.gaps == [
        "3 files were not read: broken.tf:1: a link that leads nowhere; "
        "modules/far:1: a link to a folder, not followed; more.tf:1: a link that leads out of what "
        "was given"
    ]


# -- which types have rules


class Asked:
    """The types that rules ask an estate for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.types: set[str] = set()
        of, parts = Estate.of, Estate.parts

        def recording_of(estate: Estate, *kinds: str) -> Iterator[Resource]:
            self.types.update(kinds)
            return of(estate, *kinds)

        def recording_parts(estate: Estate, resource: Resource, kind: str) -> list[Resource]:
            self.types.add(kind)
            return parts(estate, resource, kind)

        monkeypatch.setattr(Estate, "of", recording_of)
        monkeypatch.setattr(Estate, "parts", recording_parts)


def test_the_table_of_types_with_rules_is_what_rules_ask_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A type in the table that no rule looks at would count as sound.
    asked = Asked(monkeypatch)
    stage = one("aws_api_gateway_stage")  # in the cases each is throttled by a plan
    for text in (*(text for texts in CASES.values() for text in texts), stage):
        analyze_upload("main.tf", text.encode())
    assert asked.types - RULED_TYPES == set()
    assert RULED_TYPES - asked.types == SECRETS_ONLY


def test_a_plan_counts_its_resources_too() -> None:
    resources: list[dict[str, Any]] = [
        {"address": f"{kind}.x", "mode": mode, "type": kind, "name": "x", "values": {}}
        for kind, mode in (
            ("aws_sqs_queue", "managed"),
            ("aws_route", "managed"),
            ("aws_vpc", "data"),
        )
    ]
    plan = {"format_version": "1.2", "planned_values": {"root_module": {"resources": resources}}}
    report = analyze_upload("plan.json", json.dumps(plan).encode()).report
    assert report.rating == "risk 0 of 100 over 1 of 2 resources; 1 has no rules"
