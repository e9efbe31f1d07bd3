"""VAMS in the console: what a newcomer does with an asset, the viewer, and whose sight it is."""

import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import Up, picture, watched
from tests.browser.looking import shuts_nobody_out
from tests.browser.small_models import MODELS, TEXTS, glb, gltf_bytes, png

DATABASE = "test-bench"
READER = "reader@example.com"


@pytest.fixture
def seen(wide: Page) -> Iterator[Page]:
    """A wide page, watched for errors."""
    with watched(wide):
        yield wide


def _payload(files: Mapping[str, bytes]) -> list[FilePayload]:
    kind = "application/octet-stream"
    return [{"name": name, "mimeType": kind, "buffer": data} for name, data in files.items()]


def _dialog(page: Page, button: str, **values: str) -> None:
    """Fill the open dialog and press a button, which closes it."""
    dialog = page.get_by_role("dialog")
    for name, value in values.items():
        dialog.get_by_label(name.replace("_", " "), exact=True).fill(value)
    dialog.get_by_role("button", name=button, exact=True).click()
    expect(dialog).to_have_count(0)


def _database(up: Up, page: Page) -> None:
    page.goto(f"{up.console}/vams")
    expect(page.get_by_role("heading", name="Databases", level=1)).to_be_visible()
    if page.get_by_role("heading", name=DATABASE).count():
        return
    page.get_by_role("button", name="New database").click()
    expect(page.get_by_role("dialog").get_by_label("Bucket")).not_to_have_value("")
    _dialog(page, "Create", Id=DATABASE, Description="Where tests put things")
    expect(page.get_by_role("heading", name=DATABASE)).to_be_visible()


def _asset(up: Up, page: Page, name: str) -> None:
    """A new asset in the database of these tests, with its page open."""
    _database(up, page)
    page.goto(f"{up.console}/vams/databases/{DATABASE}")
    page.get_by_role("button", name="New asset").click()
    _dialog(page, "Create", Name=name, Description="An asset of a test")
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    expect(page.get_by_text("choose files")).to_be_visible()


def _upload(page: Page, files: Mapping[str, bytes]) -> None:
    page.get_by_label("Files to upload").set_input_files(_payload(files))
    many = f"{len(files)} files are" if len(files) > 1 else "1 file is"
    expect(page.get_by_text(f"{many} uploaded.").last).to_be_visible()


def _new_version(page: Page, comment: str) -> None:
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="New version").click()
    _dialog(page, "Create", Comment=comment)
    expect(page.get_by_label("Versions").get_by_text(comment)).to_be_visible()


def test_a_newcomer_uploads_turns_versions_compares_and_reverts(up: Up, seen: Page) -> None:
    # All that the issue of an asset manager is: from a file on a disk back to an old version.
    name = f"Cube {int(time.time() * 1000)}"
    _asset(up, seen, name)
    _upload(seen, {"cube.glb": glb(1)})
    stage = seen.locator(".va-stage[data-ready=true]")
    expect(stage).to_have_attribute("data-turning", "true")
    expect(seen.locator(".va-facts")).to_have_text("12 triangles · 1 × 1 × 1")
    picture(seen, "vams model")
    seen.get_by_role("button", name="Turn", exact=True).click()
    expect(stage).to_have_attribute("data-turning", "false")
    _new_version(seen, "A small cube")

    seen.get_by_role("tab", name="Files").click()
    _upload(seen, {"cube.glb": glb(3)})
    expect(seen.locator(".va-facts")).to_have_text("12 triangles · 3 × 3 × 3")
    expect(seen.get_by_text("changed since the last version")).to_be_visible()
    _new_version(seen, "A large cube")
    row = seen.locator("table").filter(has_text="before").locator("tr", has_text="/cube.glb")
    expect(row.get_by_text("changed")).to_be_visible()
    picture(seen, "vams versions")

    seen.get_by_role("button", name="Actions on version 1").click()
    seen.get_by_role("menu").get_by_text("Revert to it").click()
    _dialog(seen, "Revert")
    expect(seen.get_by_text("[REVERTED FROM v1]").first).to_be_visible()
    seen.reload()
    seen.get_by_role("tab", name="Files").click()
    expect(seen.locator(".va-facts")).to_have_text("12 triangles · 1 × 1 × 1")


def test_an_asset_is_found_by_a_value_of_its_metadata(up: Up, seen: Page) -> None:
    # Nobody remembers names; a serial number is on the machine.
    serial = f"NP{int(time.time() * 1000)}"
    _asset(up, seen, f"Pump {serial[-4:]}")
    seen.get_by_role("tab", name="Metadata").click()
    seen.get_by_role("button", name="Add a value").click()
    _dialog(seen, "Add", Name="serial", Value=serial)
    expect(seen.get_by_label("serial", exact=True)).to_have_value(serial)
    seen.goto(f"{up.console}/vams/assets?q={serial}")
    tile = seen.get_by_role("link", name=re.compile(f"Pump {serial[-4:]}"))
    for _ in range(20):  # the index follows the table
        if tile.count():
            break
        seen.wait_for_timeout(250)
        seen.reload()
        expect(seen.get_by_text(re.compile("asset|matches")).last).to_be_visible()
    expect(tile).to_be_visible()
    picture(seen, "vams found")
    shuts_nobody_out(seen)


def test_the_viewer_shows_each_format_of_models(up: Up, seen: Page) -> None:
    # Whoever opens a file wants to see it, not to look for a program.
    _asset(up, seen, f"Formats {int(time.time() * 1000)}")
    _upload(seen, {**MODELS, "cube.bin": gltf_bytes()})
    for name in MODELS:
        seen.get_by_label("Files", exact=True).get_by_text(name, exact=True).click()
        expect(seen.get_by_role("heading", name=name)).to_be_visible()
        expect(seen.locator(".va-stage[data-ready=true]")).to_be_visible()
        counted = "8 points" if name.startswith(("points", "map")) else "12 triangles"
        expect(seen.locator(".va-facts")).to_have_text(f"{counted} · 1 × 1 × 1")


def test_the_viewer_shows_pictures_texts_tables_and_documents(up: Up, seen: Page) -> None:
    # The other half of what lies beside a model.
    _asset(up, seen, f"Papers {int(time.time() * 1000)}")
    texts = {name: content for name, (content, _) in TEXTS.items()}
    _upload(seen, {"photo.PNG": png(), **texts, "nothing.txt": b""})
    tree = seen.get_by_label("Files", exact=True)
    for name, (_, shown) in TEXTS.items():
        tree.get_by_text(name, exact=True).click()
        expect(seen.locator(".va-text").get_by_text(shown).first).to_be_visible()
    tree.get_by_text("nothing.txt").click()
    expect(seen.get_by_text("The file is empty.")).to_be_visible()
    tree.get_by_text("photo.PNG").click()
    expect(seen.locator(".va-facts")).to_have_text("64 × 48 pixels")
    before = seen.locator(".va-stage img").get_attribute("style")
    seen.get_by_role("button", name="Zoom in").click()
    assert seen.locator(".va-stage img").get_attribute("style") != before
    shuts_nobody_out(seen)


def test_a_folder_is_uploaded_with_its_folders(up: Up, seen: Page, tmp_path: Path) -> None:
    # Nobody uploads a scan with forty pictures one by one.
    (tmp_path / "scan" / "left").mkdir(parents=True)
    for name in ("all.txt", "left/one.txt", "left/two.txt"):
        (tmp_path / "scan" / name).write_text(f"this is {name}")
    _asset(up, seen, f"Folder {int(time.time() * 1000)}")
    seen.get_by_label("Folder to upload").set_input_files(tmp_path / "scan")
    expect(seen.get_by_text("3 files are uploaded.")).to_be_visible()
    tree = seen.get_by_label("Files", exact=True)
    for name in ("scan", "left", "all.txt", "one.txt", "two.txt"):
        expect(tree.get_by_text(name, exact=True)).to_be_visible()
    tree.get_by_text("two.txt").click()
    expect(seen.get_by_text("this is left/two.txt")).to_be_visible()


def test_a_workflow_runs_and_is_followed(up: Up, seen: Page) -> None:
    # Somebody who waits for a conversion watches it, and reads why it failed.
    seen.goto(f"{up.console}/vams/workflows")
    seen.get_by_role("button", name="Add what is shipped").click()
    expect(seen.get_by_role("heading", name="file-checksums")).to_be_visible()
    _asset(up, seen, f"Checked {int(time.time() * 1000)}")
    _upload(seen, {"note.txt": b"left is left"})
    seen.get_by_role("tab", name="Runs").click()
    seen.get_by_role("button", name="Run a workflow").click()
    seen.get_by_role("dialog").get_by_label("Workflow").click()
    seen.get_by_role("option", name=re.compile("file-checksums")).click()
    _dialog(seen, "Run")
    run = seen.locator(".q-expansion-item").filter(has_text="file-checksums")
    run.locator(".q-item").click()
    expect(run.get_by_text("vams-checksum", exact=True)).to_be_visible()
    expect(run.get_by_text("succeeded").first).to_be_visible()
    expect(run.get_by_text("100 %")).to_be_visible()
    expect(run.get_by_role("button", name="Run again")).to_be_visible()
    picture(seen, "vams run")


def test_a_colleague_is_given_a_role_and_her_sight_is_seen(up: Up, seen: Page) -> None:
    # The administrator must know what she sees without asking for her password.
    _database(up, seen)
    _asset(up, seen, f"Shown {int(time.time() * 1000)}")
    seen.goto(f"{up.console}/vams/users")
    if not seen.get_by_text(READER).count():
        seen.get_by_role("button", name="New user").click()
        seen.get_by_role("dialog").get_by_label("Roles").click()
        seen.get_by_role("option", name="basicReadOnly").click()
        seen.keyboard.press("Escape")
        _dialog(seen, "Create", User_id=READER)
    expect(seen.get_by_text(READER).first).to_be_visible()
    seen.get_by_label("See as").click()
    seen.get_by_role("option", name=READER).click()
    expect(seen.get_by_text(f"You see what {READER} sees")).to_be_visible()
    expect(seen.get_by_text("This user may not see this.")).to_be_visible()
    seen.goto(f"{up.console}/vams")
    expect(seen.get_by_role("heading", name=DATABASE)).to_be_visible()
    expect(seen.get_by_role("button", name="New database")).to_have_count(0)
    picture(seen, "vams seen as a reader")
    shuts_nobody_out(seen)
    seen.get_by_role("button", name="Be yourself again").click()
    expect(seen.get_by_role("button", name="New database")).to_be_visible()


def test_a_constraint_is_written_explained_and_removed(up: Up, page: Page) -> None:
    # "Why can she not open it?" is answered on the page, by the constraint's name.
    name = f"no-secrets-{int(time.time() * 1000)}"
    page.goto(f"{up.console}/vams/permissions")
    page.get_by_role("button", name="New constraint").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add a criterion").first.click()
    dialog.get_by_label("Value").fill("secret-lab")
    dialog.get_by_role("button", name="Add a role or user").click()
    dialog.get_by_label("Effect").click()
    page.get_by_role("option", name="deny").click()
    _dialog(page, "Save", Name=name, Description="Nobody reads the laboratory")
    expect(page.get_by_text(name, exact=True)).to_be_visible()
    picture(page, "vams permissions")

    page.get_by_role("tab", name="Why").click()
    expect(page.get_by_text("Yes", exact=True)).to_be_visible()
    page.get_by_label("databaseId").fill("secret-lab")
    expect(page.get_by_text("No", exact=True)).to_be_visible()
    expect(page.get_by_text(name, exact=True).last).to_be_visible()
    picture(page, "vams why")

    page.get_by_role("tab", name="Constraints").click()
    page.get_by_role("button", name=f"Actions on {name}").click()
    page.get_by_role("menu").get_by_text("Delete").click()
    _dialog(page, "Delete")
    expect(page.get_by_text(name, exact=True)).to_have_count(0)


def test_a_key_is_shown_once_and_opens_the_interface(up: Up, seen: Page) -> None:
    # Whoever reads the page later finds no key.
    name = f"Farm {int(time.time() * 1000)}"
    seen.goto(f"{up.console}/vams/users?tab=Keys")
    seen.get_by_role("button", name="New key").click()
    seen.get_by_role("dialog").get_by_label("Name", exact=True).fill(name)
    seen.get_by_role("dialog").get_by_role("button", name="Create").click()
    shown = seen.get_by_text(re.compile(r"^vams_\S{64}$"))
    expect(shown).to_be_visible()
    raw = shown.inner_text()
    seen.get_by_role("button", name="Done").click()
    seen.reload()
    expect(seen.get_by_text(name)).to_be_visible()
    assert raw not in seen.content()
    answer = httpx.get(
        f"http://127.0.0.1:{up.port}/vams/roles", headers={"Authorization": f"Bearer {raw}"}
    )
    assert answer.status_code == 200
