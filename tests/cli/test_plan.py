"""`sortkey plan`, `apply` and `backfill` as programs: a shop that grows an index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sortkey as library
from sortkey.runtime.evolution.state import Run
from tests.cli.program import SHOP, refused, said, sortkey

GROWN = SHOP.replace(
    'GSI("ByState", "state", "day", projection="KEYS_ONLY")',
    'GSI("ByState", "state", "day", projection="KEYS_ONLY"), GSI("ByDay", "GSI1PK", "GSI1SK")',
).replace(
    '    @index("ByState", "{state}", "{day}")',
    '    @index("ByDay", "DAY#{day}", "{number:03d}")\n    def of_day(*, day: str): ...\n\n'
    '    @index("ByState", "{state}", "{day}")',
)
ORDERS = [
    {"customer_id": "ada", "day": "2026-11-01", "number": number, "state": "open", "total": 1}
    for number in range(1, 8)
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The first shop, deployed with seven orders; shop.py is the grown one."""
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "data").mkdir()
    said(sortkey("apply", "shop:model", cwd=tmp_path))
    said(sortkey("put", "shop:model:Order", cwd=tmp_path, given=json.dumps(ORDERS)))
    (tmp_path / "shop.py").write_text(GROWN)
    return tmp_path


def test_a_plan_is_printed_and_nothing_is_changed(shop: Path) -> None:
    # Twice the same: whoever reads a plan has changed nothing.
    for _ in range(2):
        assert said(sortkey("plan", "shop:model", cwd=shop)).splitlines() == [
            "shop: 1 to apply, 1 to backfill, 0 by hand",
            "  1. Shop: add the index ByDay (GSI1PK, GSI1SK; ALL)",
            "  backfill Order: stored items lack GSI1PK, GSI1SK",
        ]


def test_a_plan_can_be_checked_by_a_pipeline(shop: Path) -> None:
    assert sortkey("plan", "shop:model", "--check", cwd=shop).returncode == 1
    said(sortkey("apply", "shop:model", cwd=shop))
    said(sortkey("backfill", "shop:model", cwd=shop))
    assert "nothing to do" in said(sortkey("plan", "shop:model", "--check", cwd=shop))


def test_applied_and_backfilled_the_new_index_finds_what_was_stored_before(shop: Path) -> None:
    # The whole way, as the how-to has it.
    applied = said(sortkey("apply", "shop:model", cwd=shop)).splitlines()
    assert applied[0] == "Shop: add the index ByDay (GSI1PK, GSI1SK; ALL)"
    assert applied[-1] == "  backfill Order: stored items lack GSI1PK, GSI1SK"
    would = said(sortkey("backfill", "shop:model", "Order", "Order", "--dry-run", cwd=shop))
    assert would == "Order (dry run): 7 read, 7 written; 1 of 1 segments done\n"
    assert (
        said(sortkey("backfill", "shop:model", cwd=shop))
        == "Order: 7 read, 7 written; 1 of 1 segments done\n"
    )
    found = json.loads(
        said(sortkey("query", "shop:model:Order.of_day", "day=2026-11-01", "--json", cwd=shop))
    )
    assert len(found["items"] if isinstance(found, dict) else found) == 7
    again = said(sortkey("backfill", "shop:model", cwd=shop))
    assert again == "nothing to backfill: stored items match the model\n"


NOTE = """
class Note(Entity, table=table, kind="Note", names=camel):
    note_id: str

    @key("NOTE#{noteId}", "NOTE")
    def key(*, note_id: str): ...
"""


def test_the_entities_that_are_named_are_done_and_no_others(shop: Path) -> None:
    # Who names two of three has a reason: the third may wait for its program.
    (shop / "shop.py").write_text(GROWN + NOTE)
    said(sortkey("apply", "shop:model", cwd=shop))
    lines = said(sortkey("backfill", "shop:model", "Order", "Note", cwd=shop)).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Order", "Note"]
    plan = json.loads(said(sortkey("plan", "shop:model", "--json", cwd=shop)))
    assert "Order" not in [each["entity"] for each in plan["backfills"]]


def test_all_entities_of_a_table_are_one_reading(shop: Path) -> None:
    # Reading is what is paid for.
    said(sortkey("apply", "shop:model", cwd=shop))
    lines = said(sortkey("backfill", "shop:model", "Order", "Customer", cwd=shop)).splitlines()
    assert lines == ["Customer, Order: 7 read, 7 written; 1 of 1 segments done"]


def test_after_a_restore_the_plan_does_not_trust_what_a_later_backfill_noted(shop: Path) -> None:
    # Rewound to before the backfill, items lack the new keys again: the index would find none of
    # them.
    said(sortkey("apply", "shop:model", cwd=shop))
    said(sortkey("backup", "Shop", "--name", "before", cwd=shop))
    said(sortkey("backfill", "shop:model", cwd=shop))
    assert "nothing to do" in said(sortkey("plan", "shop:model", cwd=shop))
    said(sortkey("restore", "Shop", "--backup", "before", "--in-place", cwd=shop))
    assert "backfill Order: " in said(sortkey("plan", "shop:model", cwd=shop))
    assert "7 read, 7 written" in said(sortkey("backfill", "shop:model", "Order", cwd=shop))


def test_after_a_restore_a_backfill_that_was_cut_off_begins_anew(shop: Path) -> None:
    # What it had done is undone: to go on in the middle would leave that half without its keys.
    said(sortkey("apply", "shop:model", cwd=shop))
    said(sortkey("backup", "Shop", "--name", "before", cwd=shop))
    said(sortkey("backfill", "shop:model", "Order", cwd=shop))
    with library.open(shop / "data") as store:  # as if it had been cut off after its last page
        (run,) = [each for each in store.scan(Run) if each.entities == "Order"]
        store.put(run.changed(is_done=False))
    said(sortkey("restore", "Shop", "--backup", "before", "--in-place", cwd=shop))
    (done,) = json.loads(said(sortkey("backfill", "shop:model", "Order", "--json", cwd=shop)))
    assert (done["written"], done["resumed"]) == (7, False)


def test_after_an_import_of_older_items_the_plan_asks_for_a_backfill(shop: Path) -> None:
    # A new folder with the tables of today, and the data of yesterday: apply has noted that nothing
    # lacks anything.
    said(sortkey("export", "Shop", "old", cwd=shop))
    (shop / "new").mkdir()
    said(sortkey("apply", "shop:model", "--data", "new", cwd=shop))
    said(sortkey("import", "old", "--data", "new", cwd=shop))
    assert "backfill Order: " in said(sortkey("plan", "shop:model", "--data", "new", cwd=shop))
    assert "7 read, 7 written" in said(
        sortkey("backfill", "shop:model", "Order", "--data", "new", cwd=shop)
    )


def test_what_is_noted_of_backfills_is_exported_and_imported_with_their_tables(shop: Path) -> None:
    # A whole export is of one moment: what is noted is true of what comes with it.
    said(sortkey("apply", "shop:model", cwd=shop))
    said(sortkey("backfill", "shop:model", cwd=shop))
    said(sortkey("export", "all", cwd=shop))
    said(sortkey("import", "all", "--data", "new", cwd=shop))
    assert "nothing to do" in said(sortkey("plan", "shop:model", "--data", "new", cwd=shop))


def test_programs_read_json(shop: Path) -> None:
    plan = json.loads(said(sortkey("plan", "shop:model", "--json", cwd=shop)))
    assert [each["kind"] for each in plan["steps"]] == ["AddIndex"]
    applied = json.loads(said(sortkey("apply", "shop:model", "--json", cwd=shop)))
    assert applied["left"]["backfills"][0]["entity"] == "Order"
    (done,) = json.loads(
        said(sortkey("backfill", "shop:model", "Order", "--segments", "3", "--json", cwd=shop))
    )
    assert (done["written"], done["segments"], done["failed"]) == (7, 3, 0)


def test_items_that_could_not_be_done_are_reported_and_the_exit_code_is_1(shop: Path) -> None:
    # A pipeline must not go on.
    said(sortkey("apply", "shop:model", cwd=shop))
    with library.open(shop / "data") as store:
        item = store.backend.call("Scan", {"TableName": "Shop", "Limit": 1})["Items"][0]
        store.backend.call(
            "PutItem", {"TableName": "Shop", "Item": {**item, "state": {"S": "lost"}}}
        )
    done = sortkey("backfill", "shop:model", cwd=shop)
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert "PK='CUSTOMER#ada'" in done.stdout


def test_a_table_that_is_not_there_is_reported_and_nothing_is_made(tmp_path: Path) -> None:
    # "Nothing to backfill" would be taken for done, and a folder of another model's tables for the
    # right one.
    (tmp_path / "shop.py").write_text(SHOP)
    assert "an empty folder is enough" in refused(sortkey("apply", "shop:model", cwd=tmp_path), 2)
    (tmp_path / "data").mkdir()
    for line in (["backfill", "shop:model"], ["backfill", "shop:model", "Order"]):
        assert "Shop does not exist: check --data" in refused(sortkey(*line, cwd=tmp_path), 1)
    with library.open(tmp_path / "data") as store:
        assert store.backend.call("ListTables", {})["TableNames"] == []


def test_what_is_wrong_is_one_line(shop: Path) -> None:
    assert "choose from Customer, Order" in refused(
        sortkey("backfill", "shop:model", "Nobody", cwd=shop), 2
    )
    assert "there is no folder 'nowhere'" in refused(
        sortkey("plan", "shop:model", "--data", "nowhere", cwd=shop), 2
    )
    assert "it must be more than 0" in refused(
        sortkey("backfill", "shop:model", "Order", "--writes-per-second", "0", cwd=shop), 1
    )
