"""The graph and its ways: what public examples' shapes become, and a hash that does not depend on
layout.
"""

import json
import random
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sortkey_systems.applens.analysis import Analysis, analyze_sources, analyze_upload
from sortkey_systems.applens.comparison import Comparison, compare
from sortkey_systems.applens.inventory import inventory
from sortkey_systems.applens.json_differences import differences
from sortkey_systems.applens.relationships import RELATIONSHIPS
from sortkey_systems.applens.report import Report
from sortkey_systems.applens.sources import Source
from sortkey_systems.applens.text import page
from tests.systems.applens.shapes import SHAPES


def analysed(text: str) -> Analysis:
    return analyze_upload("main.tf", text.encode())


def blocks_of(text: str) -> list[str]:
    """Top-level blocks, as they begin at the left margin and end with a brace there."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        blocks[-1].append(line)
        if line == "}":
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


WAYS = {
    "alb_ecs_rds": {
        "aws_db_instance.main": (
            *(
                "internet",
                "aws_lb.web",
                "aws_security_group.lb",
                "aws_security_group.app",
                "aws_ecs_service.app",
            ),
            *("aws_security_group.db", "aws_db_instance.main"),
        )
    },
    "serverless": {
        "aws_dynamodb_table.orders": (
            *("internet", "aws_apigatewayv2_api.http", "aws_apigatewayv2_integration.orders"),
            *(
                "aws_lambda_function.orders",
                "aws_iam_role.orders",
                "aws_iam_role_policy_attachment.orders",
            ),
            *("aws_iam_policy.orders", "aws_dynamodb_table.orders"),
        )
    },
    "website": {
        "aws_s3_bucket.site": ("internet", "aws_cloudfront_distribution.site", "aws_s3_bucket.site")
    },
    "vpc": {},
    "eks": {},
}
COUNTS = {
    "vpc": (0, 0),
    "alb_ecs_rds": (1, 1),
    "serverless": (1, 1),
    "website": (1, 1),
    "eks": (0, 0),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_internet_reaches_the_datastores_that_a_reader_would_name(shape: str) -> None:
    # The ways are the evidence: they must be those on the whiteboard.
    analysis = analysed(SHAPES[shape])
    assert {path.datastore: path.steps for path in analysis.report.paths} == WAYS[shape]
    counts = analysis.graph.counts
    assert (counts["internetExposedCount"], counts["datastoreCount"]) == COUNTS[shape]


OPEN_FUNCTION = """
resource "aws_lambda_function_url" "u" {
  function_name      = aws_lambda_function.f.arn
  authorization_type = "NONE"
}
resource "aws_lambda_function" "f" {
  role = aws_iam_role.r.arn
}
resource "aws_iam_role" "r" {}
resource "aws_iam_role_policy" "p" {
  role   = aws_iam_role.r.id
  policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}
resource "aws_dynamodb_table" "t" {}
"""
CLUSTER = 'resource "aws_eks_cluster" "c" {\n  role_arn = aws_iam_role.r.arn\n}\n'


@pytest.mark.parametrize(
    ("action", "authorization", "severity"),
    [
        ("*", "NONE", "high"),
        ("dynamodb:*", "NONE", "high"),
        ("dynamodb:GetItem", "NONE", "medium"),
        ("*", "AWS_IAM", "low"),
    ],
)
@pytest.mark.parametrize("more", ["", CLUSTER], ids=["alone", "with a cluster"])
def test_the_worst_way_is_shown_and_another_entry_does_not_hide_it(
    action: str, authorization: str, severity: str, more: str
) -> None:
    # A shorter way through an entry that asks for credentials must not make an open one look
    # better.
    text = (
        OPEN_FUNCTION.replace('Action = "*"', f'Action = "{action}"').replace("NONE", authorization)
        + more
    )
    report = analysed(text).report
    way = (
        "internet",
        "aws_lambda_function_url.u",
        "aws_lambda_function.f",
        "aws_iam_role.r",
        "aws_iam_role_policy.p",
    )
    assert [path.steps for path in report.paths] == [(*way, "aws_dynamodb_table.t")]
    assert [f.severity for f in report.findings if f.rule == "PATH-01"] == [severity]


HTTP_API = """
resource "aws_apigatewayv2_api" "a" {
  protocol_type = "HTTP"
}
resource "aws_apigatewayv2_route" "r" {
  api_id             = aws_apigatewayv2_api.a.id
  route_key          = "GET /"
  target             = "integrations/${aws_apigatewayv2_integration.i.id}"
  authorization_type = "JWT"
}
resource "aws_apigatewayv2_integration" "i" {
  api_id          = aws_apigatewayv2_api.a.id
  integration_uri = aws_lambda_function.f.invoke_arn
}
"""
REST_API = """
resource "aws_api_gateway_rest_api" "a" {}
resource "aws_api_gateway_method" "m" {
  rest_api_id   = aws_api_gateway_rest_api.a.id
  http_method   = "GET"
  authorization = "AWS_IAM"
}
resource "aws_api_gateway_method" "preflight" {
  rest_api_id   = aws_api_gateway_rest_api.a.id
  http_method   = "OPTIONS"
  authorization = "NONE"
}
"""
GRAPHQL = """
resource "aws_appsync_graphql_api" "a" {
  authentication_type = "AMAZON_COGNITO_USER_POOLS"
  additional_authentication_provider {
    authentication_type = "AWS_IAM"
  }
}
"""
BALANCER = """
resource "aws_lb" "a" {}
resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.a.arn
  default_action {
    type = "authenticate-oidc"
  }
  default_action {
    type = "forward"
  }
}
resource "aws_lb_listener" "http" {
  load_balancer_arn = aws_lb.a.arn
  default_action {
    type = "redirect"
  }
}
"""
URL = OPEN_FUNCTION.replace("NONE", "AWS_IAM")


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        (URL, {"aws_lambda_function_url.u": "IAM"}),
        (OPEN_FUNCTION, {}),
        (URL.replace('"AWS_IAM"', "var.who"), {}),
        (HTTP_API, {"aws_apigatewayv2_api.a": "an authorizer"}),
        (HTTP_API.replace("JWT", "NONE"), {}),
        (HTTP_API.replace("GET /", "OPTIONS /"), {}),
        (HTTP_API.replace('"HTTP"', '"WEBSOCKET"'), {}),
        (
            HTTP_API.replace('"HTTP"', '"WEBSOCKET"').replace("GET /", "$connect"),
            {"aws_apigatewayv2_api.a": "an authorizer"},
        ),
        (REST_API, {"aws_api_gateway_rest_api.a": "IAM"}),
        (REST_API.replace("AWS_IAM", "CUSTOM"), {"aws_api_gateway_rest_api.a": "an authorizer"}),
        (REST_API.replace("OPTIONS", "POST"), {}),
        (GRAPHQL, {"aws_appsync_graphql_api.a": "an authorizer"}),
        (GRAPHQL.replace("AWS_IAM", "API_KEY"), {}),
        (BALANCER, {"aws_lb.a": "a login"}),
        (BALANCER.replace("redirect", "forward"), {}),
        (CLUSTER, {"aws_eks_cluster.c": "credentials"}),
    ],
)
def test_entries_that_ask_everybody_are_exposed_and_distinguished(
    text: str, behind: dict[str, str]
) -> None:
    # An address on the internet stays one, whoever may call it; but who closed the door wants to
    # see that.
    analysis = analysed(text)
    assert analysis.graph.counts["internetExposedCount"] == 1
    assert analysis.report.behind == behind
    assert all(path.behind == behind.get(path.entry, "") for path in analysis.report.paths)


@pytest.mark.parametrize("kind", ["[1]", "{ a = 1 }", "7", "true"])
def test_an_authorization_that_is_no_text_guards_nothing(kind: str) -> None:
    # Terraform would refuse it, and an analysis must not end with it.
    text = (
        'resource "aws_appsync_graphql_api" "a" '
        f'{{\n  name = "a"\n  authentication_type = {kind}\n}}'
    )
    assert analysed(text).report.behind == {}


def test_a_way_behind_authentication_says_so_wherever_it_is_shown() -> None:
    # The same line as for an open one would say that nothing was gained.
    before, after = analysed(OPEN_FUNCTION).report, analysed(URL).report
    assert "behind" not in page(before)
    assert "1 exposed to the internet (1 behind authentication)" in page(after)
    assert "aws_dynamodb_table.t (behind IAM)" in page(after)
    assert [f.detail[-13:] for f in after.findings if f.rule == "PATH-01"] == [" (behind IAM)"]
    assert Report.from_json(after.to_json()).to_json() == after.to_json()
    old = {name: value for name, value in after.to_json().items() if name != "behind"}
    assert Report.from_json(old).behind == {}


def test_a_longer_way_that_asks_nobody_is_the_worse_one() -> None:
    # CloudFront in front of a function URL with IAM signs for everybody: the door is the
    # distribution.
    front = """
resource "aws_cloudfront_distribution" "d" {
  origin {
    domain_name = aws_lambda_function_url.u.function_url
  }
}
"""
    (path,) = analysed(URL + front).report.paths
    assert (path.entry, path.behind) == ("aws_cloudfront_distribution.d", "")


def test_the_cluster_is_the_way_where_there_is_no_other() -> None:
    # Coming last is not being left out.
    text = OPEN_FUNCTION[OPEN_FUNCTION.index('resource "aws_iam_role" "r"') :] + CLUSTER
    assert [path.entry for path in analysed(text).report.paths] == ["aws_eks_cluster.c"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_way_passes_each_address_once(shape: str) -> None:
    # Who reads the same name twice looks for a loop that is not there.
    assert all(
        len(set(path.steps)) == len(path.steps) for path in analysed(SHAPES[shape]).report.paths
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sound_example_has_nothing_high(shape: str) -> None:
    # These were written with care; an alarm on them would be a false one.
    assert [(f.rule, f.evidence) for f in analysed(SHAPES[shape]).report.at_least("high")] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_edges_join_nodes_by_documented_relationships(shape: str) -> None:
    # A console draws them; an end that is missing would draw nothing.
    graph = analysed(SHAPES[shape]).graph
    ids = {node.id for node in graph.nodes}
    assert len(ids) == len(graph.nodes)
    assert all(
        {edge.source, edge.target} <= ids and edge.relationship in RELATIONSHIPS
        for edge in graph.edges
    )


def test_relationships_surfaces_and_boundaries_are_those_of_the_example() -> None:
    # The words of the document, on one example.
    graph = analysed(SHAPES["serverless"]).graph
    found = {(e.source, e.target): (e.relationship, e.crossesTrustBoundary) for e in graph.edges}
    function, role = "aws_lambda_function.orders", "aws_iam_role.orders"
    assert found[function, role] == ("assumes_role", True)
    assert found["aws_apigatewayv2_integration.orders", function] == ("invokes", False)
    assert found["aws_iam_policy.orders", "aws_dynamodb_table.orders"] == ("grants_actions", True)
    surfaces = {node.id: node.threatSurface for node in graph.nodes}
    assert surfaces["aws_apigatewayv2_api.http"] == "public"
    assert (surfaces[role], surfaces["aws_dynamodb_table.orders"], surfaces[function]) == (
        "iam",
        "data",
        "internal",
    )
    edge = next(e for e in graph.edges if (e.source, e.target) == (function, role))
    assert (edge.attribute, edge.reference) == ("role", "aws_iam_role.orders.arn")


@pytest.mark.accepts("AL-17")
def test_the_hash_is_that_of_the_canonical_json() -> None:
    # Anyone can check it with sha256sum.
    graph = analysed(SHAPES["vpc"]).graph
    text = graph.canonical()
    assert graph.hash == "sha256:" + sha256(text).hexdigest()
    assert (
        text
        == json.dumps(
            json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode()
    )


@pytest.mark.accepts("AL-18")
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), files=st.integers(1, 6), shape=st.sampled_from(sorted(SHAPES)))
def test_the_hash_does_not_depend_on_order_whitespace_or_split(
    seed: int, files: int, shape: str
) -> None:
    # The same infrastructure is the same graph, however its files are laid out.
    chance = random.Random(seed)
    blocks = blocks_of(SHAPES[shape])
    chance.shuffle(blocks)
    parts = [blocks[i::files] for i in range(files)]
    texts = ["\n\n# a comment\n".join(part) for part in parts]
    if not any("<<-" in text for text in texts):
        texts = [text.replace("\n  ", "\n      ").replace(" = ", "   =  ") for text in texts]
    sources = [
        Source(f"{chance.randrange(10**6)}-{i}.tf", text.encode()) for i, text in enumerate(texts)
    ]
    chance.shuffle(sources)
    assert analyze_sources(sources).graph.hash == analysed(SHAPES[shape]).graph.hash


def test_the_hash_changes_with_what_is_built() -> None:
    # A hash that never changes would be no use.
    text = SHAPES["serverless"]
    changed = text.replace("python3.12", "python3.13")
    assert analysed(text).graph.hash != analysed(changed).graph.hash


def test_comparing_two_analyses_tells_what_came_went_and_changed() -> None:
    # What a reviewer of a change wants to see.
    before = analysed(SHAPES["serverless"])
    text = SHAPES["serverless"].replace("enabled = true", "enabled = false")
    text = text.replace(
        'resource "aws_lambda_permission" "api"', 'resource "aws_lambda_permission" "http"'
    )
    after = analysed(text)
    comparison = compare(
        before.graph.to_json(),
        before.report.to_json(),
        after.graph.to_json(),
        after.report.to_json(),
    )
    assert not comparison.same_graph
    assert (comparison.nodes.added, comparison.nodes.removed) == (
        ["aws_lambda_permission.http"],
        ["aws_lambda_permission.api"],
    )
    assert comparison.nodes.changed == ["aws_dynamodb_table.orders"]
    assert [name[:6] for name in comparison.findings.added] == ["DDB-01"]
    assert comparison.findings.removed == []
    assert len(comparison.edges.added) == len(comparison.edges.removed) == 2
    assert comparison.score_after > comparison.score_before
    assert comparison.what["nodes"]["aws_dynamodb_table.orders"] == [
        "point_in_time_recovery.enabled: true → false"
    ]
    same = compare(*[part.to_json() for part in (before.graph, before.report)] * 2)
    assert same.same_graph
    assert same.nodes.to_json() == {"added": [], "removed": [], "changed": []}


def test_comparing_says_which_way_to_data_was_closed_and_which_is_left() -> None:
    # "The internet reaches a datastore" is no contradiction to a bucket that was closed, if one
    # reads through what.
    texts = (OPEN_FUNCTION, URL, "\n".join(blocks_of(URL)[1:]))
    before, behind, closed = (analysed(text) for text in texts)

    def comparison(one: Analysis, other: Analysis) -> Comparison:
        return compare(
            *(part.to_json() for each in (one, other) for part in (each.graph, each.report))
        )

    steps = (
        "internet → aws_lambda_function_url.u → aws_lambda_function.f → aws_iam_role.r → "
        "aws_iam_role_policy.p"
    )
    way = f"{steps} → aws_dynamodb_table.t"
    assert comparison(before, behind).what["ways"] == {
        "aws_dynamodb_table.t": [f"was {way}", f"now {way} (behind IAM)"]
    }
    assert comparison(before, closed).ways.removed == ["aws_dynamodb_table.t"]
    back = comparison(closed, before)
    assert back.ways.added == ["aws_dynamodb_table.t"]
    (title,) = (text for id, text in back.titles.items() if id.startswith("PATH-01"))
    assert title.endswith("aws_dynamodb_table.t, through aws_lambda_function_url.u")


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {}, ["a: 1 → not set"]),
        ({}, {"a": None}, []),
        ({"a": [{"b": False}]}, {"a": [{"b": True}]}, ["a.b: false → true"]),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, ["a[1].b: 2 → 3"]),
        ({"a": ["x", "y"]}, {"a": ["y", "z"]}, ["a: no longer x", "a: also z"]),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, ['a: ["x", "y"] → ["y", "x"]']),
        (
            {"a": '{"S": [{"Action": "*"}]}'},
            {"a": '{"S": [{"Action": "s3:Get"}]}'},
            ["a.S.Action: * → s3:Get"],
        ),
        ({"a": "x" * 200 + "1"}, {"a": "x" * 200 + "2"}, [f"a: …{'x' * 25}1 → …{'x' * 25}2"]),
    ],
)
def test_what_differs_is_said_by_path_and_values(
    before: dict[str, Any], after: dict[str, Any], lines: list[str]
) -> None:
    # "changed" alone sends the reader to both files.
    assert differences(before, after) == lines


def test_the_inventory_is_searched_by_words_and_fields() -> None:
    # Five hundred resources are found by typing, not by scrolling.
    analysis = analysed(SHAPES["alb_ecs_rds"])
    graph, report = analysis.graph.to_json(), analysis.report.to_json()
    assert len(inventory(graph)) == analysis.graph.counts["nodeCount"]
    assert [row["id"] for row in inventory(graph, report, "datastore:true POSTGRES")] == []
    assert [row["id"] for row in inventory(graph, report, "exposed:true")] == ["aws_lb.web"]
    assert [row["id"] for row in inventory(graph, report, "type:aws_subnet private")] == [
        'aws_subnet.private["a"]',
        'aws_subnet.private["b"]',
    ]
    assert all("attributes" not in row and row["findings"] >= 0 for row in inventory(graph, report))


def plan_of(number: int) -> bytes:
    """A plan with so many resources: functions with roles, policies and tables."""
    kinds = [
        ("aws_iam_role", {"name": "r"}),
        ("aws_dynamodb_table", {"name": "t", "point_in_time_recovery": [{"enabled": True}]}),
        ("aws_iam_role_policy", {}),
        ("aws_lambda_function", {"runtime": "python3.12"}),
        ("aws_sqs_queue", {"name": "q"}),
    ]
    resources, configuration = [], []
    links = {
        "aws_iam_role_policy": {"role": "aws_iam_role", "policy": "aws_dynamodb_table"},
        "aws_lambda_function": {"role": "aws_iam_role"},
    }
    for i in range(number):
        kind, values = kinds[i % len(kinds)]
        name = f"n{i // len(kinds)}"
        common = {"address": f"{kind}.{name}", "mode": "managed", "type": kind, "name": name}
        resources.append({**common, "values": values})
        expressions = {
            path: {"references": [f"{to}.{name}.arn", f"{to}.{name}"]}
            for path, to in links.get(kind, {}).items()
        }
        configuration.append({**common, "expressions": expressions})
    plan = {"format_version": "1.2", "terraform_version": "1.9.0"}
    plan["planned_values"] = {"root_module": {"resources": resources}}
    plan["configuration"] = {"root_module": {"resources": configuration}}
    return json.dumps(plan).encode()


def test_a_plan_of_500_resources_is_analysed_whole() -> None:
    # The size of a product in production.
    graph = analyze_upload("plan.json", plan_of(500)).graph
    assert graph.counts == {
        "nodeCount": 500,
        "edgeCount": 300,
        "internetExposedCount": 0,
        "datastoreCount": 100,
    }
