"""Sources that were made to hold us up: a few lines that would need gigabytes or hours end with a
clear reason.

Without the limits each of these takes minutes or all of the memory; the limits count values, so no
clock is needed.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bench.applens import terraform
from sortkey_systems.applens.analysis import analyze_upload
from sortkey_systems.applens.parsing.budget import Budget
from sortkey_systems.applens.parsing.hcl import parse
from sortkey_systems.applens.parsing.source_reader import read
from sortkey_systems.applens.parsing.syntax import HclError
from sortkey_systems.applens.problems import AnalysisFailed, NothingParsed
from sortkey_systems.applens.sources import Source

MEGABYTES_MAX = 100


def chain(first: str, following: str, length: int) -> str:
    """Locals `a0`, `a1` and so on, each made of the one before it, `{a}`."""
    lines = [
        f"  a{number} = {following.format(a=f'local.a{number - 1}')}"
        for number in range(1, length + 1)
    ]
    return "\n".join(["locals {", f"  a0 = {first}", *lines, "}", ""])


def using(expression: str) -> str:
    return f'resource "aws_x" "x" {{\n  v = {expression}\n}}\n'


TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
LONG = f'"{"x" * 1000}"'
GROWING = {
    "nested for": chain(TEN, "[for x in {a} : [for y in {a} : y]]", 12) + using("local.a12"),
    "flattened for": chain(TEN, f"flatten([for x in {{a}} : [for y in {TEN} : y]])", 12)
    + using("local.a12"),
    "shared lists in JSON": chain('"x"', "[{a}, {a}]", 40) + using("jsonencode(local.a40)"),
    "shared lists as they are": chain('"x"', "[{a}, {a}]", 40) + using("local.a40"),
    "shared objects": chain('"x"', "{{ l = {a}, r = {a} }}", 40) + using("local.a40"),
    "shared empty lists": chain("[]", "[{a}, {a}]", 40) + using("flatten(local.a40)"),
    "shared lists compared": chain('"x"', "[{a}, {a}]", 40) + using("local.a40 == local.a39"),
    "shared lists made distinct": chain('"x"', "[{a}, {a}]", 40)
    + using("length(distinct([local.a40, local.a39]))"),
    "shared lists in a set": chain('"x"', "[{a}, {a}]", 40) + using("length(toset([local.a40]))"),
    "shared lists joined": chain('"x"', "[{a}, {a}]", 40) + using('join("", local.a40)'),
    "shared lists in a text": chain('"x"', "[{a}, {a}]", 40) + using('"${local.a40}"'),
    "shared lists of a type": chain('"x"', "[{a}, {a}]", 30)
    + f'module "m" {{\n  source = "./m"\n  v = local.a30\n}}\n{using("module.m.v")}',
    "doubled lists": chain(TEN, "concat({a}, {a})", 40) + using("local.a40"),
    "many long texts": chain(LONG, "[{a}, {a}, {a}, {a}]", 10) + using("jsonencode(local.a10)"),
    "product": chain(TEN, "setproduct({a}, {a})", 5) + using("local.a5"),
    "dynamic blocks": 'resource "aws_x" "x" {\n  dynamic "b" {\n    for_each = range(900000)\n    content {\n'
    '      dynamic "c" {\n        for_each = range(900000)\n        content {\n          v = 1\n   '
    "     }\n      }\n"
    "    }\n  }\n}\n",
    "many users of a long list": "locals {\n  l = range(100000)\n}\n"
    'resource "aws_x" "x" {\n  count = 40000\n  v = local.l\n}\n',
}
MODULE = (
    f'variable "v" {{\n  type = {"list(" * 30}any{")" * 30}\n}}\noutput "v" '
    f"{{\n  value = var.v\n}}\n"
)


@contextmanager
def little_memory() -> Iterator[None]:
    """What is inside needs less than MEGABYTES_MAX."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTES_MAX * 1_000_000, f"{peak:,} bytes"


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
def test_expressions_that_grow_without_end_are_stopped_with_a_reason(text: str) -> None:
    # Twelve lines took two minutes and a gigabyte, inside of the server.
    with pytest.raises(
        AnalysisFailed, match=r"^evaluating \S+ needs more than [\d,]+ values"
    ) as error:
        read(
            [Source("main.tf", text.encode()), Source("m/main.tf", MODULE.encode())],
            Budget(values=100_000),
        )
    assert "analyse a part of the tree" in str(error.value)


def test_the_reason_names_what_grew() -> None:
    # Somebody has to find it among a thousand lines.
    text = chain(TEN, f"flatten([for x in {{a}} : [for y in {TEN} : y]])", 12) + using("local.a12")
    with pytest.raises(
        AnalysisFailed, match=r"^evaluating local\.a3 needs more than 10,000 values"
    ):
        read([Source("main.tf", text.encode())], Budget(values=10_000))
    with pytest.raises(
        AnalysisFailed, match=r"^evaluating aws_x\.x needs more than 2,000,000 values"
    ):
        analyze_upload("main.tf", GROWING["shared lists as they are"].encode())


@pytest.mark.parametrize(
    "expression",
    [
        'replace(local.a, "x", local.a)',
        "join(local.a, range(20000))",
        'format("%999s%999s%999s", 1, 2, 3)',
        'indent(100, join("\\n", range(20000)))',
        "formatlist(local.a, range(20000))",
        'jsondecode(join("", ["[", join(",", [for n in range(40000) : "[1, 2, 3, 4, 5, 6, 7, 8, '
        '9]"]), "]"]))',
        '"' + "${local.a}" * 30 + '"',
        "strrev(join(local.a, range(3000)))",
    ],
)
def test_a_text_that_one_function_makes_huge_is_left_unresolved(expression: str) -> None:
    # A function must not make the gigabyte that its result is then refused for.
    text = f'locals {{\n  a = "{"x" * 900_000}"\n}}\n{using(expression)}'
    with little_memory():
        found = read([Source("main.tf", text.encode())]).resources
    value = next(each for each in found if each.type == "aws_x").attributes["v"]
    assert len(value) <= 1_000_000


@pytest.mark.parametrize(
    "value",
    [
        '"' + "x" * 9_000_000 + '"',
        '"${local.a}' + "x" * 9_000_000 + '"',
        "<<E\n" + "x" * 9_000_000 + "\nE",
        "<<E\n${local.a}" + "$" * 9_000_000 + "\nE",
        '"' + "\\n" * 450_000 + '"',
        '"' + "$${" * 3_000_000 + '"',
    ],
    ids=["text", "template", "heredoc", "heredoc of marks", "escapes", "escaped marks"],
)
def test_a_long_text_costs_about_its_length(value: str) -> None:
    # A text of 9 MB took 2 GB: the pattern that read it kept a step of its way for each letter.
    with little_memory():
        parse(f"a = {value}\n")


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 400 + "]" * 400,
        "a = " + "(" * 400 + "1" + ")" * 400,
        "a = " + "{ a = " * 400 + "1" + " }" * 400,
        "a = " + "f(" * 400 + ")" * 400,
        "a = " + '"${' * 400 + "1" + '}"' * 400,
        "a = " + '"${(' * 60 + "1" + ')}"' * 60,
        "a = " + '"%{ if ' * 60 + "true" + ' }x%{ endif }"' * 60,
        "a = "
        + "".join(f"<<A{n}\n${{" for n in range(60))
        + "1"
        + "".join(f"}}\nA{n}\n" for n in range(59, -1, -1)),
        "a = " + "1 ? 2 : " * 400 + "3",
        "a = " + "!" * 400 + "true",
        "a = " + "1 + " * 4000 + "1",
        "a = b" + ".c" * 4000,
        "a = b" + "[0]" * 4000,
        "a = b[*]" + ".c[*]" * 4000,
        "a = " + "[for x in " * 400 + "y" + ": x]" * 400,
        "a {\n" * 400 + "}\n" * 400,
        "a " + '"b" ' * 400 + "{}",
    ],
    ids=lambda text: text[:12],
)
def test_what_is_nested_too_deep_is_an_error_of_the_file_with_its_line(text: str) -> None:
    # Each reader that recurses says itself when it has enough; Python's own limit is never reached.
    with pytest.raises(HclError, match=r"(nested more than|more than) \d+"):
        parse(text + "\n")


def test_nesting_within_the_limit_is_read_and_evaluated() -> None:
    # The limits leave room for whatever people write.
    for text in (
        "[" * 90 + "1" + "]" * 90,
        "(" * 90 + "1" + ")" * 90,
        "1" + " + 1" * 150,
        '"${' * 20 + "1" + '}"' * 20,
    ):
        assert (
            read([Source("main.tf", using(text).encode())]).resources[0].attributes["v"] is not None
        )


@pytest.mark.parametrize("name", ["main.tf.json", "plan.json", "a.tfstate", "a.tfvars.json"])
def test_json_that_is_nested_too_deep_is_an_error_of_the_file(name: str) -> None:
    # Python reads it; what walks through it later would not come back.
    head = (
        '{"terraform_version": "1", "format_version": "1", "planned_values": {"root_module": {}}, '
        '"resources": '
    )
    text = head + "[" * 400 + "]" * 400 + "}"
    with pytest.raises(NothingParsed, match=rf"{name}:1: .*nested more than \d+ deep"):
        read([Source(name, text.encode())])


def test_json_inside_of_a_text_that_is_nested_too_deep_is_a_text() -> None:
    # A policy is read as JSON by many rules; one that is none of any use must not end them.
    deep = "[" * 900 + "]" * 900
    policy = json.dumps(
        json.dumps({"Statement": [{"Effect": "Allow", "Condition": {"a": {"b": "DEEP"}}}]})
    )
    text = (
        'resource "aws_iam_policy" "x" '
        f'{{\n  policy = {policy}\n  secret = jsondecode("{deep}")\n}}\n'
    )
    analysis = analyze_upload("main.tf", text.replace('\\"DEEP\\"', deep).encode())
    assert [node.id for node in analysis.graph.nodes] == ["aws_iam_policy.x"]


def test_a_long_chain_of_references_is_refused_with_its_name() -> None:
    # Each name is evaluated when it is first asked for, inside of the one that asks.
    with pytest.raises(
        AnalysisFailed, match=r"^evaluating local\.a\d+: it refers to others more than \d+ deep"
    ):
        analyze_upload("main.tf", (chain('"x"', "{a}", 900) + using("local.a900")).encode())
    found = analyze_upload("main.tf", (chain('"x"', "{a}", 80) + using("local.a80")).encode())
    assert found.graph.nodes[0].attributes["v"] == "x"


def test_a_value_that_is_nested_too_deep_is_refused() -> None:
    # Evaluated from the inside out, so that no reference goes deep.
    text = chain('"x"', "[{a}]", 400) + "".join(
        f'resource "aws_x" "x{n}" {{\n  v = length(local.a{n})\n}}\n' for n in range(400)
    )
    with pytest.raises(
        AnalysisFailed, match=r"aws_y\.y has values that are nested more than \d+ deep"
    ):
        analyze_upload("main.tf", (text + 'resource "aws_y" "y" {\n  v = local.a400\n}\n').encode())


class Clock:
    """Processor time that passes by a second with each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_evaluation_that_takes_too_long_is_stopped() -> None:
    # Whatever the values cost: a machine may be slow, and some values are dear.
    budget = Budget(seconds=5, clock=Clock())
    with pytest.raises(AnalysisFailed, match=r"^evaluating aws_x\.x\S* needs more than 5 seconds"):
        read([Source("main.tf", using("[for x in range(90000) : x]").encode())], budget)


def test_five_thousand_resources_need_less_than_a_tenth_of_the_limit() -> None:
    # A limit that honest work reaches is a fault.
    budget = Budget()
    assert len(read([Source("main.tf", terraform(5000))], budget).resources) >= 5000
    assert budget.values_left > budget.values_max * 0.9
