"""`sortkey put` as a program: what an entity accepts is stored, and nothing of what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sortkey as library
from tests.cli.program import SHOP, refused, said, sortkey

ORDER = {"customer_id": "ada", "day": "2026-11-01", "number": 7, "total": 42}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "data").mkdir()
    return tmp_path


def stored(shop: Path) -> list[dict[str, object]]:
    with library.open(shop / "data") as store:
        return store.backend.call("Scan", {"TableName": "Shop"})["Items"]


def put(shop: Path, given: object, *options: str, kind: str = "Order"):
    text = given if isinstance(given, str) else json.dumps(given)
    return sortkey("put", f"shop:model:{kind}", *options, cwd=shop, given=text)


def test_an_item_gets_the_keys_of_its_entity(shop: Path) -> None:
    # Typed by hand they would be wrong one day.
    assert (
        said(put(shop, ORDER, "--ensure"))
        == "stored Order(customerId='ada', day='2026-11-01', number=7)\n"
    )
    (item,) = stored(shop)
    assert (item["PK"], item["SK"]) == ({"S": "CUSTOMER#ada"}, {"S": "ORDER#2026-11-01#007"})
    assert (item["EntityType"], item["state"], item["total"]) == (
        {"S": "Order"},
        {"S": "open"},
        {"N": "42"},
    )


def test_what_the_export_wrote_can_be_put_back(shop: Path) -> None:
    # A stored item, as DynamoDB JSON or plain.
    said(put(shop, ORDER, "--ensure"))
    (item,) = stored(shop)
    item["total"] = {"N": "43"}
    said(put(shop, item))
    assert stored(shop) == [item]
    plain = {
        "PK": "CUSTOMER#ada",
        "SK": "ORDER#2026-11-01#007",
        "EntityType": "Order",
        **ORDER,
        "total": 44,
    }
    plain = {name: value for name, value in plain.items() if name != "customer_id"} | {
        "state": "open"
    }
    said(put(shop, plain))
    assert stored(shop) == [item | {"total": {"N": "44"}}]


def test_a_file_of_lines_or_a_list_is_many_items(shop: Path) -> None:
    orders = [ORDER | {"number": number} for number in (1, 2, 3)]
    (shop / "orders.jsonl").write_text("\n".join(json.dumps(each) for each in orders))
    output = json.loads(
        said(sortkey("put", "shop:model:Order", "orders.jsonl", "--ensure", "--json", cwd=shop))
    )
    assert [each["number"] for each in output] == [1, 2, 3]
    said(put(shop, [ORDER | {"number": 4}]))
    assert len(stored(shop)) == 4


def test_a_line_of_json_ends_where_json_says(shop: Path) -> None:
    # U+2028 may stand in a text as it is: to Python it is the end of a line, to JSON it is none.
    lines = [
        json.dumps(ORDER | {"customer_id": f"a\u2028{n}\x85"}, ensure_ascii=False) for n in (1, 2)
    ]
    output = json.loads(said(put(shop, "\r\n".join(lines), "--dry-run", "--json")))
    assert [each["customer_id"] for each in output] == ["a\u20281\x85", "a\u20282\x85"]


def test_nothing_is_stored_when_one_item_is_wrong(shop: Path) -> None:
    # Half of a file would have to be looked for.
    said(put(shop, {"customer_id": "ada", "name": "Ada"}, "--ensure", kind="Customer"))
    wrong = ORDER | {"number": 1000, "colour": "red"}
    message = refused(put(shop, [ORDER, wrong]), 1)
    assert "item 2 is not a valid Order: " in message
    assert "number: " in message
    assert "colour: Extra inputs are not permitted" in message
    assert len(stored(shop)) == 1


def test_create_refuses_what_is_there(shop: Path) -> None:
    said(put(shop, ORDER, "--ensure", "--create"))
    assert "Order" in refused(put(shop, ORDER | {"total": 1}, "--create"), 1)
    assert stored(shop)[0]["total"] == {"N": "42"}


def test_a_dry_run_stores_nothing(shop: Path) -> None:
    # It needs no table, and no data at all.
    assert said(put(shop, ORDER, "--dry-run")).startswith("would store Order(")
    assert list((shop / "data").iterdir()) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "the input has no items"),
        ("{", "not valid JSON"),
        ("[]", "the input has no items"),
        ("[1]", "item 1 is not a JSON object: 1"),
        ('{"PK": {"S": "x"}}', "item 1 is not a valid Order"),
    ],
)
def test_what_is_not_an_item_is_reported_in_a_line(shop: Path, given: str, message: str) -> None:
    assert message in refused(put(shop, given, "--dry-run"), 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["Order"], "'Order' is not an entity: write model:Entity"),
        (["shop:model:Person"], "shop:model has no entity 'Person': choose from Customer, Order"),
        (["shop:model:Order", "none.json"], "cannot read none.json: No such file or directory"),
    ],
)
def test_a_wrong_line_is_reported_in_one(shop: Path, line: list[str], message: str) -> None:
    assert message in refused(sortkey("put", *line, cwd=shop), 2)
