"""Second Brain rules: which apply, in which order, and what their text or JSON makes the
stages do.
"""

import random
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.jobengine.model import Rule
from sortkey_systems.jobengine.rules.directives import Directive, RuleNotUnderstood, directives_of
from sortkey_systems.jobengine.rules.rule_book import rule_book, rules_of_stage
from sortkey_systems.jobengine.stages.stripped_schema.schema_stripping import StrippedSchema
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from tests.systems.jobengine.examples import RULE, stored
from tests.systems.jobengine.stage_runs import rule, run_until, shop


@pytest.mark.accepts("JE-31")
def test_JE_31_rules_are_asked_by_rank_and_then_by_index() -> None:
    # The keys order by index, and the index orders low before medium: neither is the order of
    # priority.
    given = [
        rule(n, "x", priority=p)
        for n, p in enumerate(["low", "medium", "high", "critical", "high", "low"], 1)
    ]
    random.Random(7).shuffle(given)
    ranked = [(each.priority, each.rule_index) for each in rules_of_stage(given, "tmf_mapping")]
    assert ranked == [
        ("critical", 4),
        ("high", 3),
        ("high", 5),
        ("medium", 2),
        ("low", 1),
        ("low", 6),
    ]


@pytest.mark.accepts("JE-32", "JE-30")
def test_JE_32_a_stage_has_its_own_rules_those_that_name_it_and_those_of_the_whole_journey() -> (
    None
):
    # A rule under raw_analysis may list tmf_mapping; by its key alone it would be missed there.
    given = [
        rule(1, "own"),
        rule(
            2,
            "named",
            stage_id="raw_analysis",
            metadata={"createdBy": "x", "applicableStages": ["tmf_mapping"]},
        ),
        rule(3, "global", stage_id="raw_analysis", scope="global"),
        rule(4, "project", stage_id="raw_analysis", scope="project"),
        rule(5, "other", stage_id="raw_analysis"),
    ]
    assert [each.content for each in rules_of_stage(given, "tmf_mapping")] == [
        "own",
        "named",
        "global",
        "project",
    ]


@pytest.mark.accepts("JE-29")
@pytest.mark.parametrize("status", ["inactive", "deprecated"])
def test_JE_29_only_active_rules_are_applied(status: str) -> None:
    # Turning a rule off must turn it off.
    given = [rule(1, {"thresholds": {"coverage": 0.5}}, status=status)]
    assert rule_book(given, "tmf_mapping").threshold("coverage") == 0.8


@pytest.mark.parametrize(
    ("name", "value"), [("coverage", 0.8), ("validation", 0.95), ("compliance", 0.9)]
)
def test_thresholds_have_defaults_that_rules_change(name: str, value: float) -> None:
    # What is enough is a decision of the project, with a sensible start.
    assert rule_book([], "tmf_mapping").threshold(name) == value
    assert rule_book([rule(1, {"thresholds": {name: 0.42}})], "tmf_mapping").threshold(name) == 0.42


@pytest.mark.accepts("JE-33")
@pytest.mark.parametrize(
    "content",
    [
        "Map 'sku' field to TMF 'productNumber' with format validation",
        {"naturalLanguage": "Map 'sku' to 'productNumber'."},
        {
            "naturalLanguage": "anything",
            "jsonRule": {"action": "map", "source": "sku", "target": "productNumber"},
        },
        {"naturalLanguage": "anything", "jsonRule": '{"fieldMappings": {"sku": "productNumber"}}'},
        {"fieldMappings": {"sku": "productNumber"}},
    ],
)
def test_JE_33_a_rule_is_text_or_an_object_and_says_the_same(content: Any) -> None:
    # The document has strings, the code it comes from has objects.
    assert directives_of(content) == [Directive("map", "sku", "productNumber")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keep the 'orders.legacy_*' columns", Directive("preserve", "orders.legacy_*")),
        ("Remove 'audit_log' before mapping", Directive("remove", "audit_log")),
        ("Coverage must be at least 75%", Directive("threshold", target="coverage", value=0.75)),
        ("compliance of 0.9 or more", Directive("threshold", target="compliance", value=0.9)),
    ],
)
def test_plain_sentences_are_executed(text: str, expected: Directive) -> None:
    # Those who know the data do not write JSON.
    assert directives_of(text) == [expected]


@pytest.mark.parametrize(
    "content",
    [{"action": "explode"}, {"action": "map", "source": "a"}, {"patterns": {"Customer.id": "("}}],
)
def test_json_that_is_not_understood_is_said_and_not_ignored(content: Any) -> None:
    # A rule that silently does nothing is worse than none.
    with pytest.raises(RuleNotUnderstood):
        directives_of(content)
    outcome = rule_book([rule(1, content)], "tmf_mapping").outcome()
    assert [each.effect for each in outcome] == ["not executable"]


def test_the_first_rule_decides_and_the_others_are_recorded_as_overridden() -> None:
    # Two rules about one column: which one won must be seen, not guessed.
    given = [
        rule(1, {"fieldMappings": {"products.sku": "name"}}, priority="low"),
        rule(2, {"fieldMappings": {"sku": "productNumber"}}, priority="critical"),
    ]
    book = rule_book(given, "tmf_mapping")
    decision = book.mapped("products", "sku")
    assert decision is not None
    assert decision.directive.target == "productNumber"
    effects = {each.rule_id[-1]: each.effect for each in book.outcome()}
    assert effects == {"2": "applied", "1": "overridden"}


def test_the_document_s_own_rule_maps_the_sku(tmp_path: Path) -> None:
    # It names productCode, which is TMF's productNumber; and it lies under raw_analysis, but names
    # tmf_mapping.
    work = shop(tmp_path, rules=[Rule.from_item(stored(RULE))])
    run_until(work, "tmf_mapping")
    products = work.result("attribute_mapping", AttributeMappings).of("products")
    assert products is not None
    (sku,) = [each for each in products.fields if each.column == "sku"]
    assert (sku.path, sku.confidence, sku.rule) == (
        "productNumber",
        1.0,
        "rule-raw_analysis-field_mapping-a1b2c3d4",
    )


def test_rules_remove_preserve_and_place_tables(tmp_path: Path) -> None:
    # What is built in is only a proposal: a project that wants its audit log migrated gets it.
    rules = [
        rule(
            1,
            "Preserve 'audit_log'. Remove 'reviews'.",
            stage_id="stripped_schema",
            type="business_logic",
        ),
        rule(2, {"action": "map", "source": "suppliers", "target": "Customer"}, priority="high"),
    ]
    work = shop(tmp_path, rules=rules)
    run_until(work, "tmf_mapping")
    removed = {
        each.table
        for each in work.result("schema_stripping", StrippedSchema).removed
        if each.column is None
    }
    assert removed == {"reviews", "tmp_import_products"}
    match = work.result("tmf_api_matching", ApiMatches).of("suppliers")
    assert match is not None
    assert (match.resource, match.confidence) == ("Customer", 1.0)


def test_the_same_rules_give_the_same_result_whatever_their_order(tmp_path: Path) -> None:
    # Deterministic: rules come from queries whose order nobody promised.
    rules = [
        rule(n, {"fieldMappings": {"status": target}}, priority=priority)
        for n, (target, priority) in enumerate(
            [("version", "low"), ("description", "high"), ("name", "high")], 1
        )
    ]
    found = []
    for order in (rules, rules[::-1]):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        work = shop(folder, rules=order)
        run_until(work, "tmf_mapping")
        found.append(work.results["attribute_mapping"])
    assert found[0] == found[1]
