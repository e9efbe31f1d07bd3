"""Defaults never stand in for a column that exists and was not understood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.registry import run_journey
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import Gaps
from sortkey_systems.jobengine.stages.verification_validation.final_report import FinalReport
from sortkey_systems.jobengine.stages.work import MemoryContext, Work
from tests.systems.jobengine.stage_runs import rule

ORDERS = """
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, order_no TEXT);
CREATE TABLE order_items (item_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id), qty INTEGER
  {column});
INSERT INTO orders VALUES (1, 'O-1'), (2, 'O-2');
"""


def migrated(
    folder: Path, column: str, values: list[Any], *rules: dict[str, Any]
) -> tuple[Work, FinalReport]:
    """Orders whose items have one column more, or none."""
    text = ORDERS.format(column=f", {column}" if column else "")
    for number, value in enumerate(values, 1):
        given = f", {value!r}" if column else ""
        text += f"INSERT INTO order_items VALUES ({number}, {number % 2 + 1}, 1{given});\n"
    (folder / "orders.sql").write_text(text)
    work = Work(open_source(folder / "orders.sql"), str(folder / "out.sqlite"))
    work.rules = [rule(number, each) for number, each in enumerate(rules, 1)]
    return work, run_journey(work, MemoryContext())


def actions(work: Work) -> list[str]:
    with Target(work.target) as target:
        return [document["action"] for _, document in target.documents("ProductOrderItem")]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("action_cd TEXT", ["DEL", "DEL", "ADD"]),
        ("actn TEXT", ["X1", "X2", "X3"]),
        ("oper TEXT", ["1", "2", "3"]),
        ("chg_type TEXT", ["A", "D", "D"]),
        ("what TEXT", ["DEL", "MOD", "DEL"]),
        ("line_code INTEGER", [1, 2, 1]),
    ],
)
def test_a_default_does_not_stand_in_for_a_column_that_was_not_understood(
    tmp_path: Path, column: str, values: list[Any]
) -> None:
    # 20,001 disconnects became orders: `action_cd` was not mapped, and every item got the action
    # "add".
    work, report = migrated(tmp_path, column, values)
    name = column.split()[0]
    assert actions(work) == []
    (line,) = [each for each in report.tables if each["table"] == "order_items"]
    assert (line["rows"], line["documents"], line["refused"]) == (3, 0, 3)
    assert f"action is required, and {name} was not mapped to it" in report.text
    (gap,) = work.result("gap_identification", Gaps).of("undecided")
    assert gap.subject == "ProductOrderItem.action"
    assert f"{name} of order_items may be it" in gap.text


@pytest.mark.parametrize(
    ("column", "values"),
    [("", [0, 0, 0]), ("colour TEXT", ["red", "blue", "red"]), ("weight REAL", [1.5, 2.5, 3.5])],
)
def test_a_default_fills_what_the_source_has_no_column_for(
    tmp_path: Path, column: str, values: list[Any]
) -> None:
    # An order of a shop that knows no other action.
    work, report = migrated(tmp_path, column, values)
    assert actions(work) == ["add", "add", "add"]
    gaps = work.result("gap_identification", Gaps)
    assert gaps.of("undecided") == []
    assert "ProductOrderItem.action" in {gap.subject for gap in gaps.of("defaulted")}
    assert report.tables


def test_a_rule_maps_the_column_with_what_its_values_mean(tmp_path: Path) -> None:
    # The way out that the report names; a value that the rule leaves out is still not guessed.
    mapping = {"fieldMappings": {"order_items.action_cd": "action"}}
    meaning = {
        "action": "values",
        "source": "order_items.action_cd",
        "value": {"DEL": "delete", "ADD": "add"},
    }
    work, report = migrated(tmp_path, "action_cd TEXT", ["DEL", "ADD", "ZZZ"], mapping, meaning)
    assert actions(work) == ["delete", "add"]
    assert "action is required and missing" in report.text


@pytest.mark.parametrize(
    "content",
    [
        {"defaults": {"ProductOrderItem.action": "noChange"}},
        {"action": "default", "target": "ProductOrderItem.action", "value": "noChange"},
    ],
)
def test_a_rule_sets_a_default_where_somebody_knows_better(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    # A person decides, and the report says who.
    work, report = migrated(tmp_path, "action_cd TEXT", ["DEL", "ADD", "DEL"], content)
    assert actions(work) == ["noChange"] * 3
    assert "Rule 1: applied to ProductOrderItem.action" in report.rules


def test_a_default_that_tmf_does_not_allow_is_not_set(tmp_path: Path) -> None:
    # Documents of a value that nobody can read would be worse than none.
    work, _ = migrated(
        tmp_path, "action_cd TEXT", ["DEL"], {"defaults": {"ProductOrderItem.action": "disconnect"}}
    )
    assert actions(work) == []
    (problem,) = work.result("attribute_mapping", AttributeMappings).problems
    assert problem.endswith("ProductOrderItem.action is one of add, modify, delete, noChange")


def test_an_attribute_that_is_not_required_stays_empty_instead(tmp_path: Path) -> None:
    # A price of a type that was not understood is not a price that is paid once.
    text = (
        "CREATE TABLE prices (id INTEGER PRIMARY KEY, amount REAL, chrg_typ_x TEXT, "
        "type_of_charge_cd TEXT);\n"
    )
    (tmp_path / "prices.sql").write_text(
        text + "INSERT INTO prices VALUES (1, 2.5, 'R', 'RC'), (2, 3.5, 'O', 'NRC');"
    )
    work = Work(open_source(tmp_path / "prices.sql"), str(tmp_path / "out.sqlite"))
    run_journey(work, MemoryContext())
    with Target(work.target) as target:
        found = [document for _, document in target.documents("ProductOfferingPrice")]
    assert [each["id"] for each in found] == ["1", "2"]
    assert not any("priceType" in each for each in found)
