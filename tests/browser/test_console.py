"""The console as a person walks it: real Chromium, real `sortkey up`, at two widths."""

import re
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, WIDE, Up, client, picture, watched
from tests.browser.looking import PAGES, is_readable, shuts_nobody_out


def test_home_shows_every_system_with_its_counts_and_what_happened(up: Up, page: Page):
    # A newcomer sees in one look what this is.
    page.goto(f"{up.console}/")
    for name in ("applens", "wallcrawler", "jobengine", "travelguide", "vams"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.get_by_role("heading", name="Recent activity")).to_be_visible()
    expect(page.get_by_text("ready").first).to_be_visible()


def test_a_request_over_the_wire_appears_on_home_by_itself(up: Up, page: Page):
    # What a program does is seen while it does it.
    page.goto(f"{up.console}/")
    expect(page.get_by_text("Recent activity")).to_be_visible()
    for _ in range(5):  # sample data may push it off the list while it is loaded
        client(up).describe_time_to_live(TableName="wallcrawler-sessions")
        with suppress(AssertionError):
            expect(page.get_by_text("DescribeTimeToLive").first).to_be_visible(timeout=4000)
            return
    expect(page.get_by_text("DescribeTimeToLive").first).to_be_visible()


def test_an_access_pattern_is_explained_and_run(up: Up, page: Page):
    # The model's page is not only to read: its forms ask the data.
    page.goto(f"{up.console}/models/jobengine")
    page.get_by_text("Journey.all()").click()
    opened = page.locator(".q-expansion-item--expanded")
    expect(opened.get_by_text("GSI1PK = 'JOURNEYS'").first).to_be_visible()
    expect(opened.get_by_text("cost of a million runs")).to_be_visible()
    opened.get_by_role("button", name="Run", exact=True).click()
    expect(opened.get_by_role("cell", name="METADATA").first).to_be_visible()


def test_an_argument_that_is_missing_is_reported_and_nothing_is_read(up: Up, page: Page):
    # An error says what to do.
    page.goto(f"{up.console}/models/applens")
    page.get_by_text("Run.of_user(").click()
    opened = page.locator(".q-expansion-item--expanded")
    opened.get_by_role("button", name="Run", exact=True).click()
    expect(opened.get_by_text("Run.of_user needs user_id")).to_be_visible()


def test_the_diagram_of_a_model_is_drawn(up: Up, page: Page):
    # Without a network: the scripts come from this server.
    page.goto(f"{up.console}/models/applens")
    page.get_by_role("tab", name="Diagram").click()
    expect(page.locator("svg").filter(has_text="applens-graph-metadata").first).to_be_visible()
    page.get_by_role("link", name="← Models").click()
    page.get_by_role("link", name="applens").first.wait_for()
    page.go_back()  # to the tab that was left, not to the first
    expect(page.locator("svg").filter(has_text="applens-graph-metadata").first).to_be_visible()
    shuts_nobody_out(page)


def test_a_partition_is_browsed_and_drawn_by_sort_key(up: Up, page: Page):
    # One journey is one partition: its kinds of items show as one looks.
    page.goto(f"{up.console}/data?table=TransformationSystem")
    key = page.locator("tbody tr").first.locator("td").first.inner_text()
    page.get_by_label("PK is").fill(key)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("This item collection")).to_be_visible()
    expect(page.get_by_text("STAGE", exact=True)).to_be_visible()
    page.get_by_label("PK is").fill("")
    page.get_by_label("SK begins with").fill("STAGE")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("enter PK too")


def test_an_item_is_edited_and_the_model_refuses_what_does_not_fit(up: Up, page: Page):
    # By hand or by program: what the model does not allow is not stored, and index keys follow
    # their fields.
    page.goto(f"{up.console}/data?table=applens-graph-metadata")
    page.locator("tbody tr").filter(has_text="COMPLETE").first.click()
    dialog = page.get_by_role("dialog", name="Run")
    status, environment = dialog.get_by_label("status (S)"), dialog.get_by_label("environment (S)")
    before = environment.input_value()
    status.fill("DONE")
    dialog.get_by_role("button", name="Save").click()
    expect(
        dialog.get_by_text(
            "status: Input should be 'UPLOADED', 'PROCESSING', 'COMPLETE' or 'FAILED'"
        )
    ).to_be_visible()
    status.fill("UPLOADED")
    dialog.get_by_role("button", name="Save").click()
    expect(
        dialog.get_by_text("status is COMPLETE, which is final: UPLOADED cannot follow it")
    ).to_be_visible()
    status.fill("COMPLETE")
    other = "dev" if before == "prod" else "prod"
    dialog.get_by_label("GSI2PK (S)").fill(f"USER#12345#ENV#{other}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("GSI2PK is built from userId, environment")).to_be_visible()
    shuts_nobody_out(page)
    environment.fill(other)
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    expect(dialog).to_be_hidden()
    opened = page.locator("tbody tr:focus")  # where one was, by keys too
    expect(opened).to_contain_text("COMPLETE")
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opened).to_contain_text("COMPLETE")


def test_a_new_item_is_stored_as_its_json_says(up: Up, wide: Page):
    wide.goto(f"{up.console}/data?table=applens-graph-metadata")
    wide.get_by_role("button", name="New item").click()
    item = '{"PK": {"S": "USER#new"}, "SK": {"S": "NOTE#new"}, "note": {"S": "by hand"}}'
    wide.get_by_role("dialog").get_by_label("The whole item").fill(item)
    wide.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(wide.get_by_role("row").filter(has_text="USER#new")).to_contain_text("NOTE#new")


def test_what_was_typed_stays_when_the_connection_is_lost_for_some_seconds(up: Up, wide: Page):
    # A machine that sleeps or is busy does not answer for a while: that is not a reason to
    # reload the page.
    wide.goto(f"{up.console}/data?table=applens-graph-metadata")
    wide.get_by_role("button", name="New item").click()
    dialog = wide.get_by_role("dialog", name="New item")
    dialog.get_by_label("The whole item").fill("half an item")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Not valid JSON")
    wide.evaluate(
        "new Promise(done => { socket.disconnect(); setTimeout(done, 4500) }).then(() => "
        "socket.connect())"
    )
    expect(dialog.get_by_label("The whole item")).to_have_value("half an item")
    dialog.get_by_label("The whole item").fill("{}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).not_to_contain_text("Not valid JSON")


def test_a_write_is_seen_while_it_happens_with_what_it_changed(up: Up, page: Page):
    # Who debugs a program watches this page beside it.
    page.goto(f"{up.console}/changes")
    key = {"PK": {"S": "USER#watched"}, "SK": {"S": f"NOTE#{page.viewport_size['width']}"}}  # pyright: ignore
    for note in ("first", "second"):
        client(up).put_item(TableName="applens-graph-metadata", Item={**key, "note": {"S": note}})
    entry = (
        page.locator(".q-expansion-item")
        .filter(has_text=key["SK"]["S"])
        .filter(has_text="changed")
        .first
    )
    expect(entry).to_be_visible()
    page.get_by_role("switch", name="live").click()
    entry.get_by_role("button").click()
    expect(entry.get_by_text("note: first → second")).to_be_visible()


def test_items_are_found_while_one_types_and_narrowed_and_opened(up: Up, page: Page):
    # Who knows a word of it finds the item; what is written meanwhile appears by itself.
    page.goto(f"{up.console}/models/vams")
    page.get_by_role("tab", name="Search documents").click()
    expect(page.get_by_role("cell", name="num_filesize")).to_be_visible()
    page.get_by_role("link", name="Search it").first.click()
    box, title = (
        page.get_by_label("Search", exact=True),
        page.get_by_role("button", name="Centrifugal pump P-101"),
    )
    box.fill("centrif")
    expect(title.locator("em", has_text="Centrifugal")).to_be_visible()
    box.fill("colour:red")
    expect(page.get_by_role("alert")).to_contain_text("There is no field colour")
    name = f"Zeppelin {page.viewport_size['width']}"  # pyright: ignore
    box.fill(f'"{name}"')
    expect(page.get_by_text("Nothing was found.")).to_be_visible()
    ship = {
        "databaseId": "hangar-4",
        "assetId": name,
        "assetName": name,
        "updatedAt": "2026-01-01T00:00:00.000000Z",
    }
    client(up).put_item(
        TableName="AssetStorageTable", Item={field: {"S": text} for field, text in ship.items()}
    )
    expect(page.get_by_role("button", name=name)).to_be_visible()
    box.fill("pump")
    if page.viewport_size == NARROW:
        page.get_by_role("button", name="Filters", exact=True).click()
    page.get_by_role("checkbox", name="tags: rotating equipment").click()
    expect(page.get_by_text("1 found")).to_be_visible()
    page.get_by_role("button", name="Indexed document").first.click()
    expect(
        page.get_by_role("dialog", name="Indexed document").get_by_text("Built from")
    ).to_be_visible()
    shuts_nobody_out(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    title.click()
    expect(page.get_by_role("dialog").get_by_label("assetName (S)")).to_have_value(
        "Centrifugal pump P-101"
    )


def test_an_object_is_shown_with_its_versions(up: Up, page: Page):
    page.goto(f"{up.console}/objects?bucket=applens&prefix=graphs/")
    expect(page.get_by_role("cell", name=re.compile("graph.json")).first).to_be_visible()
    expect(page.get_by_role("cell", name=re.compile("KB")).first).to_have_css(
        "white-space", "nowrap"
    )
    page.get_by_role("button", name="Show the first part").click()
    expect(page.locator("pre").first).to_be_visible()


def test_a_statement_is_run(up: Up, page: Page):
    page.goto(f"{up.console}/partiql")
    page.get_by_label("Statement").fill('SELECT runId, status FROM "applens-graph-metadata"')
    page.get_by_role("button", name="Run").click()
    expect(page.locator("pre", has_text="runId")).to_be_visible()


def test_terraform_is_uploaded_and_its_exposed_way_is_shown(up: Up, page: Page):
    # From a file to a picture of what an attacker sees, without leaving the page.
    terraform = """
resource "aws_s3_bucket" "data" { bucket = "customer-data" }
resource "aws_s3_bucket_acl" "data" {
  bucket = aws_s3_bucket.data.id
  acl    = "public-read"
}
resource "azurerm_storage_account" "elsewhere" {}
"""
    page.goto(f"{up.console}/applens")
    page.locator("input[type=file]").set_input_files(
        {"name": "main.tf", "mimeType": "text/plain", "buffer": terraform.encode()}
    )
    expect(page.get_by_text("Not covered")).to_be_visible()
    expect(
        page.get_by_text("1 of 3 resources has no rules: azurerm_storage_account")
    ).to_be_visible()
    expect(page.get_by_text("risk, of 100, over 2 of 3 resources")).to_be_visible()
    expect(page.locator("canvas").first).to_be_visible()
    expect(page.get_by_text("internet → aws_s3_bucket.data")).to_be_visible()
    shuts_nobody_out(page)
    page.locator("canvas").first.scroll_into_view_if_needed()
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    node = page.evaluate(_WHERE_THE_BUCKET_IS)
    page.mouse.click(box["x"] + node[0], box["y"] + node[1])
    expect(page.get_by_role("heading", name="aws_s3_bucket.data", exact=True)).to_be_visible()
    page.get_by_role("tab", name="Findings").click()
    expect(page.locator(".q-expansion-item").first).to_be_visible()
    page.get_by_role("tab", name="Inventory").click()
    expect(page.get_by_role("cell", name="aws_s3_bucket.data", exact=True).first).to_be_visible()


_WHERE_THE_BUCKET_IS = """() => {
  const chart = getElement(Number(document.querySelector('canvas').closest('[id^=c]').id.slice(1))).chart;
  const data = chart.getModel().getSeriesByIndex(0).getData();
  for (let n = 0; n < data.count(); n++) {
    if (data.getId(n) === 'aws_s3_bucket.data') {
      return chart.convertToPixel({seriesIndex: 0}, data.getItemLayout(n));
    }
  }
}"""


def test_two_runs_with_long_names_are_compared_in_any_window(up: Up, page: Page):
    # The sample's runs of production: what was found in the oldest is fixed in the newest.
    page.goto(f"{up.console}/applens/compare")
    options = page.get_by_role("option")
    for name, choice in (
        ("Before", options.last),
        ("After", options.filter(has_text="prod").first),
    ):
        page.get_by_role("combobox", name=name).click()
        choice.click()
        expect(page.get_by_role("listbox")).to_have_count(0)
    page.get_by_role("button", name="Compare").click()
    expect(
        page.get_by_text("Public route without authentication · aws_apigatewayv2_route.export")
    ).to_be_visible()
    shuts_nobody_out(page)


def test_a_page_that_is_not_there_leads_back(up: Up, wide: Page):
    wide.goto(f"{up.console}/nope/nothing")
    expect(wide.get_by_role("heading", name="Page not found")).to_be_visible()
    wide.locator("main").get_by_role("link", name="Home").click()
    expect(wide.get_by_role("heading", name="Your data models, running")).to_be_visible()


def test_a_page_that_fails_says_why_and_leads_back(up: Up, wide: Page):
    answer = wide.goto(f"{up.console}/applens?user=")
    assert answer is not None
    assert answer.status == 500
    expect(wide.get_by_role("heading", name="This page cannot be shown")).to_be_visible()
    expect(wide.get_by_role("alert")).to_contain_text("Run.userId cannot be ''")
    wide.locator("main").get_by_role("link", name="Home").click()
    expect(wide.get_by_role("heading", name="Your data models, running")).to_be_visible()


def test_who_prefers_dark_sees_dark(up: Up, wide: Page):
    wide.emulate_media(color_scheme="dark")
    wide.goto(f"{up.console}/")
    expect(wide.locator("body")).to_have_class(re.compile("body--dark"))


def test_a_file_of_another_kind_is_refused_with_the_reason(up: Up, page: Page):
    page.goto(f"{up.console}/applens")
    page.locator("input[type=file]").set_input_files(
        {"name": "holiday.jpg", "mimeType": "image/jpeg", "buffer": b"\xff\xd8"}
    )
    expect(page.get_by_text(".tf.json").last).to_be_visible()
    assert page.url.endswith("/applens")
    region = page.get_by_role("region", name="Table: run")
    if region.evaluate("each => each.scrollWidth > each.clientWidth"):
        # A table that is wider than its window: by keys one sees the last column too.
        region.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("document.activeElement.scrollLeft > 0")
    assert page.viewport_size == WIDE or region.evaluate("each => each.scrollLeft > 0")


def test_a_journey_shows_its_stages_its_log_and_its_reports(up: Up, page: Page):
    # The sample journey runs while one looks, and ends completed.
    page.goto(f"{up.console}/jobengine")
    page.get_by_role("link", name="The sample shop").last.click()
    for name in ("Raw", "Verification"):
        expect(page.get_by_text(re.compile(name)).first).to_be_visible()
    expect(page.get_by_text("100 %").first).to_be_visible(timeout=90_000)
    _shows_the_verdict_first(page)
    shuts_nobody_out(page)
    page.get_by_role("tab", name="Jobs").click()
    page.locator("table a").first.click()
    expect(page.get_by_role("cell", name="INFO").first).to_be_visible()
    shuts_nobody_out(page)
    page.get_by_role("tab", name="Reports").click()
    expect(page.locator(".q-expansion-item").first).to_be_visible()
    page.go_back()
    page.get_by_role("tab", name="Rules").click()
    page.get_by_text("The SKU is the product number").click()
    expect(page.get_by_text("→ maps products.sku to productNumber")).to_be_visible()
    _adds_a_rule_and_switches_it_off(page)
    page.get_by_role("tab", name="Reports").click()
    page.get_by_role("link", name="Final Report").last.click()
    expect(
        page.locator(".q-expansion-item--expanded").get_by_text("Final Report", exact=True)
    ).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tab", name="Reports", selected=True)).to_be_visible()


def _shows_the_verdict_first(page: Page) -> None:
    """Before the stages, with what was lost and why."""
    card = page.locator(".sk-card").first
    expect(card.get_by_text("Verdict")).to_be_visible()
    expect(card.get_by_text(re.compile(r"^Passed: .* rows of the source"))).to_be_visible()
    card.get_by_text("Rows refused").click()
    expect(
        card.get_by_text(re.compile("^customers, 3 times: name is required")).first
    ).to_be_visible()


def _adds_a_rule_and_switches_it_off(page: Page) -> None:
    page.get_by_role("button", name="New rule").click()
    dialog = page.get_by_role("dialog")
    name = f"No wishes at {page.viewport_size}"
    dialog.get_by_label("Title").fill(name)
    dialog.get_by_label("What it says").fill("Wishes are nice.")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_text("No sentence here can be executed.")).to_be_visible()
    dialog.get_by_label("What it says").fill("Drop 'wishes'.")
    expect(dialog.get_by_text("→ leaves out wishes")).to_be_visible()
    dialog.get_by_role("button", name="Add").click()
    rule = page.locator(".q-expansion-item").filter(has_text=name)
    rule.click()
    rule.get_by_role("button", name="Switch off").click()
    expect(rule.get_by_text("switched off")).to_be_visible()


def test_a_journey_is_created_and_runs_while_one_looks(up: Up, page: Page, tmp_path: Path):
    # What is wrong is said in the form, which keeps what was typed.
    with sqlite3.connect(tmp_path / "shop.sqlite") as shop:
        shop.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)")
        shop.execute("INSERT INTO customers VALUES (1, 'Ann')")
    page.goto(f"{up.console}/jobengine")
    page.get_by_role("button", name="New journey").click()
    dialog = page.get_by_role("dialog")
    start = dialog.get_by_role("button", name="Start")
    start.click()
    expect(dialog.get_by_text("Give the journey a name.")).to_be_visible()
    dialog.get_by_label("Name").fill("A small shop")
    dialog.get_by_role("button", name="A file on this machine").click()
    dialog.get_by_label("Path of").fill(str(tmp_path / "gone.sqlite"))
    start.click()
    expect(dialog.get_by_text("In its folder there are: shop.sqlite.")).to_be_visible()
    shuts_nobody_out(page)
    dialog.get_by_label("Path of").fill(str(tmp_path / "shop.sqlite"))
    start.click()
    expect(page.get_by_role("heading", name="A small shop")).to_be_visible()
    expect(page.get_by_text(re.compile("^[1-6] of [1-6]$"))).to_be_visible(
        timeout=90_000
    )  # without a reload


def test_one_jumps_to_a_table_by_keys_alone(up: Up, wide: Page):
    # Who knows where to go types without waiting for anything: no letter is lost, and Enter goes
    # where it says.
    wide.goto(f"{up.console}/")
    expect(wide.get_by_role("heading", level=1)).to_be_visible()
    wide.keyboard.press("Control+k")
    wide.keyboard.type("Transf")
    expect(wide.get_by_role("combobox", name="Page, model or table")).to_have_value("Transf")
    expect(wide.get_by_role("option", selected=True)).to_have_text("Table · TransformationSystem")
    shuts_nobody_out(wide)
    wide.keyboard.type("zzz")
    expect(wide.get_by_text("No matches.")).to_be_visible()
    shuts_nobody_out(wide)
    wide.keyboard.press("Escape")
    wide.keyboard.press("/")
    wide.keyboard.type("wallcrawler-ses")
    wide.keyboard.press("Enter")
    expect(wide.get_by_role("heading", name="Data", exact=True)).to_be_visible()
    assert wide.url.endswith("/data?table=wallcrawler-sessions")


def test_what_was_deleted_is_reported_with_a_way_back(up: Up, wide: Page):
    for path, what, way in (
        ("/jobengine/JRN-000000000000", "journey", "Journeys"),
        ("/jobengine/nonsense", "journey", "Journeys"),
        ("/applens/runs/000000", "run", "Runs"),
        ("/models/nothing", "model", "All models"),
        ("/data?table=nothing", "table", "All data"),
        ("/data?table=TransformationSystem&index=nothing", "index", "All data"),
    ):
        wide.goto(f"{up.console}{path}")
        expect(wide.get_by_role("heading", name=f"{what.capitalize()} not found")).to_be_visible()
        expect(wide.locator(".sk-empty").get_by_role("link", name=way)).to_be_visible()


def test_dark_mode_stays_when_one_comes_back(up: Up, page: Page):
    page.goto(f"{up.console}/")
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    page.goto(f"{up.console}/requests")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_its_window_or_shuts_anybody_out_by_day_or_night(
    up: Up, wide: Page, path: str
):
    with watched(wide):
        wide.goto(f"{up.console}{path}")
        expect(wide.get_by_role("heading", level=1)).to_be_visible()
        # The layout must be there before it can follow the window.
        expect(wide.get_by_role("navigation", name="Pages")).to_be_in_viewport()
        for name, size in (("wide", WIDE), ("narrow", NARROW)):
            wide.set_viewport_size(size)
            if size is NARROW:
                expect(
                    wide.get_by_role("navigation", name="Pages")
                ).not_to_be_in_viewport()  # it takes a moment
            shuts_nobody_out(wide)
            picture(wide, f"page {path} {name}")
        wide.emulate_media(color_scheme="dark")
        expect(wide.locator("body")).to_have_class(re.compile("body--dark"))
        is_readable(wide, "body")
        picture(wide, f"page {path} dark")
