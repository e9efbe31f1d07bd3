"""What the console knows and does, without a browser: it stands on a store like any other
program.
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey import engine
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.errors import AlreadyExists, InvalidItem, ModelError
from sortkey.runtime.audit import AuditRecord
from sortkey.runtime.store import Store
from sortkey.web.console.item_edits import delete, replace
from sortkey.web.console.pattern_runs import run_pattern
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.stored_items import browse, statement
from sortkey.web.console.workspace import Workspace
from sortkey_systems.applens.model import Run, model

TABLE = "applens-graph-metadata"
AT = datetime(2026, 2, 22, 19, 12, 11, tzinfo=UTC)


@pytest.fixture
def workspace():
    log = RequestLog()
    with engine.own(":memory:") as opened:
        store = Store(EmbeddedBackend(opened), metrics=log)
        store.ensure(model)
        for number in range(3):
            store.create(Run(user_id="1", run_id=f"r{number}", environment="dev", created_at=AT))
        yield Workspace(store, [model], log)


def run_of(workspace: Workspace, run_id: str) -> Any:
    return next(
        item for item in browse(workspace, TABLE).items if item.get("runId") == {"S": run_id}
    )


def test_a_pattern_is_run_with_texts_and_shown_with_its_cost(workspace: Workspace):
    found = run_pattern(workspace, "applens", "Run.of_user", {"user_id": "1"})
    assert [item["runId"]["S"] for item in found.items] == ["r0", "r1", "r2"]
    assert found.kinds == ["Run"] * 3
    assert found.explanation.operation == "Query"
    assert found.explanation.read_units == 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({}, "needs user_id"), ({"user_id": "1", "colour": "red"}, "has no argument 'colour'")],
)
def test_a_form_that_is_filled_in_wrongly_is_told_so(
    workspace: Workspace, arguments: dict[str, str], said: str
):
    with pytest.raises(ModelError, match=said):
        run_pattern(workspace, "applens", "Run.of_user", arguments)


def test_a_partition_is_browsed_by_the_beginning_of_the_sort_key_and_page_by_page(
    workspace: Workspace,
):
    page = browse(workspace, TABLE, None, "USER#1", "RUN#2026", limit=2)
    assert len(page.items) == 2
    rest = browse(workspace, TABLE, None, "USER#1", "RUN#2026", page.next, limit=2)
    assert len(rest.items) == 1
    assert browse(workspace, TABLE, None, "USER#1", "RUN#2027").items == []
    assert len(browse(workspace, TABLE, "GSI2", "USER#1#ENV#dev").items) == 3


@pytest.mark.parametrize("partition", ["", "a"])
def test_a_table_without_a_sort_key_is_distinguished_from_one_with(
    workspace: Workspace, partition: str
):
    # An address with more in it than the table has may stand in anybody's notes.
    name = [{"AttributeName": "id", "KeyType": "HASH"}]
    kind = [{"AttributeName": "id", "AttributeType": "S"}]
    about = {
        "TableName": "Plain",
        "KeySchema": name,
        "AttributeDefinitions": kind,
        "BillingMode": "PAY_PER_REQUEST",
    }
    workspace.call("CreateTable", about)
    with pytest.raises(ModelError, match="Plain has no sort key"):
        browse(workspace, "Plain", None, partition, "x")


def test_the_beginning_of_a_sort_key_alone_is_refused_with_what_to_write(workspace: Workspace):
    # To show the whole table instead would be an answer to another question.
    with pytest.raises(ModelError, match="enter PK too"):
        browse(workspace, TABLE, None, "", "RUN#")


def test_an_item_is_known_by_its_kind_and_checked_by_its_entity(workspace: Workspace):
    item = run_of(workspace, "r1")
    assert workspace.entity_of(TABLE, item) is Run
    with pytest.raises(InvalidItem) as refused:
        replace(workspace, TABLE, item, {**item, "status": {"S": "DONE"}})
    assert any(fault.startswith("status: Input should be") for fault in refused.value.faults)


def test_guards_of_unique_values_are_known_as_such(workspace: Workspace):
    # Nobody wrote them, and a newcomer who opens one should see what it is.
    items = browse(workspace, TABLE).items
    assert sum(workspace.is_guard(TABLE, item) for item in items) == 3
    assert not workspace.is_guard(TABLE, run_of(workspace, "r1"))
    assert workspace.has_guards("applens")


def test_every_model_and_table_is_a_place_to_jump_to(workspace: Workspace):
    places = workspace.places()
    assert places["/models/applens"] == "Model · applens"
    assert places[f"/data?table={TABLE}"] == f"Table · {TABLE}"


def test_an_item_is_found_by_its_index_as_it_was_edited(workspace: Workspace):
    # An item whose environment says prod and whose index key says dev would be found where it is
    # not.
    old = run_of(workspace, "r1")
    replace(workspace, TABLE, old, {**old, "environment": {"S": "prod"}})
    assert [
        item["runId"] for item in browse(workspace, TABLE, "GSI2", "USER#1#ENV#prod").items
    ] == [{"S": "r1"}]
    assert len(browse(workspace, TABLE, "GSI2", "USER#1#ENV#dev").items) == 2


def test_an_edit_is_stored_once_and_leaves_a_record(workspace: Workspace):
    old = run_of(workspace, "r1")
    new = {**old, "nodeCount": {"N": "7"}}
    replace(workspace, TABLE, old, new)
    stored = workspace.item(TABLE, workspace.key_of(TABLE, old))
    assert stored == {**new, "updatedAt": (stored or {})["updatedAt"]}
    with pytest.raises(ModelError, match="someone else has changed this item"):
        replace(workspace, TABLE, old, {**old, "nodeCount": {"N": "8"}})
    delete(workspace, TABLE, workspace.key_of(TABLE, old))
    records = workspace.store.scan(AuditRecord)
    assert sorted((record.actor, record.action) for record in records) == [
        ("console", "item.delete"),
        ("console", "item.put"),
    ]


def test_an_edit_cannot_turn_an_item_into_another(workspace: Workspace):
    old = run_of(workspace, "r1")
    with pytest.raises(
        ModelError, match="SK is part of the key of an item, which cannot change: create a new item"
    ):
        replace(workspace, TABLE, old, {**old, "SK": {"S": "RUN#other"}})


def test_a_new_item_does_not_replace_one_that_is_there(workspace: Workspace):
    with pytest.raises(AlreadyExists, match=f"already exists in {TABLE}"):
        replace(workspace, TABLE, None, run_of(workspace, "r1"))


def test_statements_are_run_and_those_that_write_are_recorded(workspace: Workspace):
    items, _, _ = statement(workspace, f"SELECT runId FROM \"{TABLE}\" WHERE PK = 'USER#1'")
    assert len(items) == 3
    statement(workspace, f"INSERT INTO \"{TABLE}\" VALUE {{'PK': 'X', 'SK': 'Y'}}")
    assert [record.action for record in workspace.store.scan(AuditRecord)] == ["statement"]


def test_tables_are_shown_with_their_system_and_what_lies_in_them(workspace: Workspace):
    facts = {each.name: each for each in workspace.tables()}
    assert facts[TABLE].system == "applens"
    assert facts[TABLE].count == 6  # three runs, and the guards of their ids
    assert facts["sortkey-audit"].system == ""
