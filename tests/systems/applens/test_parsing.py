"""Terraform as it is written: expressions, modules, count, for_each, dynamic blocks, JSON, plans;
and what is not.
"""

import json

import hcl2
import pytest

from sortkey_systems.applens.analysis import analyze_upload
from sortkey_systems.applens.parsing.hcl import parse
from sortkey_systems.applens.parsing.source_reader import Reading, read
from sortkey_systems.applens.parsing.syntax import HclError
from sortkey_systems.applens.problems import AnalysisFailed, NothingParsed
from sortkey_systems.applens.sources import Source
from tests.systems.applens.rule_cases import CASES
from tests.systems.applens.shapes import SHAPES


def reading(**files: str) -> Reading:
    return read(
        [
            Source(name.replace("__", "/").replace("_tf", ".tf"), text.encode())
            for name, text in files.items()
        ]
    )


def value_of(expression: str, declarations: str = "") -> object:
    text = f'{declarations}\nresource "aws_x" "x" {{\n  v = {expression}\n}}'
    return next(
        each for each in reading(main_tf=text).resources if each.type == "aws_x"
    ).attributes.get("v")


EXPRESSIONS = [
    ("1 + 2 * 3", 7),
    ("(1 + 2) * 3", 9),
    ('true ? "a" : "b"', "a"),
    ('"a-${1 + 1}-${"n"}"', "a-2-n"),
    ('"$${kept} %%{kept}"', "${kept} %{kept}"),
    ('"tab\\tquote\\" \\u00e9"', 'tab\tquote" é'),
    ("[for x in [1, 2, 3] : x * 2 if x != 2]", [2, 6]),
    ("{ for k, v in { a = 1, b = 2 } : upper(k) => v }", {"A": 1, "B": 2}),
    ('{ for s in ["a1", "a2"] : substr(s, 0, 1) => s... }', {"a": ["a1", "a2"]}),
    ('merge({ a = 1 }, { b = 2 })["b"]', 2),
    ("[{ id = 1 }, { id = 2 }][*].id", [1, 2]),
    ('cidrsubnet("10.0.0.0/16", 8, 2)', "10.0.2.0/24"),
    ('jsondecode("{\\"a\\": [1]}").a[0]', 1),
    ('format("%s-%03d", "a", 7)', "a-007"),
    ('join(",", sort(["b", "a"]))', "a,b"),
    ('lookup({ a = 1 }, "b", "none")', "none"),
    ('try({ a = 1 }.b.c, [1][3], "fallback")', "fallback"),
    ("<<-EOT\n    two\n      lines\n    EOT", "two\n  lines\n"),
    ("!false && (1 < 2 || false)", True),
    ("-3", -3),
    ("can({ a = 1 }.b) || can([1][0])", True),
    ("length(concat([1], [2, 3]))", 3),
    ('element(["a", "b"], 3)', "b"),
    ('coalesce(null, "", "x")', "x"),
    ("null", None),
]


@pytest.mark.parametrize(
    ("expression", "value"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS]
)
def test_an_expression_has_the_value_that_terraform_gives_it(
    expression: str, value: object
) -> None:
    # Rules look at values; an expression left as text hides them.
    assert value_of(expression) == value


def test_what_is_not_known_keeps_its_text_and_its_references() -> None:
    # Nothing is dropped because it cannot be worked out.
    text = (
        'resource "aws_a" "a" {}\nresource "aws_x" "x" {\n  v = '
        '"${lower(aws_a.a.id)}/${var.who}"\n}\nvariable "who" {}'
    )
    found = reading(main_tf=text)
    resource = next(each for each in found.resources if each.type == "aws_x")
    assert resource.attributes["v"] == "${lower(aws_a.a.id)}/${var.who}"
    assert [link.address for link in resource.links] == ["aws_a.a"]
    assert [each.message for each in found.problems] == ["var.who has no default and no value"]


def test_references_survive_locals_variables_and_outputs_of_modules() -> None:
    # Real configurations pass everything through three layers.
    found = reading(
        main_tf='module "net" {\n  source = "./net"\n  vpc = aws_vpc.v.id\n}\n'
        "locals {\n  subnet = module.net.subnet_id\n}\n"
        'resource "aws_vpc" "v" {}\nresource "aws_instance" "i" {\n  subnet_id = local.subnet\n}',
        net__main_tf='variable "vpc" {}\nresource "aws_subnet" "s" {\n  vpc_id = var.vpc\n}\n'
        'output "subnet_id" {\n  value = aws_subnet.s.id\n}',
    )
    links = {
        each.address: [(link.path, link.address) for link in each.links] for each in found.resources
    }
    assert links["aws_instance.i"] == [("subnet_id", "module.net.aws_subnet.s")]
    assert links["module.net.aws_subnet.s"] == [("vpc_id", "aws_vpc.v")]
    assert found.problems == []


def test_count_for_each_and_dynamic_blocks_are_expanded() -> None:
    # One block may stand for many resources.
    found = reading(
        main_tf='variable "ports" {\n  default = [80, 443]\n}\nresource "aws_a" "n" {\n  count = length(var.ports)\n'
        "  port = var.ports[count.index]\n}\n"
        'resource "aws_b" "m" {\n  for_each = toset(["x", "y"])\n  name = each.key\n  a = '
        "aws_a.n[0].id\n"
        "  all = aws_a.n[*].id\n}\n"
        'resource "aws_c" "d" {\n  dynamic "rule" {\n    for_each = var.ports\n    iterator = it\n'
        "    content {\n      port = it.value\n    }\n  }\n}\n"
        'resource "aws_d" "none" {\n  count = 0\n}'
    )
    by_address = {each.address: each for each in found.resources}
    assert sorted(by_address) == [
        "aws_a.n[0]",
        "aws_a.n[1]",
        'aws_b.m["x"]',
        'aws_b.m["y"]',
        "aws_c.d",
    ]
    assert by_address["aws_a.n[1]"].attributes["port"] == 443
    assert by_address["aws_c.d"].attributes["rule"] == [{"port": 80}, {"port": 443}]
    assert {link.address for link in by_address['aws_b.m["x"]'].links} == {
        "aws_a.n[0]",
        "aws_a.n[1]",
    }


def test_values_files_that_terraform_takes_by_itself_win_over_defaults() -> None:
    # What runs is what counts; a file that must be named is somebody's choice.
    main = 'variable "n" {\n  default = "d"\n}\nresource "aws_x" "x" {\n  v = var.n\n}'
    taken = read([Source("main.tf", main.encode()), Source("a.auto.tfvars", b'n = "auto"')])
    named = read([Source("main.tf", main.encode()), Source("prod.tfvars", b'n = "prod"')])
    assert [r.resources[0].attributes["v"] for r in (taken, named)] == ["auto", "d"]


def test_what_is_referred_to_and_not_declared_is_listed() -> None:
    # A folder that was sent without its half must not look whole.
    text = (
        'resource "aws_x" "x" {\n  a = aws_y.gone.id\n  b = local.gone\n  c = module.gone.id\n  d '
        "= var.gone\n}"
    )
    messages = [each.message for each in reading(main_tf=text).problems]
    assert messages == [
        "local.gone is not declared",
        "module.gone is not declared",
        "var.gone is not declared",
        "aws_x.x: a refers to aws_y.gone, not declared",
    ]


def test_a_module_outside_of_the_tree_is_a_node_and_is_listed() -> None:
    # What it makes is not known; that it is there must be seen.
    found = reading(
        main_tf='module "vpc" {\n  source = "terraform-aws-modules/vpc/aws"\n}\n'
        'resource "aws_x" "x" {\n  v = module.vpc.vpc_id\n}'
    )
    assert [each.address for each in found.resources] == ["aws_x.x", "module.vpc"]
    assert [link.address for link in found.resources[0].links] == ["module.vpc"]
    assert "is not in the tree" in found.problems[0].message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('resource "aws_vpc" "v" {\n  cidr_block = "10.0.0.0/16"\n', 1),
        (
            '\nresource "aws_vpc" "v" {\n  tags = {\n    a = 1\n  }\n\nresource "aws_vpc" "w" '
            "{\n}\n",
            2,
        ),
        ('resource "aws_security_group" "g" {\n  ingress {\n    from_port = 1\n', 2),
        ("resource {", 1),
    ],
)
def test_a_block_that_is_not_closed_is_named_by_the_line_that_opens_it(
    text: str, line: int
) -> None:
    # The end of the file is where it shows, not where it is fixed.
    with pytest.raises(HclError, match=f"^the block opened on line {line} is not closed$") as error:
        parse(text)
    assert error.value.line == line


@pytest.mark.parametrize("text", ["a = [1,\n", "a =\n  (1 +\n", "a = {\n  b = 1\n", "a"])
def test_what_ends_too_early_is_on_a_line_that_exists(text: str) -> None:
    # An editor that is sent beyond the last line shows nothing.
    with pytest.raises(HclError) as error:
        parse(text)
    assert 1 <= error.value.line <= len(text.splitlines())


def test_a_file_that_does_not_parse_is_a_warning_with_its_line_and_the_rest_is_read() -> None:
    # One broken file must not hide the others.
    found = reading(good_tf='resource "aws_x" "x" {}', bad_tf='resource "aws_y" "y" {\n  a = \n}')
    assert [each.address for each in found.resources] == ["aws_x.x"]
    assert [(p.file, p.line, p.kind) for p in found.problems] == [("bad.tf", 2, "parse")]


@pytest.mark.parametrize(
    "text",
    [
        "resource {",
        'a "b',
        "a = <<X\nno end",
        "a = [1",
        "a = 1 2",
        "}",
        "a = \x01",
        "x" * 50 + " =",
    ],
)
def test_what_is_no_terraform_is_an_error_with_a_line(text: str) -> None:
    # Never a traceback of ours.
    with pytest.raises(HclError) as error:
        parse(text)
    assert error.value.line >= 1


def test_when_nothing_parses_the_reason_is_the_error() -> None:
    # It becomes the run's lastError.
    with pytest.raises(NothingParsed, match=r"bad\.tf:1: "):
        reading(bad_tf="resource {")


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "(" * 5000,
        "a = " + "[" * 5000,
        'a = "' + '${"' * 5000,
        "a {" * 5000,
        "a = " + "-" * 5000 + "1",
    ],
)
def test_deep_nesting_is_refused_and_not_a_crash(text: str) -> None:
    # A parser that recurses must say when it has enough.
    with pytest.raises(HclError):
        parse(text)


def test_counts_and_ranges_made_to_hold_us_up_are_stopped() -> None:
    # A hundred bytes of source must not cost a gigabyte.
    with pytest.raises(AnalysisFailed, match="instances"):
        reading(main_tf='resource "aws_x" "x" {\n  count = 1000000000\n}')
    doubling = "".join(f'  l{i} = "${{local.l{i - 1}}}${{local.l{i - 1}}}"\n' for i in range(1, 40))
    found = reading(
        main_tf=f'locals {{\n  l0 = "xxxxxxxx"\n{doubling}}}\nresource "aws_x" "x" {{\n  v = local.l39\n}}'
    )
    assert len(found.resources[0].attributes["v"]) <= 1_000_000
    wide = (
        'locals {\n  l = range(100000)\n}\nresource "aws_x" "x" {\n  count = 40000\n  v = '
        "local.l\n}"
    )
    with pytest.raises(AnalysisFailed, match="values"):
        reading(main_tf=wide)
    assert value_of("range(1000000000)") == "${range(1000000000)}"


@pytest.mark.parametrize(
    "word", ["var", "local", "data", "module", "aws_vpc", "data.aws_vpc", "path", "each", "count"]
)
def test_half_a_reference_is_a_text_and_not_a_crash(word: str) -> None:
    # People analyse what they are still writing.
    text = (
        'resource "aws_x" "x" '
        f'{{\n  a = {word}\n  b = [{word}]\n  c = "${{{word}}}-${{lower({word})}}"\n}}'
    )
    analysis = analyze_upload("main.tf", text.encode())
    assert analysis.graph.nodes[0].attributes["b"][0].startswith("${")


@pytest.mark.parametrize(
    "expression",
    [
        'coalesce(null, "")',
        "coalescelist([], [])",
        "element([], 0)",
        "[for x in [1] : coalesce(null)]",
        'zipmap([var.absent, "a"], [1, 2])',
        "tomap([[var.absent, 1]])",
        '[1]["--1"]',
        '[1]["²"]',
        '[1][jsondecode("1e999")]',
        '"x${parseint(join("", [for n in range(9000) : "f"]), 16)}"',
        'tonumber("inf") + 1',
        f'"x${{{" * ".join(["9" * 300] * 9)}}}"',
        f"{'9' * 300}.0 * {'9' * 300}.0",
    ],
)
def test_a_function_on_what_it_does_not_take_is_unresolved_and_not_a_crash(expression: str) -> None:
    # One expression that Terraform itself would refuse must not cost the analysis of all the rest.
    text = f'resource "aws_x" "x" {{\n  v = {expression}\n}}\nresource "aws_vpc" "v" {{}}'
    found = reading(main_tf=text).resources
    assert {each.type for each in found if each.mode != "declaration"} == {"aws_x", "aws_vpc"}
    json.dumps([each.attributes for each in found], allow_nan=False)


@pytest.mark.parametrize(
    "members",
    [
        'statement = "all"\n  statement {\n    actions = ["*"]\n  }',
        "statement = [1, null]",
        "statement {\n    principals = [3]\n    condition = 7\n  }",
        "statement {\n    sid = can()\n  }",
    ],
)
def test_a_policy_of_another_shape_is_no_crash(members: str) -> None:
    text = (
        f'data "aws_iam_policy_document" "d" {{\n  {members}\n}}\nresource "aws_x" "x" {{\n  v = '
    )
    found = reading(main_tf=text + "data.aws_iam_policy_document.d.json\n}").resources
    assert '"Statement"' in str(
        next(each for each in found if each.type == "aws_x").attributes["v"]
    )


def test_a_block_beside_an_argument_of_its_name_does_not_change_what_the_argument_refers_to() -> (
    None
):
    # Terraform refuses it; to add the block to the list of somebody else would be worse.
    text = "locals {\n  rules = [1]\n}\n" + "".join(
        f'resource "aws_x" "{name}" {{\n  rule = local.rules\n  rule {{\n    to = 2\n  }}\n}}\n'
        for name in "ab"
    )
    found = [
        each.attributes["rule"] for each in reading(main_tf=text).resources if each.type == "aws_x"
    ]
    assert found == [[1, {"to": 2}], [1, {"to": 2}]]


@pytest.mark.parametrize("dynamic", [{"x": [1]}, {"x": "all"}, {"x": {"content": 3}}])
def test_tf_json_of_another_shape_is_an_error_and_not_a_crash(dynamic: object) -> None:
    document = {"resource": {"aws_x": {"x": {"dynamic": dynamic}}}}
    with pytest.raises(NothingParsed, match="dynamic x should hold an object"):
        analyze_upload("main.tf.json", json.dumps(document).encode())


def test_half_of_a_pair_of_surrogates_in_an_address_is_no_crash() -> None:
    # JSON can say it, UTF-8 cannot.
    bucket = {"acl": "public-read"}
    document = {"resource": {"aws_s3_bucket": {"\ud800": bucket}}}
    assert analyze_upload("main.tf.json", json.dumps(document).encode()).report.findings


@pytest.mark.parametrize("number", ["9" * 5000, "1e999"])
def test_a_number_that_is_too_large_is_an_error_with_its_line(number: str) -> None:
    # Python takes no whole number of so many digits, and JSON has no infinity.
    with pytest.raises(NothingParsed, match=r"main\.tf:2: the number .* is too large"):
        analyze_upload("main.tf", f"locals {{\n  n = {number}\n}}".encode())


def test_circles_end() -> None:
    # Terraform refuses them; we say what we can.
    found = reading(
        main_tf='locals {\n  a = local.b\n  b = local.a\n}\nresource "aws_x" "x" {\n  v = local.a\n  w = aws_x.x.v\n}'
    )
    assert found.resources[0].attributes["v"].startswith("${local.")
    again = reading(main_tf='module "m" {\n  source = "./"\n}\nresource "aws_x" "x" {}')
    assert any("goes deeper" in each.message for each in again.problems)


def test_tf_json_is_read_as_the_same_resources() -> None:
    # The same language in another coat.
    document = {
        "variable": {"n": {"default": "a"}},
        "resource": {
            "aws_s3_bucket": {"b": {"bucket": "${var.n}-x", "depends_on": ["aws_vpc.v"]}},
            "aws_vpc": {"v": {}},
        },
    }
    bucket = read([Source("main.tf.json", json.dumps(document).encode())]).resources[0]
    assert bucket.attributes == {"bucket": "a-x"}
    assert [link.address for link in bucket.links] == ["aws_vpc.v"]


def test_a_plan_gives_values_and_its_configuration_gives_the_links() -> None:
    # In a plan an id is not known yet; only the configuration says who refers to whom.
    plan = {
        "format_version": "1.2",
        "planned_values": {
            "root_module": {
                "resources": [
                    {
                        "address": "aws_vpc.v",
                        "mode": "managed",
                        "type": "aws_vpc",
                        "name": "v",
                        "values": {},
                    },
                ],
                "child_modules": [
                    {
                        "address": "module.n",
                        "resources": [
                            {
                                "address": f"module.n.aws_subnet.s[{i}]",
                                "mode": "managed",
                                "type": "aws_subnet",
                                "name": "s",
                                "index": i,
                                "values": {"cidr_block": f"10.0.{i}.0/24"},
                            }
                            for i in range(2)
                        ],
                    }
                ],
            }
        },
        "configuration": {
            "root_module": {
                "resources": [{"address": "aws_vpc.v", "expressions": {}}],
                "module_calls": {
                    "n": {
                        "expressions": {"vpc": {"references": ["aws_vpc.v.id", "aws_vpc.v"]}},
                        "module": {
                            "resources": [
                                {
                                    "address": "aws_subnet.s",
                                    "expressions": {"vpc_id": {"references": ["var.vpc"]}},
                                }
                            ]
                        },
                    }
                },
            }
        },
    }
    found = read([Source("plan.json", json.dumps(plan).encode())])
    links = [
        [(link.path, link.address, link.attribute) for link in each.links]
        for each in found.resources[1:]
    ]
    assert links == [[("vpc_id", "aws_vpc.v", "id")]] * 2


def test_a_state_is_linked_by_identifiers() -> None:
    # A state has no expressions: ids and ARNs are all there is.
    state = {
        "version": 4,
        "terraform_version": "1.9.0",
        "resources": [
            {"mode": "managed", "type": kind, "name": "x", "instances": [{"attributes": values}]}
            for kind, values in [
                ("aws_vpc", {"id": "vpc-0123456789"}),
                ("aws_subnet", {"id": "subnet-0123456789", "vpc_id": "vpc-0123456789"}),
            ]
        ],
    }
    found = read([Source("terraform.tfstate", json.dumps(state).encode())])
    assert [link.address for each in found.resources for link in each.links] == ["aws_vpc.x"]


@pytest.mark.parametrize("text", [*(fires for fires, _ in CASES.values()), *SHAPES.values()])
def test_our_parser_finds_the_blocks_that_python_hcl2_finds(text: str) -> None:
    # Two readers of one language, written by different people, must agree.
    theirs = [
        (
            kind,
            *[
                label.strip('"')
                for label in _labels(entry, {"resource": 2, "data": 2, "locals": 0}.get(kind, 1))
            ],
        )
        for kind, entries in hcl2.loads(text + "\n").items()
        for entry in entries
    ]
    ours = [(block.type, *block.labels) for block in parse(text).blocks]
    assert sorted(ours) == sorted(theirs)


def _labels(entry: dict, depth: int) -> list[str]:
    if depth == 0:
        return []
    name = next(iter(entry))
    return [name, *_labels(entry[name], depth - 1)]


def test_files_of_the_tree_are_read_and_others_stay_unresolved() -> None:
    # Policies often lie beside the Terraform; what lies outside of it is nobody's business.
    text = (
        'resource "aws_a" "a" {\n  inside = file("${path.module}/policy.json")\n  outside = '
        'file("../../etc/passwd")\n'
        '  filled = templatefile("t.tpl", { name = aws_b.b.id, n = 3 })\n  missing = '
        'templatefile("no.tpl", {})\n}\n'
        'resource "aws_b" "b" {}\n'
    )
    sources = [
        Source("m/main.tf", text.encode()),
        Source("m/policy.json", b'{"a": 1}', is_beside=True),
        Source("m/t.tpl", b"${name} has ${n}, not $${n}", is_beside=True),
    ]
    found = next(each for each in read(sources).resources if each.address == "aws_a.a")
    assert found.attributes["inside"] == '{"a": 1}'
    assert found.attributes["outside"] == '${file("../../etc/passwd")}'
    assert found.attributes["filled"] == "${aws_b.b.id} has 3, not ${n}"
    assert found.attributes["missing"] == '${templatefile("no.tpl", {})}'
    assert [link.address for link in found.links] == ["aws_b.b"]


def test_optional_attributes_have_the_defaults_of_their_type() -> None:
    # What a caller leaves out is what the module says, not unknown.
    found = reading(
        main_tf='variable "v" {\n  type = map(object({ a = optional(bool, false), b = optional(string), c = any }))\n'
        "  default = { x = { c = 1 }, y = { a = true, c = 2 } }\n}\n"
        'resource "aws_a" "a" {\n  for_each = var.v\n  on = each.value.a\n  name = '
        "each.value.b\n}\n"
    )
    assert [each.attributes for each in found.resources] == [{"on": False}, {"on": True}]


def test_regular_expressions_that_could_take_for_ever_are_left_alone() -> None:
    # A file must not be able to stop the analysis.
    evil = (
        'resource "aws_a" "a" {\n  x = regex("(a+)+$", "'
        + "a" * 100
        + '!")\n  y = regex("a*a*a*a*a*b", "aaaa")\n'
    )
    evil += '  z = can(regex("^b", "abc")) ? 1 : regex("b(.)", "abc")[0]\n}\n'
    (found,) = reading(main_tf=evil).resources
    assert found.attributes["x"].startswith("${regex(")
    assert found.attributes["y"].startswith("${regex(")
    assert found.attributes["z"] == "c"
