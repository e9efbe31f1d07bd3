"""Parts of the console that are not pages: the request log, how values are shown, who gets in,
diagrams.
"""

import asyncio
from typing import Any

import pytest

from sortkey.errors import ResourceNotFoundException
from sortkey.model.description import describe
from sortkey.runtime.steps import Call
from sortkey.web.console.diagrams import diagram
from sortkey.web.console.pieces import chip_html, coded, copied, folded, link
from sortkey.web.console.request_log import (
    OTHERS,
    REQUESTS_MAX,
    SPENT_MAX,
    Recorded,
    RequestLog,
    subject,
)
from sortkey.web.console.request_source import SourceMiddleware
from sortkey.web.console.value_display import cell, plain, size
from sortkey_systems.jobengine.model import model

QUERY = Call("Query", {"TableName": "Things", "IndexName": "GSI1"}, "Thing.of_owner")


def test_requests_of_programs_and_of_the_wire_stand_in_one_list():
    log = RequestLog(clock=lambda: 5.0)
    log.count(log.with_capacity(QUERY), {"ConsumedCapacity": {"CapacityUnits": 2.5}})
    log.on_request("PutItem", {"TableName": "Gone"}, 0.002, ResourceNotFoundException("no table"))
    newest, first = log.latest()
    assert (first.source, first.target, first.pattern, first.units) == (
        "system",
        "Things/GSI1",
        "Thing.of_owner",
        2.5,
    )
    assert (newest.source, newest.target, newest.milliseconds) == ("wire", "Gone", 2.0)
    assert newest.problem == "ResourceNotFoundException: no table"
    assert [spent.name for spent in log.costliest("units")] == ["Thing.of_owner", "PutItem Gone"]


def test_what_is_asked_is_distinguished_by_who_asked_for_it():
    # A list in which everything is from "program" helps nobody to find his own request.
    log = RequestLog()

    async def server(*_: Any) -> None:
        await asyncio.to_thread(
            lambda: log.count(log.with_capacity(QUERY), {})
        )  # pages and REST work in threads too

    async def ask(path: str) -> None:
        await SourceMiddleware(server, "/console")({"type": "http", "path": path}, None, None)  # pyright: ignore

    for path in ("/console/data", "/console/_nicegui_ws/", "/applens/runs"):
        asyncio.run(ask(path))
    log.count(log.with_capacity(QUERY), {})
    assert [each.source for each in log.latest()] == ["system", "REST", "console", "console"]


def test_a_transaction_is_known_by_the_tables_that_it_writes():
    log = RequestLog()
    parts = [{"Put": {"TableName": "Things"}}, {"Update": {"TableName": "Counts"}}]
    log.count(
        log.with_capacity(Call("TransactWriteItems", {"TransactItems": parts}, "transact")), {}
    )
    assert [spent.name for spent in log.costliest()] == ["TransactWriteItems Things, Counts"]


def test_backticks_are_code_and_markup_is_not():
    assert coded("`a<b>` and <i>") == "<code>a&lt;b&gt;</code> and &lt;i&gt;"


def test_a_flood_of_one_kind_hides_no_other():
    # While a job runs, the one request of a person must not be pushed off the page.
    log = RequestLog()
    log.on_request("ListTables", {}, 0.001, None)
    for _ in range(REQUESTS_MAX - 1):
        log.on_request("PutItem", {"TableName": "Things"}, 0.001, None)
    assert [(each.operation, count) for each, count in log.recent_kinds(12)] == [
        ("PutItem", REQUESTS_MAX - 1),
        ("ListTables", 1),
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"N": "12345678901234567890123456789012345678"}, "12345678901234567890123456789012345678"),
        ({"N": "0.1"}, "0.1"),
        ({"BOOL": True}, "true"),
        ({"NULL": True}, "null"),
        ({"L": [{"S": "a"}, {"N": "1"}]}, '["a", 1]'),
        ({"S": "x" * 200}, "x" * 79 + "…"),
        (None, ""),
    ],
)
def test_values_are_shown_without_losing_digits(value, shown):
    assert cell(value) == shown or plain(value) == shown


def test_sizes_are_shown_in_units_that_people_use():
    assert [size(each) for each in (0, 1023, 1536, 5 << 20, 200 << 30)] == [
        "0 B",
        "1,023 B",
        "1.5 KB",
        "5.0 MB",
        "200 GB",
    ]


def test_text_of_data_is_never_markup():
    shown = chip_html("<script>alert(1)</script>") + link("<script>", '"><script>')
    assert "<script>" not in shown + copied('"><script>') + folded("<script>", "</pre><script>")


def test_a_long_id_is_shown_by_its_beginning_and_copied_whole():
    shown = copied("JRN-ABC123456789", 8)
    assert ">JRN-ABC…<" in shown
    assert 'data-copy="JRN-ABC123456789"' in shown


@pytest.mark.parametrize(
    ("operation", "pattern", "shown"),
    [
        ("Query", "Run.of_user", "Run.of_user"),
        ("PutItem", "Run.PutItem", "Run"),
        ("TransactWriteItems", "transact", ""),
    ],
)
def test_a_request_is_named_by_its_pattern_or_by_what_it_writes(
    operation: str, pattern: str, shown: str
):
    # What the library calls its own requests says nothing to somebody who looks at them.
    request = Recorded(1, 0.0, "system", operation, "Things", pattern, 1.0, None, "")
    assert subject(request) == shown


def test_a_diagram_has_every_entity_and_index_and_no_sign_that_is_mermaids_own():
    drawn = diagram(describe(model))
    for name in ("Journey", "Stage", "Rule", "Job", "Log", "Report", "GSI1"):
        assert name in drawn
    assert "{" not in drawn


def test_statements_that_never_repeat_fill_no_memory():
    # PartiQL with its values written into it is another statement each time, and a server runs for
    # months.
    log = RequestLog()
    for number in range(SPENT_MAX + 50):
        log.on_request(
            "ExecuteStatement", {"Statement": f"SELECT * FROM t WHERE id = {number}"}, 0.001, None
        )
    assert len(log.spent) == SPENT_MAX + 1
    assert log.spent[OTHERS].requests == 50
