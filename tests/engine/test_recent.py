"""Recent changes, to show to people."""

import pytest

from sortkey import engine
from sortkey.engine.recent import recent_changes


@pytest.fixture
def opened():
    with engine.own(":memory:", clock=lambda: 1_700_000_000.5) as opened:
        for name, has_stream in (("Watched", True), ("Silent", False)):
            opened.call(
                "CreateTable",
                {
                    "TableName": name,
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "BillingMode": "PAY_PER_REQUEST",
                    **(
                        {
                            "StreamSpecification": {
                                "StreamEnabled": True,
                                "StreamViewType": "KEYS_ONLY",
                            }
                        }
                        if has_stream
                        else {}
                    ),
                },
            )
        yield opened


def test_changes_come_newest_first_with_both_images(opened):
    # Whatever the stream's view is: the journal has both, and who watches wants to see what
    # changed.
    key = {"pk": {"S": "1"}}
    opened.call("PutItem", {"TableName": "Watched", "Item": key})
    opened.call("PutItem", {"TableName": "Watched", "Item": {**key, "n": {"N": "1"}}})
    opened.call("DeleteItem", {"TableName": "Watched", "Key": key})
    opened.call("PutItem", {"TableName": "Silent", "Item": key})
    found = recent_changes(opened)
    assert [(each.old, each.new) for each in found] == [
        ({**key, "n": {"N": "1"}}, None),
        (key, {**key, "n": {"N": "1"}}),
        (None, key),
    ]
    assert {each.table for each in found} == {"Watched"}
    assert found[0].at == 1_700_000_000.5
    assert [change.number for change in recent_changes(opened, after=found[1].number)] == [
        found[0].number
    ]
    assert len(recent_changes(opened, limit=2)) == 2


def test_the_changes_of_one_table_are_found_however_much_was_written_elsewhere(opened):
    # A busy table must not make a quiet one look as if nothing had ever been written to it.
    opened.call(
        "CreateTable",
        {
            "TableName": "Busy",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        },
    )
    opened.call("PutItem", {"TableName": "Watched", "Item": {"pk": {"S": "1"}}})
    for number in range(3):
        opened.call("PutItem", {"TableName": "Busy", "Item": {"pk": {"S": str(number)}}})
    assert [change.new for change in recent_changes(opened, limit=2, table_name="Watched")] == [
        {"pk": {"S": "1"}}
    ]
    assert len(recent_changes(opened, limit=2, table_name="Busy")) == 2
    assert recent_changes(opened, table_name="Silent") == []
    assert recent_changes(opened, table_name="no-such-table") == []


def test_a_table_that_is_gone_leaves_no_changes(opened):
    opened.call("PutItem", {"TableName": "Watched", "Item": {"pk": {"S": "1"}}})
    opened.call("DeleteTable", {"TableName": "Watched"})
    assert recent_changes(opened) == []
