"""Which attributes a list of items shows, which it does not; and how values are written to be
edited.
"""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

import sortkey
from sortkey.web.console.attribute_texts import is_plain, text_of, value_of
from sortkey.web.console.items import columns
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.workspace import Workspace
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.model import model as applens
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.model import model as wallcrawler

AT = datetime(2026, 2, 22, tzinfo=UTC)


@pytest.fixture
def workspace():
    with sortkey.open(":memory:") as store:
        store.ensure(applens)
        store.ensure(wallcrawler)
        yield Workspace(store, [applens, wallcrawler], RequestLog())


@pytest.mark.accepts("WC-14")
def test_a_list_shows_the_status_and_never_a_signing_key(workspace: Workspace):
    # Who looks over a shoulder at a list must not read a token off it; and a status is worth more
    # than a region.
    session = Session(
        session_id="sess_1", project_id="p", created_at=AT, expires_at=AT, signing_key="a.b.c"
    )
    shown = columns(workspace, "wallcrawler-sessions", [session.to_item()])
    assert {"sessionId", "status", "projectId", "createdAt"} <= set(shown[:5])
    assert "signingKey" not in shown


def test_what_is_made_for_an_index_comes_behind_the_fields(workspace: Workspace):
    # GSI1PK says nothing that the fields do not say better.
    run = Run(user_id="1", run_id="r1", environment="dev", created_at=AT)
    shown = columns(workspace, "applens-graph-metadata", [run.to_item()])
    assert shown.index("status") < (shown.index("GSI1PK") if "GSI1PK" in shown else len(shown))
    assert shown[:2] == ["PK", "SK"]


def test_guards_make_no_columns_beside_the_items_that_they_guard(workspace: Workspace):
    # Before, ten guards at the head of a page made rows of real items look empty.
    run = Run(user_id="1", run_id="r1", environment="dev", created_at=AT)
    guard = {
        "PK": {"S": "UNIQUE#r1"},
        "SK": {"S": "UNIQUE"},
        "EntityType": {"S": "UniqueGuard"},
        "owner": {"S": "x"},
    }
    assert "owner" not in columns(
        workspace, "applens-graph-metadata", [guard, guard, run.to_item()]
    )
    assert "owner" in columns(workspace, "applens-graph-metadata", [guard])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"S": "x"}, "x"),
        ({"B": "AQI="}, "AQI="),
        ({"SS": ["a", "b"]}, '["a", "b"]'),
        (
            {"L": [{"S": "1"}, {"N": "1"}, {"BOOL": True}, {"NULL": True}]},
            '[\n  "1",\n  1,\n  true,\n  null\n]',
        ),
        ({"M": {"a": {"M": {"b": {"N": "0.1"}}}}}, '{\n  "a": {\n    "b": 0.1\n  }\n}'),
        ({"M": {"n": {"N": "12345678901234567890123456789012345678"}}}, None),
        ({"M": {"tags": {"SS": ["a"]}}}, None),
        ({"L": [{"M": {"raw": {"B": "AQI="}}}]}, None),
        ({"M": {"n": {"N": "1.2345678901234567890123"}}}, None),
    ],
)
def test_a_value_that_is_read_back_is_the_one_that_was_shown(
    value: dict[str, Any], text: str | None
):
    # Who opens an item and saves it must not change a type or a digit by it.
    assert value_of(text_of(value), like=value) == value
    assert text is None or text_of(value) == text


def test_what_plain_json_cannot_say_is_shown_as_dynamodb_has_it():
    value = {"M": {"tags": {"SS": ["a"]}}}
    assert not is_plain(value)
    assert json.loads(text_of(value)) == value["M"]


@pytest.mark.parametrize("text", ["[1]", '{"a": NaN}', "{"])
def test_a_map_is_not_turned_into_something_else(text: str):
    with pytest.raises(ValueError, match=r"map|NaN|Expecting"):
        value_of(text, like={"M": {"a": {"N": "1"}}})
