"""Values that Terraform marks as sensitive: planted in every kind of place, and looked for in every
output.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sortkey.cli import main
from sortkey.web import Mount, Tokens, make_app
from sortkey_systems.applens.analysis import analyze_sources
from sortkey_systems.applens.api import make_router
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.parsing.functions import PLAIN, STRUCTURAL, WALKING
from sortkey_systems.applens.parsing.source_reader import read
from sortkey_systems.applens.problems import NothingParsed
from sortkey_systems.applens.report import Report
from sortkey_systems.applens.resources import Resource, is_unknown
from sortkey_systems.applens.sensitive import Sensitive
from sortkey_systems.applens.service import AppLens
from sortkey_systems.applens.sources import Source
from tests.systems.applens.uploading import USER
from tests.systems.homes import Home, open_home

SECRET = "Planted9-kq7Zx-value"
ENCODED = base64.b64encode(SECRET.encode()).decode()
Files = dict[str, str]


def use(expression: str, name: str = "x") -> str:
    """A resource that puts an expression everywhere: attribute, label, block, policy,
    script, tag.
    """
    return f"""
resource "aws_lambda_function" "{name}" {{
  function_name = "{name}"
  description   = {expression}
  tags          = {{ Name = {expression} }}
  environment {{
    variables = {{ URL = "postgres://app:${{{expression}}}@db/app", SETTINGS = jsonencode({{ a = [{expression}] }}) }}
  }}
  dynamic "block" {{
    for_each = [{expression}]
    content {{
      value = block.value
    }}
  }}
}}
resource "aws_instance" "{name}" {{
  user_data        = <<-EOT
    export DB_PASSWORD=${{{expression}}}
  EOT
  user_data_base64 = base64encode("token ${{{expression}}}")
  parts            = [for part in [{expression}] : upper(part)]
  either           = {expression} == "x" ? {expression} : lower({expression})
  joined           = join(",", ["a", {expression}])
  formatted        = format("%s!", {expression})
}}
"""


def secret_variable(marks: str = "sensitive = true", default: str = f'default = "{SECRET}"') -> str:
    return f'variable "secret" {{\n  {default}\n  {marks}\n}}\n'


HCL: dict[str, Files] = {
    "variable": {"main.tf": secret_variable() + use("var.secret")},
    "ephemeral variable": {"main.tf": secret_variable("ephemeral = true") + use("var.secret")},
    "tfvars": {
        "main.tf": secret_variable(default="") + use("var.secret"),
        "terraform.tfvars": f'secret = "{SECRET}"\n',
    },
    "tfvars of another folder": {
        "main.tf": secret_variable(default="") + use("var.secret"),
        "values/prod.tfvars": f'secret = "{SECRET}"\n',
    },
    "tfvars of a choice": {
        "main.tf": secret_variable(default="") + use("var.secret"),
        "prod.tfvars.json": json.dumps({"secret": SECRET}),
    },
    "json": {
        "main.tf.json": json.dumps(
            {
                "variable": {"secret": {"default": SECRET, "sensitive": True}},
                "resource": {
                    "aws_vpc": {"x": {"tags": {"Name": "${var.secret}", "More": "a ${var.secret}"}}}
                },
            }
        )
    },
    "function": {"main.tf": use(f'sensitive("{SECRET}")')},
    "local": {
        "main.tf": f'locals {{\n  secret = sensitive("{SECRET}")\n}}\n' + use("local.secret")
    },
    "local of a variable": {
        "main.tf": secret_variable()
        + 'locals {\n  secret = "a-${var.secret}"\n}\n'
        + use("local.secret")
    },
    "object": {
        "main.tf": secret_variable(default=f'default = {{ user = "app", pass = "{SECRET}" }}')
        + use("var.secret.pass")
        + use("var.secret", "whole")
    },
    "map with a secret key": {
        "main.tf": secret_variable(default=f'default = {{ "{SECRET}" = 1 }}')
        + use("keys(var.secret)[0]")
    },
    "list": {"main.tf": secret_variable(default=f'default = ["{SECRET}"]') + use("var.secret[0]")},
    "output of a module": {
        "main.tf": 'module "m" {\n  source = "./m"\n}\n' + use("module.m.secret"),
        "m/main.tf": f'output "secret" {{\n  value = "{SECRET}"\n  sensitive = true\n}}\n',
    },
    "argument of a module": {
        "main.tf": f'module "m" {{\n  source = "./m"\n  secret = "{SECRET}"\n}}\n',
        "m/main.tf": secret_variable(default="") + use("var.secret"),
    },
    "template": {
        "main.tf": secret_variable()
        + 'resource "aws_x" "x" {\n  v = templatefile("t.tpl", { secret = var.secret })\n}\n',
        "t.tpl": "hello ${secret}",
    },
    "provider": {
        "main.tf": secret_variable() + 'provider "x" {\n  token = var.secret\n}\n' + use('"a"')
    },
    "source of a module": {
        "main.tf": f'module "m" {{\n  source = "git::https://app:{SECRET}@git.example.com/m.git"\n}}\n'
        + use('"a"')
    },
    "unused text that does not parse": {
        "main.tf": use('"a"'),
        "broken.tf": f'locals {{\n  a = "b" "{SECRET}"\n}}\n',
        "more.tf": f'locals {{\n  a = sensitive("{SECRET}" "x")\n}}\n',
        "word.tf": f'locals {{\n  a = "b" {SECRET.replace("-", "_")}\n}}\n',
    },
}


def resource(
    kind: str, values: dict[str, Any], marks: Any = None, name: str = "x", mode: str = "managed"
) -> dict[str, Any]:
    data = "data." if mode == "data" else ""
    marked = {} if marks is None else {"sensitive_values": marks}
    address = f"{data}{kind}.{name}"
    return {
        "address": address,
        "mode": mode,
        "type": kind,
        "name": name,
        "values": values,
        **marked,
    }


def plan(*resources: dict[str, Any], **more: Any) -> Files:
    document = {"format_version": "1.2", "terraform_version": "1.9.0", **more}
    document["planned_values"] = {
        "root_module": {"resources": list(resources)},
        **more.get("planned_values", {}),
    }
    return {"plan.json": json.dumps(document)}


def state(kind: str, attributes: dict[str, Any], paths: list[Any], **more: Any) -> Files:
    instance = {"attributes": attributes, "sensitive_attributes": paths}
    resources = [{"mode": "managed", "type": kind, "name": "x", "instances": [instance]}]
    return {
        "a.tfstate": json.dumps(
            {"version": 4, "terraform_version": "1.9.0", "resources": resources, **more}
        )
    }


def attribute(name: str) -> dict[str, str]:
    return {"type": "get_attr", "value": name}


def element(key: str | int) -> dict[str, Any]:
    kind = "number" if isinstance(key, int) else "string"
    return {"type": "index", "value": {"type": kind, "value": key}}


FUNCTION = {
    "environment": [{"variables": {"PLAIN": "x", "HIDDEN": SECRET}}],
    "tags": {"Name": SECRET},
}
PLANS: dict[str, Files] = {
    "whole value": plan(
        resource("aws_x", {"settings": {"a": [SECRET]}, "n": 1}, {"settings": True})
    ),
    "whole resource": plan(resource("aws_x", {"settings": SECRET}, True)),
    "nested": plan(
        resource(
            "aws_lambda_function",
            FUNCTION,
            {"environment": [{"variables": {"HIDDEN": True}}], "tags": {"Name": True}},
        )
    ),
    "another shape than the value": plan(resource("aws_x", {"a": SECRET}, {"a": [{"b": True}]})),
    "in a module": plan(
        planned_values={
            "root_module": {
                "child_modules": [
                    {
                        "address": "module.m",
                        "resources": [resource("aws_x", {"a": SECRET}, {"a": True})],
                    }
                ]
            }
        }
    ),
    "of a change": plan(
        resource("aws_x", {"a": SECRET}),
        resource_changes=[
            {
                "address": "aws_x.x",
                "change": {"after": {"a": SECRET}, "after_sensitive": {"a": True}},
            }
        ],
    ),
    "before a change": plan(
        resource("aws_x", {"a": "b"}),
        resource_changes=[
            {
                "address": "data.aws_y.x",
                "change": {"before": {"a": SECRET}, "before_sensitive": {"a": True}},
            }
        ],
        prior_state={
            "values": {
                "root_module": {"resources": [resource("aws_y", {"a": SECRET}, mode="data")]}
            }
        },
    ),
    "data of the state before": plan(
        prior_state={
            "values": {
                "root_module": {
                    "resources": [resource("aws_y", {"a": SECRET}, {"a": True}, mode="data")]
                }
            }
        }
    ),
    "variable": plan(
        resource("aws_x", {"a": SECRET, "b": f"-{SECRET}-"}),
        variables={"secret": {"value": SECRET}},
        configuration={"root_module": {"variables": {"secret": {"sensitive": True}}}},
    ),
    "output": plan(
        resource("aws_x", {"a": SECRET}),
        planned_values={
            "root_module": {"resources": [resource("aws_x", {"a": SECRET})]},
            "outputs": {"o": {"sensitive": True, "value": {"inner": [SECRET]}}},
        },
    ),
    "output that changes": plan(
        resource("aws_x", {"a": SECRET}),
        output_changes={"o": {"after": SECRET, "after_sensitive": True}},
    ),
    "shown state": {
        "state.json": json.dumps(
            {
                "format_version": "1.0",
                "terraform_version": "1.9.0",
                "values": {
                    "root_module": {"resources": [resource("aws_x", {"a": SECRET}, {"a": True})]}
                },
            }
        )
    },
    "password of the provider": plan(
        resource("random_password", {"result": SECRET, "bcrypt_hash": SECRET})
    ),
    "key of the provider": plan(
        resource("tls_private_key", {"private_key_pem": SECRET}), resource("aws_vpc", {})
    ),
    "parameter of the provider": plan(
        resource("aws_ssm_parameter", {"type": "SecureString", "value": SECRET})
    ),
    "password that another resource holds": plan(
        resource("random_password", {"result": SECRET}, {"result": True}),
        resource(
            "aws_ecs_task_definition",
            {"container_definitions": json.dumps([{"command": ["run", SECRET]}])},
        ),
        resource("aws_instance", {"user_data": f"run {SECRET}", "user_data_base64": ENCODED}),
    ),
    "identifier": plan(
        resource("aws_x", {"id": SECRET, "arn": SECRET}, {"id": True, "arn": True}),
        resource("aws_y", {"of": SECRET}, {"of": True}),
    ),
    "state by path": state("aws_x", {"a": SECRET}, [[attribute("a")]]),
    "state by a long path": state(
        "aws_lambda_function",
        FUNCTION,
        [
            [attribute("environment"), element(0), attribute("variables"), element("HIDDEN")],
            [attribute("tags"), element("Name")],
        ],
    ),
    "state by a path of another form": state(
        "aws_x", {"a": {"b": SECRET}}, [[attribute("a"), {"type": "new"}]]
    ),
    "state by a path that leads nowhere": state(
        "aws_x", {"a": SECRET}, [[attribute("a"), element(3), attribute("b")]]
    ),
    "state of another form": state("aws_x", {"a": SECRET}, [{"unknown": "form"}]),
    "state with an output": state(
        "aws_x", {"a": SECRET}, [], outputs={"o": {"value": SECRET, "sensitive": True}}
    ),
    "state without marks": state("random_password", {"result": SECRET}, []),
}
UNMARKED = {
    "main.tf": f'resource "aws_ssm_parameter" "x" {{\n  type = "SecureString"\n  value = "{SECRET}"\n}}\n'
}
"""Only the provider's schema says that it is sensitive: rules have to see it, outputs must not show
it.
"""
PLACES = {f"source, {name}": files for name, files in HCL.items()} | {
    f"plan, {name}": files for name, files in PLANS.items()
}


def sources(files: Files) -> list[Source]:
    return [
        Source(name, text.encode(), is_beside=name.endswith(".tpl")) for name, text in files.items()
    ]


def leaks(text: object) -> bool:
    """Whether the secret, half of it, or its base64 is in a text."""
    shown = str(text).lower()
    return any(
        part.lower() in shown
        for part in (SECRET[:12], SECRET[8:], ENCODED[:16], SECRET.replace("-", "_"))
    )


@pytest.mark.parametrize("files", PLACES.values(), ids=PLACES.keys())
def test_a_sensitive_value_does_not_leave_the_parser(files: Files) -> None:
    # What is not there cannot be shown, by whatever is written later.
    reading = read(sources(files))
    for each in reading.resources:
        assert not leaks(each), each.address
        assert not leaks(each.written), each.address
    assert not leaks(reading.problems)


@pytest.mark.parametrize("files", [*PLACES.values(), UNMARKED], ids=[*PLACES, "unmarked"])
def test_a_sensitive_value_is_in_no_output_of_the_command(
    files: Files,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Logs of pipelines are kept, and read by many.
    caplog.set_level(logging.DEBUG)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for form in ("text", "json", "sarif"):
        assert main(["applens", "analyze", str(tmp_path), "--format", form]) == 0
        printed = capsys.readouterr()
        assert not leaks(printed.out), form
        assert not leaks(printed.err), form
    assert not leaks(caplog.text)


FUNCTIONS = (
    *PLAIN,
    *STRUCTURAL,
    *WALKING,
    "jsonencode",
    "nonsensitive",
    "sensitive",
    "try",
    "can",
    "unknown",
)
FORMS = (
    "{f}({v})",
    '{f}({v}, "x")',
    '{f}("x", {v})',
    "{f}({v}, {v})",
    "{f}({v}, 0, 3)",
    "{f}([{v}])",
    "{f}({v}...)",
)
STEPS = (
    "{v}[0]",
    "{v}.k",
    "{v}[*].k",
    "[for x in {v} : x]",
    "{{ for k, x in {v} : k => x }}",
    '["a"][{v}]',
    "!{v}",
)
VALUES = (
    "var.secret",
    f'sensitive("{SECRET}")',
    f'sensitive(["{SECRET}"])',
    f'sensitive({{ k = "{SECRET}" }})',
)


@pytest.mark.parametrize("value", VALUES)
def test_no_function_gives_a_sensitive_value_away(value: str) -> None:
    # Also not where it is called as Terraform would refuse: then its text is shown, and the value
    # must not be in it.
    calls = [form.format(f=name, v=value) for name in FUNCTIONS for form in FORMS]
    expressions = [*calls, *(step.format(v=value) for step in STEPS)]
    lines = "".join(
        f'  a{n} = {each}\n  b{n} = "-${{{each}}}-"\n' for n, each in enumerate(expressions)
    )
    analysis = analyze_sources(
        sources({"main.tf": f'{secret_variable()}resource "aws_x" "x" {{\n{lines}}}\n'})
    )
    shown = analysis.graph.nodes[0].attributes
    assert {name: text for name, text in shown.items() if leaks(text)} == {}
    assert len(shown) > len(expressions)


TOKENS = Tokens(b"a secret of thirty-two bytes or so")


def test_a_sensitive_value_is_in_no_answer_no_item_and_no_object(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Runs are stored, compared and shown to whoever has the user's token. Only the upload itself
    # still has the value.
    caplog.set_level(logging.DEBUG)
    with open_home(tmp_path) as home:
        service = AppLens(home.store)
        service.ensure()
        _check_what_is_stored(service, home)
    assert not leaks(caplog.text)


def _check_what_is_stored(service: AppLens, home: Home) -> None:
    runs = [_analyzed(service, files) for files in (*PLACES.values(), UNMARKED)]
    assert {run.status for run in runs} == {"COMPLETE"}
    headers = {"Authorization": f"Bearer {TOKENS.issue(USER, system='applens')}"}
    with TestClient(
        make_app([Mount("applens", make_router(service))], tokens=TOKENS), headers=headers
    ) as client:
        for run in runs:
            for part in ("", "/progress", "/graph", "/report", "/sarif", "/inventory"):
                answer = client.get(f"/applens/runs/{run.run_id}{part}")
                assert answer.status_code == 200
                assert not leaks(answer.text), part
            answer = client.get(
                "/applens/compare", params={"before": runs[0].run_id, "after": run.run_id}
            )
            assert not leaks(answer.text)
    for table in ("applens-graph-metadata", "sortkey-jobs"):
        assert not leaks(home.store.backend.call("Scan", {"TableName": table}))
    bucket = home.objects["applens"]
    for prefix in ("graphs/", "reports/"):
        stored = bucket.list(prefix).objects
        assert len(stored) == len(runs)
        assert not any(leaks(bucket.read(each.key).decode()) for each in stored)


def _analyzed(service: AppLens, files: Files) -> Run:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    run = service.upload(USER, "prod", "all.zip", packed.getvalue())
    service.analyze(USER, run.run_id)
    service.worker().run_once()
    return service.get(USER, run.run_id)


@pytest.mark.parametrize(
    "text", [f'a = "b" "{SECRET}"', f'"{SECRET}" = = 1', f"a {SECRET!r}", f'a = b."{SECRET}"']
)
def test_an_error_of_the_parser_does_not_quote_texts(text: str) -> None:
    # The reason of a failed run is stored, and printed in pipelines.
    with pytest.raises(NothingParsed) as error:
        read([Source("main.tf", text.encode())])
    assert not leaks(error.value)


# -- what rules still see


def attributes_of(files: Files, address: str) -> Resource:
    return next(each for each in read(sources(files)).resources if each.address == address)


def test_a_sensitive_value_is_there_and_not_known() -> None:
    # A rule must not take it for one that is missing, nor for one that it has read.
    found = attributes_of(HCL["variable"], "aws_lambda_function.x")
    value = found.get("description")
    assert isinstance(value, Sensitive)
    assert (value, json.dumps(value), is_unknown(value)) == ("(sensitive)", '"(sensitive)"', True)
    assert found.get("environment.variables.URL") == "postgres://app:(sensitive)@db/app"
    assert found.get("environment.variables.SETTINGS") == '{"a": ["(sensitive)"]}'


def test_what_stands_beside_a_sensitive_value_is_still_seen() -> None:
    # One sensitive element must not hide a whole policy from the rules.
    text = secret_variable() + (
        'resource "aws_iam_role_policy" "x" {\n  policy = jsonencode({ Statement = [{ Sid = '
        "var.secret, "
        'Effect = "Allow", Action = "*", Resource = "*" }] })\n}\n'
    )
    assert "IAM-01" in {finding.rule for finding in report_of({"main.tf": text}).findings}


def test_references_survive_in_what_is_sensitive() -> None:
    # The graph shows who holds whose password, without the password.
    files = {
        "main.tf": 'module "m" {\n  source = "./m"\n  secret = random_password.p.result\n}\n'
        'resource "random_password" "p" {}\n',
        "m/main.tf": secret_variable(default="") + 'resource "aws_x" "x" {\n  v = var.secret\n}\n',
    }
    assert [link.address for link in attributes_of(files, "module.m.aws_x.x").links] == [
        "random_password.p"
    ]


def test_two_sensitive_identifiers_are_not_taken_for_the_same() -> None:
    # All sensitive values look alike.
    assert [each.links for each in read(sources(PLANS["identifier"])).resources] == [[], []]
    buckets = [
        resource("aws_s3_bucket", {"bucket": SECRET}, {"bucket": True}),
        resource("aws_s3_bucket_policy", {"bucket": SECRET}, {"bucket": True}),
    ]
    assert analyze_sources(sources(plan(*buckets))).graph.edges == []


def report_of(files: Files) -> Report:
    return analyze_sources(sources(files)).report


def written_secrets(files: Files) -> list[str]:
    return [f.evidence[0] for f in report_of(files).findings if f.rule == "SEC-01"]


VPC = 'resource "aws_vpc" "v" {}\n'
DATABASE = 'resource "aws_db_instance" "x" {\n  password = %s\n}\n'


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"main.tf": VPC + secret_variable().replace('"secret"', '"db_password"')},
            ["var.db_password"],
        ),
        (
            {
                "main.tf": secret_variable().replace('"secret"', '"db_password"')
                + DATABASE % "var.db_password"
            },
            ["var.db_password"],
        ),
        (
            {
                "main.tf": secret_variable(default="").replace('"secret"', '"db_password"')
                + DATABASE % "var.db_password",
                "terraform.tfvars": f'db_password = "{SECRET}"\n',
            },
            ["var.db_password"],
        ),
        ({"main.tf": secret_variable(default="") + DATABASE % "var.secret"}, []),
        ({"main.tf": secret_variable(default='default = ""') + DATABASE % "var.secret"}, []),
        ({"main.tf": DATABASE % f'sensitive("{SECRET}")'}, ["aws_db_instance.x"]),
        ({"main.tf": DATABASE % "sensitive(random_password.p.result)"}, []),
        (
            {
                "main.tf": f'module "m" {{\n  source = "./m"\n  secret = "{SECRET}"\n}}\n',
                "m/main.tf": secret_variable(default="") + DATABASE % "var.secret",
            },
            ["module.m.aws_db_instance.x"],
        ),
        (
            {
                "main.tf": 'module "m" {\n  source = "./m"\n  secret = local.db\n}\nresource "random_password" "p" {}\n'
                'locals {\n  db = { user = "app", pass = random_password.p.result }\n}\n',
                "m/main.tf": secret_variable(default="") + DATABASE % "var.secret.pass",
            },
            [],
        ),
        (UNMARKED, ["aws_ssm_parameter.x"]),
        ({"main.tf": VPC + secret_variable().replace('"secret"', '"user"')}, ["var.user"]),
        (
            {
                "main.tf": VPC
                + secret_variable(default='default = "admin"').replace('"secret"', '"user"')
            },
            [],
        ),
    ],
)
def test_a_secret_in_the_source_is_distinguished_from_one_that_is_given(
    files: Files, found: list[str]
) -> None:
    # To mark a password as sensitive does not take it out of the repository.
    assert written_secrets(files) == found


def planned_password(expression: dict[str, Any]) -> Files:
    configured = [{"address": "aws_db_instance.x", "expressions": {"password": expression}}]
    database = resource("aws_db_instance", {"password": SECRET}, {"password": True})
    return plan(database, configuration={"root_module": {"resources": configured}})


def test_a_plan_tells_a_written_password_from_one_of_a_variable() -> None:
    # The configuration in a plan has the literals of the source, and the references.
    assert written_secrets(planned_password({"references": ["var.db_password"]})) == []
    assert written_secrets(planned_password({"constant_value": SECRET})) == ["aws_db_instance.x"]
