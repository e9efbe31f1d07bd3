"""Whether a table records its changes, and what to do where it does not."""

from collections.abc import Iterator

import pytest

import sortkey
from sortkey import Model, Table
from sortkey.web.console.recorded_tables import unrecorded
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.workspace import Workspace

model = Model("shop")
streamed = model.add(Table("streamed", key=("PK",), stream="KEYS_ONLY", pitr=False))
recoverable = model.add(Table("recoverable", key=("PK",)))
silent = model.add(Table("silent", key=("PK",), pitr=False))


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        store.backend.call(
            "CreateTable",
            {
                "TableName": "foreign",
                "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield Workspace(store, [model], RequestLog())


@pytest.mark.parametrize("table", ["streamed", "recoverable"])
def test_a_stream_or_point_in_time_recovery_records_changes(workspace: Workspace, table: str):
    # The journal keeps both, so the page shows both.
    assert unrecorded(workspace, table) is None


def test_a_table_of_a_model_is_given_a_stream_in_the_model(workspace: Workspace):
    # "Nothing has been written yet" would send somebody looking for a fault in the writer.
    advice = unrecorded(workspace, "silent")
    assert advice is not None
    assert advice.reason == "silent has no stream, so its changes are not recorded."
    assert 'stream="NEW_AND_OLD_IMAGES"' in advice.remedy
    assert "sortkey apply" in advice.remedy


def test_a_table_of_no_model_is_given_a_stream_by_a_request(workspace: Workspace):
    advice = unrecorded(workspace, "foreign")
    assert advice is not None
    assert "aws dynamodb update-table --table-name foreign" in advice.remedy


def test_nobody_is_sent_to_change_a_table_that_sortkey_keeps_for_itself(workspace: Workspace):
    # The endpoint refuses that.
    workspace.store.ensure(Table("sortkey-private", key=("PK",), pitr=False))
    advice = unrecorded(workspace, "sortkey-private")
    assert advice is not None
    assert (
        advice.reason == "sortkey-private is one of Sortkey's own tables, and records no changes."
    )
    assert advice.remedy == ""


def test_a_stream_that_is_enabled_meanwhile_counts_at_once(workspace: Workspace):
    # Who follows the advice must see it work without starting anything again.
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    workspace.call("UpdateTable", {"TableName": "foreign", "StreamSpecification": stream})
    assert unrecorded(workspace, "foreign") is None
