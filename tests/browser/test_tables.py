"""Tables in the console: which one is shown, whether its changes are recorded, and items that are
there already.
"""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Up, client
from tests.browser.looking import shuts_nobody_out

SILENT = "no-stream"
KEY = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def silent(up: Up) -> Any:
    """A table of no model, without a stream."""
    dynamodb = client(up)
    if SILENT not in dynamodb.list_tables()["TableNames"]:
        dynamodb.create_table(TableName=SILENT, **KEY)
    dynamodb.put_item(TableName=SILENT, Item={"id": {"S": "written"}})
    yield SILENT
    dynamodb.delete_table(TableName=SILENT)


def type_table(page: Page, name: str, options: int = 1) -> None:
    """As somebody does who knows the name: over what is there. So many options are left then."""
    choice = page.get_by_role("combobox", name="Table")
    choice.click()
    choice.press("Control+a")
    choice.press_sequentially(name)
    expect(page.get_by_role("option")).to_have_count(options)


def test_a_table_without_a_stream_says_that_it_records_nothing(up: Up, page: Page, silent: str):
    # "Nothing has been written yet" would be untrue, and nobody would think of the stream.
    page.goto(f"{up.console}/changes")
    expect(page.get_by_text(f"because they have no stream: {silent}")).to_be_visible()
    type_table(page, silent)
    page.keyboard.press("Enter")
    expect(
        page.get_by_text(f"{silent} has no stream, so its changes are not recorded.")
    ).to_be_visible()
    expect(page.get_by_text("aws dynamodb update-table")).to_be_visible()
    expect(page.get_by_text("Nothing has been written yet.")).to_be_hidden()
    expect(page.get_by_role("listbox")).to_have_count(0)  # it fades, and is pale meanwhile
    shuts_nobody_out(page)


def test_a_table_with_a_stream_waits_for_its_first_change_and_shows_it(up: Up, wide: Page):
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client(up).create_table(TableName="streamed", **KEY, StreamSpecification=stream)
    wide.goto(f"{up.console}/changes")
    type_table(wide, "streamed")
    wide.keyboard.press("Enter")
    expect(wide.get_by_text("Nothing has been written yet.")).to_be_visible()
    client(up).put_item(TableName="streamed", Item={"id": {"S": "the-first-one"}})
    expect(wide.get_by_text("the-first-one")).to_be_visible()


@pytest.mark.parametrize("leave", ["Enter", "Tab", "pointing elsewhere"])
def test_a_table_whose_name_is_typed_is_the_one_that_is_shown(up: Up, wide: Page, leave: str):
    # The field would say one table and the page would show another.
    wide.goto(f"{up.console}/data?table=applens-graph-metadata")
    type_table(wide, "wallcrawler-projects")
    if leave == "pointing elsewhere":
        wide.get_by_role("heading", name="Data").click()
    else:
        wide.keyboard.press(leave)
    expect(wide.get_by_role("columnheader", name="projectId")).to_be_visible()
    expect(wide.get_by_role("combobox", name="Table")).to_have_value("wallcrawler-projects")


def test_a_name_that_is_typed_whole_is_taken_before_longer_ones(up: Up, wide: Page):
    # The longer one is chosen at first, so the list marks it by itself.
    wide.goto(f"{up.console}/data?table=UserRolesStorageTable")
    type_table(wide, "RolesStorageTable", options=2)
    wide.keyboard.press("Enter")
    expect(wide.get_by_role("combobox", name="Table")).to_have_value("RolesStorageTable")
    expect(wide.get_by_role("columnheader", name="roleName").first).to_be_visible()


def test_a_part_of_a_name_takes_the_first_table_that_has_it(up: Up, wide: Page):
    wide.goto(f"{up.console}/data?table=applens-graph-metadata")
    type_table(wide, "sortkey-a", options=2)
    wide.keyboard.press("Enter")
    expect(wide.get_by_role("combobox", name="Table")).to_have_value("sortkey-api-keys")


def test_a_name_that_no_table_has_leaves_what_is_shown(up: Up, page: Page):
    page.goto(f"{up.console}/data?table=applens-graph-metadata")
    choice = page.get_by_role("combobox", name="Table")
    choice.click()
    choice.press("Control+a")
    choice.press_sequentially("no-such-table")
    expect(page.get_by_text("No matching table")).to_be_visible()
    choice.press("Enter")
    expect(page.get_by_text("No table contains “no-such-table”")).to_be_visible()
    expect(choice).to_have_value("applens-graph-metadata")


def test_an_index_that_is_chosen_is_shown_at_once(up: Up, wide: Page):
    wide.goto(f"{up.console}/data?table=TransformationSystem")
    wide.get_by_role("combobox", name="Index").click()
    wide.get_by_role("option", name="GSI1").click()
    expect(wide.get_by_label("GSI1PK is")).to_be_visible()
    expect(wide.get_by_text("items on this page")).to_be_visible()


def test_another_object_is_not_shown_with_the_beginning_of_the_one_before(up: Up, wide: Page):
    wide.goto(f"{up.console}/objects")
    wide.get_by_role("button", name="Show the first part").click()
    expect(wide.locator("pre.sk-code")).to_be_visible()
    choice = wide.get_by_role("combobox", name="Object")
    choice.click()
    wide.get_by_role("option").nth(1).click()
    expect(wide.locator("pre.sk-code")).to_be_hidden()


def test_a_new_item_on_a_key_that_is_taken_names_the_key_and_opens_the_item(
    up: Up, page: Page, silent: str
):
    # Nobody has changed anything: the key is taken, and what is there is what one wants to see.
    page.goto(f"{up.console}/data?table={silent}")
    page.get_by_role("button", name="New item").click()
    new = page.get_by_role("dialog", name="New item")
    new.get_by_label("The whole item").fill('{"id": {"S": "written"}, "note": {"S": "mine"}}')
    new.get_by_role("button", name="Save").click()
    expect(new.get_by_role("alert")).to_contain_text(
        f"an item with the key id=written already exists in {silent}"
    )
    shuts_nobody_out(page)
    new.get_by_role("button", name="Open the existing item").click()
    expect(new).to_be_hidden()
    expect(page.get_by_role("dialog", name="Item").get_by_label("id (S)")).to_have_value("written")
