"""From a file to a run: links that are bound to one upload, and runs that know which version they
are about.
"""

from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from sortkey.errors import AlreadyExists
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.refusals import NotUploaded, UploadRefused
from sortkey_systems.applens.service import AppLens, Provenance
from tests.systems.applens.test_model import example
from tests.systems.applens.uploading import SHOP, SHOP_SAFER, USER, analyzed, send
from tests.systems.homes import Home


@pytest.mark.accepts("AL-23", "AL-24")
def test_AL_23_a_file_is_sent_over_its_link_and_becomes_a_run(service: AppLens, home: Home) -> None:
    # The way of every upload: the file never passes through the service.
    link = service.presign(USER, "prod", "main.tf.json", size=2)
    assert link.key == "uploads/prod/12345/main.tf.json"
    assert send(link, b"{}") == 200
    run = service.complete(USER, "prod", "main.tf.json")
    assert run.status == "UPLOADED"
    assert run.iac is not None
    assert run.iac.key == link.key
    assert run.iac.version_id == home.objects["applens"].head(link.key).version_id
    assert home.store.first(Run.by_id(run_id=run.run_id)) == run


@pytest.mark.parametrize(("data", "content_type"), [(b"{ }", None), (b"{}", "text/html")])
def test_a_link_takes_only_what_it_was_made_for(
    service: AppLens, data: bytes, content_type: str | None
) -> None:
    # Whoever has a link could otherwise send gigabytes, or a page that runs in a browser.
    link = service.presign(USER, "prod", "main.tf.json", size=2)
    with pytest.raises(HTTPError):
        send(link, data, content_type)
    with pytest.raises(NotUploaded):
        service.complete(USER, "prod", "main.tf.json")


def test_a_link_is_for_one_file_of_one_user(service: AppLens) -> None:
    # The key is part of what is signed.
    link = service.presign(USER, "prod", "main.tf", size=2)
    for other in ("uploads/prod/67890/main.tf", "uploads/prod/12345/other.tf"):
        url = link.url.replace("uploads/prod/12345/main.tf", other)
        with pytest.raises(HTTPError):
            urlopen(Request(url, b"{}", {"Content-Type": "text/plain"}, method="PUT"))


@pytest.mark.parametrize(
    "filename",
    [
        "",
        "..",
        "../main.tf",
        "a/b.tf",
        "a\\b.tf",
        "main.exe",
        ".tf",
        "a..tf",
        "main.tf\n",
        "x" * 200 + ".tf",
    ],
)
def test_names_that_lead_elsewhere_or_are_no_terraform_are_refused(
    service: AppLens, filename: str
) -> None:
    # The name stands in the object's key.
    with pytest.raises(UploadRefused):
        service.presign(USER, "prod", filename, size=2)
    with pytest.raises(UploadRefused):
        service.complete(USER, "prod", filename)


@pytest.mark.parametrize("size", [-1, 0, 10_000_001])
def test_only_ten_megabytes_are_taken(service: AppLens, size: int) -> None:
    # Said before anything is sent.
    with pytest.raises(UploadRefused, match="10,000,000"):
        service.presign(USER, "prod", "plan.json", size=size)
    assert (
        service.presign(USER, "prod", "plan.json", size=10_000_000).headers["Content-Length"]
        == "10000000"
    )


def test_types_that_a_browser_would_run_are_refused(service: AppLens) -> None:
    # The file can be downloaded again from the place where the console lies.
    with pytest.raises(UploadRefused, match="text/html"):
        service.presign(USER, "prod", "main.tf", size=2, content_type="text/html")


@pytest.mark.parametrize(
    ("filename", "kind"),
    [
        ("main.tf", "text/plain"),
        ("main.tf.json", "application/json"),
        ("infra.zip", "application/zip"),
        ("infra.tar.gz", "application/gzip"),
        ("infra.tgz", "application/gzip"),
        ("infra.tar", "application/x-tar"),
    ],
)
def test_the_type_follows_from_the_name(service: AppLens, filename: str, kind: str) -> None:
    # A client that knows no types still gets a link that works.
    assert service.presign(USER, "dev", filename, size=2).headers["Content-Type"] == kind


def test_a_run_before_its_file_is_refused(service: AppLens) -> None:
    # There would be nothing to analyse.
    with pytest.raises(NotUploaded, match=r"main\.tf was not sent yet"):
        service.complete(USER, "prod", "main.tf")


@pytest.mark.parametrize("user_id", ["1/2", "1#2", "..", ""])
def test_a_user_that_would_lead_elsewhere_is_refused(service: AppLens, user_id: str) -> None:
    # Users come from tokens, whoever issued them.
    with pytest.raises(UploadRefused):
        service.upload(user_id, "prod", "main.tf", SHOP)
    with pytest.raises(UploadRefused):
        service.presign(user_id, "prod", "main.tf", 2)


@pytest.mark.accepts("AL-24")
def test_AL_24_a_second_upload_of_the_same_name_leaves_the_first_run_its_own(
    service: AppLens,
) -> None:
    # Both have the same key: the version tells them apart, also where the first is analysed after
    # the second came.
    first = service.upload(USER, "prod", "main.tf", SHOP)
    second = service.upload(USER, "prod", "main.tf", SHOP_SAFER)
    assert first.iac is not None
    assert second.iac is not None
    assert first.iac.key == second.iac.key
    assert first.iac.version_id != second.iac.version_id
    for run in (first, second):
        service.analyze(USER, run.run_id)
        service.worker().run_once()
    assert service.get(USER, first.run_id).node_count == 3
    assert service.get(USER, second.run_id).node_count == 4


@pytest.mark.accepts("AL-19")
def test_AL_19_what_is_known_of_the_source_is_kept_and_nothing_else(service: AppLens) -> None:
    # Absent when unknown, never empty.
    known = Provenance(iac_commit_sha="0a1b2c3", region="eu-west-1")
    item = service.upload(USER, "prod", "main.tf", SHOP, known).to_item()
    assert item["iacCommitSha"] == {"S": "0a1b2c3"}
    assert item["region"] == {"S": "eu-west-1"}
    assert not {"accountId", "terraformWorkspace"} & item.keys()
    with pytest.raises(ValueError, match="account_id"):
        Provenance(account_id="")


@pytest.mark.accepts("AL-9")
def test_AL_9_an_id_that_is_taken_is_not_used_again(home: Home) -> None:
    # Six digits collide: at ten thousand runs, about once in three.
    ids = iter(["c8a91e", "c8a91e", "c8a91e", "b00b1e", "b00b1e", "b00b1e", "b00b1e", "0a1b2c3d"])
    service = AppLens(home.store, entropy=lambda size: next(ids))
    service.ensure()
    made = [service.upload(USER, "prod", "main.tf", SHOP).run_id for _ in range(3)]
    assert made == ["c8a91e", "b00b1e", "0a1b2c3d"]


@pytest.mark.accepts("AL-9", "AL-28")
def test_AL_9_the_id_of_a_run_that_another_program_wrote_is_taken_too(home: Home) -> None:
    # Such a run has no guard item: only the index knows it.
    ids = iter(["c8a91e", "b00b1e"])
    service = AppLens(home.store, entropy=lambda size: next(ids))
    service.ensure()
    foreign = Run.from_item(example()).to_item()
    home.store.backend.call("PutItem", {"TableName": "applens-graph-metadata", "Item": foreign})
    assert service.upload(USER, "prod", "main.tf", SHOP).run_id == "b00b1e"


def test_the_longest_way_out_of_taken_ids_ends(home: Home) -> None:
    # Better an error than a loop.
    service = AppLens(home.store, entropy=lambda size: "same")
    service.ensure()
    analyzed(service)
    with pytest.raises(AlreadyExists, match="no id for a run was free"):
        service.upload(USER, "prod", "main.tf", SHOP)
