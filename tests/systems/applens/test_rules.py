"""Every rule fires on what breaks it and is silent on what is close to it; findings say what a
reader needs.
"""

import pytest

from sortkey_systems.applens.analysis import analyze_upload
from sortkey_systems.applens.report import Report, scored
from sortkey_systems.applens.rules import RULES, SEVERITIES
from sortkey_systems.applens.rules.definition import STRIDE
from sortkey_systems.applens.secrecy import script_secrets
from tests.systems.applens.rule_cases import BUCKET, CASES, LB, PUBLIC_POLICY, group, one, policy


def report_of(text: str) -> Report:
    return analyze_upload("main.tf", text.encode()).report


def rules_of(text: str) -> set[str]:
    return {finding.rule for finding in report_of(text).findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_fires_where_it_is_broken(rule) -> None:
    # A rule that never fires is worse than none: it says that all is well.
    assert rule.id in rules_of(CASES[rule.id][0])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_silent_where_it_is_kept(rule) -> None:
    # False alarms teach people to look away.
    analysis = analyze_upload("main.tf", CASES[rule.id][1].encode())
    assert analysis.graph.nodes
    assert [w for w in analysis.warnings if w.kind == "parse"] == []
    assert rule.id not in {finding.rule for finding in analysis.report.findings}


def test_there_are_at_least_25_rules_and_each_is_documented_in_full() -> None:
    # The documents promise it, and a finding without a remedy helps nobody.
    assert len(RULES) >= 25
    assert set(CASES) == {rule.id for rule in RULES}
    for rule in RULES:
        assert rule.category in STRIDE.values()
        assert rule.severity in SEVERITIES
        assert all((rule.title, rule.why, rule.evidence, rule.mitigations, all(rule.mitigations)))
    assert {rule.category for rule in RULES} == set(STRIDE.values())


def test_evidence_names_resources_of_the_graph_and_the_place_is_that_of_the_first() -> None:
    # A finding is acted on where its line is.
    for fires, _ in CASES.values():
        analysis = analyze_upload("main.tf", fires.encode())
        known = {node.id for node in analysis.graph.nodes}
        for finding in analysis.report.findings:
            assert set(finding.evidence) <= known
            assert (finding.file, finding.line > 0) == ("main.tf", True)


def test_a_public_balancer_with_tls_is_not_an_open_ssh_port() -> None:
    # What is meant to be public is no alarm.
    listener = (
        'load_balancer_arn = aws_lb.l.arn\nprotocol = "HTTPS"\nssl_policy = '
        '"ELBSecurityPolicy-TLS13-1-2-2021-06"'
    )
    found = report_of(group(443, 443) + LB + one("aws_lb_listener", listener))
    assert found.at_least("medium") == []
    assert found.counts["internetExposedCount"] == 1


def test_a_public_policy_behind_an_account_wide_block_opens_nothing() -> None:
    # The account's setting wins over each bucket's.
    block = one(
        "aws_s3_account_public_access_block",
        "restrict_public_buckets = true\nignore_public_acls = true",
    )
    assert "S3-01" in rules_of(BUCKET + PUBLIC_POLICY)
    assert "S3-01" not in rules_of(BUCKET + PUBLIC_POLICY + block)


def test_a_private_api_needs_no_authorizer() -> None:
    # Only the network reaches it.
    text = CASES["API-01"][0].replace("REGIONAL", "PRIVATE")
    assert "API-01" not in rules_of(text)


@pytest.mark.parametrize(
    ("principal", "who", "severity"),
    [
        ("*", "anyone with an AWS account", "high"),
        ("s3.amazonaws.com", "s3.amazonaws.com", "medium"),
    ],
)
def test_a_permission_says_who_may_invoke_the_function(
    principal: str, who: str, severity: str
) -> None:
    # The principal * is no service, and a remedy for services would not help.
    found = report_of(one("aws_lambda_permission", f'principal = "{principal}"')).findings
    assert [(f.detail, f.severity) for f in found if f.rule == "IAM-11"] == [(who, severity)]
    assert not any("service" in f.title for f in found if f.rule == "IAM-11")


ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess"


@pytest.mark.parametrize(
    "text",
    [
        one("aws_iam_user_policy_attachment", f'user = "a"\npolicy_arn = "{ADMIN}"'),
        one("aws_iam_group_policy_attachment", f'group = "a"\npolicy_arn = "{ADMIN}"'),
        one("aws_iam_policy_attachment", f'groups = ["a"]\npolicy_arn = "{ADMIN}"'),
        one("aws_iam_role", f'managed_policy_arns = ["{ADMIN}"]'),
        one(
            "aws_iam_role_policy_attachments_exclusive",
            f'role_name = "a"\npolicy_arns = ["{ADMIN}"]',
        ),
        one("aws_ssoadmin_managed_policy_attachment", f'managed_policy_arn = "{ADMIN}"'),
        'data "aws_iam_policy" "a" {\n  name = "AdministratorAccess"\n}\n'
        + one(
            "aws_iam_role_policy_attachment", 'role = "a"\npolicy_arn = data.aws_iam_policy.a.arn'
        ),
    ],
)
def test_administrators_are_found_however_they_are_made(text: str) -> None:
    # Whoever is attached to that policy has the account, by whichever resource it was attached.
    assert "IAM-06" in rules_of(text)
    assert "IAM-06" not in rules_of(text.replace("AdministratorAccess", "ReadOnlyAccess"))


@pytest.mark.parametrize(
    "kind", ["aws_iam_role_policy", "aws_iam_user_policy", "aws_iam_group_policy"]
)
def test_an_inline_policy_for_everything_is_found(kind: str) -> None:
    assert "IAM-01" in rules_of(policy('Action = "*:*", Resource = "*"', kind))
    assert "IAM-01" not in rules_of(policy('Action = "s3:GetObject", Resource = "*"', kind))


def test_whom_an_administrator_policy_is_attached_to_is_named() -> None:
    text = one("aws_iam_group", 'name = "g"', "g")
    text += one(
        "aws_iam_policy_attachment", f'groups = [aws_iam_group.g.name]\npolicy_arn = "{ADMIN}"'
    )
    found = [f.evidence for f in report_of(text).findings if f.rule == "IAM-06"]
    assert found == [("aws_iam_policy_attachment.x", "aws_iam_group.g")]


@pytest.mark.parametrize(
    ("image", "is_found"),
    [
        ("nginx", True),
        ("registry.example.com:5000/nginx", True),
        ("${aws_ecr_repository.r.repository_url}:latest", True),
        ("${aws_ecr_repository.r.repository_url}", True),
        ("nginx:1.27.3", False),
        ("nginx:latest@sha256:6c3c", False),
        ("nginx:${var.version}", False),
        ("${var.image}", False),
    ],
)
def test_an_image_is_fixed_by_its_tag_or_its_digest(image: str, is_found: bool) -> None:
    # A colon may be that of a port, and what only a plan knows is no finding.
    text = 'variable "version" {}\nvariable "image" {}\n' + one(
        "aws_ecr_repository", 'name = "r"', "r"
    )
    text += one("aws_lambda_function", f'image_uri = "{image}"')
    assert ("ECR-02" in rules_of(text)) is is_found


def test_a_secret_of_a_variable_is_found_once_and_at_the_variable() -> None:
    # It is written in one place, and is taken out there.
    text = 'variable "db_password" {\n  default = "hunter2222"\n}\n' + one(
        "aws_db_instance", "password = var.db_password"
    )
    text += one(
        "aws_lambda_function", "environment {\n  variables = { DB_PASSWORD = var.db_password }\n}"
    )
    text += one("aws_instance", 'user_data = base64encode("export DB_PASSWORD=${var.db_password}")')
    text += one(
        "aws_ssm_parameter", 'type = "SecureString"\nvalue = "postgres://app:${var.db_password}@db"'
    )
    other = one("aws_db_instance", 'password = "another2222"', "other")
    found = {text: secrets_of(text) for text in (text, text + other)}
    assert found == {
        text: ["var.db_password"],
        text + other: ["aws_db_instance.other", "var.db_password"],
    }


def test_a_secret_that_a_resource_writes_again_is_found_in_both() -> None:
    # To take it out at the variable is not enough then.
    text = 'variable "db_password" {\n  default = "hunter2222"\n}\n' + one(
        "aws_db_instance", 'password = "hunter2222"'
    )
    assert secrets_of(text) == ["aws_db_instance.x", "var.db_password"]


def secrets_of(text: str) -> list[str]:
    return [f.evidence[0] for f in report_of(text).findings if f.rule == "SEC-01"]


def test_a_secret_is_never_printed() -> None:
    # Graph and report are stored and shown.
    containers = (
        'jsonencode([{ name = "a", environment = [{ name = "API_TOKEN", value = "hunter2222" }] }])'
    )
    text = one("aws_db_instance", 'password = "hunter2222"')
    text += one("aws_ecs_task_definition", f"container_definitions = {containers}")
    text += one("aws_instance", 'user_data = "key AKIAHUNTER2222HUNTER hunter2222"')
    analysis = analyze_upload("main.tf", text.encode())
    assert "SEC-01" in {finding.rule for finding in analysis.report.findings}
    assert b"hunter2222" not in analysis.graph.canonical()
    assert "hunter2222" not in str(analysis.report.to_json())


def test_the_score_grows_with_what_is_found_and_says_why() -> None:
    # A number without reasons cannot be argued with.
    nothing, one_low, bad = (
        report_of(text) for text in (one("aws_sqs_queue"), one("aws_vpc"), group(0, 0, "-1"))
    )
    assert nothing.score == 0
    assert nothing.score < one_low.score < bad.score <= 100
    assert "NET-03" in bad.rationale[1]
    assert scored([])[0] == 0


def test_fifty_of_one_low_finding_weigh_less_than_one_critical() -> None:
    # One habit repeated is one mistake.
    many = report_of("".join(one("aws_vpc", name=f"v{i}") for i in range(50)))
    assert len(many.findings) == 50
    assert many.score < report_of(group(0, 0, "-1")).score


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("export DB_PASSWORD=hunter2222", ["DB_PASSWORD"]),
        ("docker run -e API_TOKEN=abcd1234 app", ["API_TOKEN"]),
        ("define('DB_PASSWORD', 'hunter2222');", ["DB_PASSWORD"]),
        ("db:\n  password: hunter2222\n", ["password"]),
        ('{"client_secret": "hunter2222"}', ["client_secret"]),
        ("psql postgres://app:hunter2222@db.example.com/app", ["a key"]),
        ("curl -H 'X: ghp_0123456789abcdefghijklmnopqrstuvwxyz'", ["a key"]),
        ("DB_PASSWORD=$(aws ssm get-parameter --name /db/password)", []),
        ("DB_PASSWORD=${data.aws_ssm_parameter.db.value}", []),
        ("PASSWORD_FILE=/run/secrets/db", []),
        ("TOKEN_URL=https://login.example.com/token", []),
        ("psql postgres://app:${random_password.db.result}@db.example.com/app", []),
        ("token_required: true", []),
    ],
)
def test_secrets_in_scripts(script: str, found: list[str]) -> None:
    # Values that stand there; not those that are fetched when the script runs.
    assert script_secrets(script) == found
