"""From a change of an asset to the notices of its subscribers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from sortkey_systems.vams.changes import KINDS, AssetChanged
from sortkey_systems.vams.notices.notices import ATTEMPTS_MAX, HAPPENED
from sortkey_systems.vams.notices.records import Notice
from tests.systems.vams.host import ADMIN, READER, Requests, hosted
from tests.systems.vams.notices.mail_server import MailServer, mail_server
from tests.systems.vams.stock import add_user, make_asset

DAY = 24 * 3600.0


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with mail_server() as opened:
        yield opened


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, server: MailServer) -> Iterator[Requests]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SORTKEY_VAMS_SMTP", server.url)
        patch.setenv("SORTKEY_VAMS_MAIL_FROM", "Assets <assets@example.com>")
        with hosted(tmp_path_factory.mktemp("vams")) as opened:
            yield opened


@pytest.fixture
def requests(host: Requests, server: MailServer) -> Requests:
    """A host with an asset `pump` and one subscriber; nothing was sent yet."""
    store, known = host.service.store, host.service.assets.find("plant", "pump")
    if known is not None:
        store.put(known.changed(asset_name="pump"))
        host.service.subscriptions.remove_all(known)
    prepare(host)
    for notice in store.scan(Notice):
        store.delete(notice)
    server.messages.clear()
    server.answers.clear()
    return host


def prepare(requests: Requests) -> None:
    if requests.service.assets.find("plant", "pump") is None:
        make_asset(requests, "plant", "pump")
    subscribe(requests, READER)
    requests.service.jobs.run_due()


def subscribe(requests: Requests, *users: str) -> None:
    body = {
        "eventName": "Asset Version Change",
        "entityName": "Asset",
        "entityId": "pump",
        "subscribers": list(users),
    }
    answer = requests("POST", "/subscriptions", body)
    assert answer.status_code == 200, answer.text


def change(requests: Requests) -> None:
    body = {"description": f"changed at {time.monotonic_ns()}"}
    answer = requests("PUT", "/database/plant/assets/pump", body)
    assert answer.status_code == 200, answer.text


def test_a_change_of_an_asset_reaches_its_subscriber_by_mail(
    requests: Requests, server: MailServer
) -> None:
    # From the request to the mail server; the row says that it was sent.
    change(requests)
    requests.service.jobs.run_due()
    (message,) = server.messages
    assert (message["To"], message["From"]) == (READER, "Assets <assets@example.com>")
    assert message["Subject"] == "pump was changed"
    text = message.get_content()
    assert "in the database plant was changed" in text
    assert f"by {ADMIN}" in text
    (notice,) = requests.service.notices.by_status("sent")
    assert (notice.user_id, notice.attempts) == (READER, 1)
    assert message["Message-ID"] == f"<{notice.notice_id}@vams>"


def test_every_kind_of_change_has_a_text() -> None:
    # A new version, a revert, an upload, an archive and back, an update, a deletion.
    assert set(HAPPENED) == set(KINDS)


def test_a_change_that_is_handled_twice_is_announced_once(
    requests: Requests, server: MailServer
) -> None:
    # The job of a change runs again when its worker died before the end.
    listener = requests.service.notices._on_change
    happened = AssetChanged("plant", "pump", "pump", "version", ADMIN, "now", "change-1")
    listener(happened)
    listener(happened)
    requests.service.jobs.run_due()
    assert [message["Subject"] for message in server.messages] == ["pump has a new version"]
    listener(happened)
    requests.service.jobs.run_due()
    assert len(server.messages) == 1


def test_a_subscriber_who_may_not_see_the_asset_any_more_gets_nothing(
    requests: Requests, server: MailServer
) -> None:
    # A notice has the name of the asset.
    rule = ("asset", "GET", {"databaseId": "plant"})
    add_user(requests, "sue@example.com", rule)
    subscribe(requests, "sue@example.com")
    change(requests)
    requests.service.jobs.run_due()
    assert {message["To"] for message in server.messages} == {READER, "sue@example.com"}
    assert requests("DELETE", "/user-roles", {"userId": "sue@example.com"}).status_code == 200
    server.messages.clear()
    change(requests)
    requests.service.jobs.run_due()
    assert [message["To"] for message in server.messages] == [READER]


def test_a_notice_waits_for_a_server_that_is_away_and_names_the_reason(
    requests: Requests, server: MailServer
) -> None:
    # A mail server restarts now and then.
    server.answers[READER] = "451 come back later"
    change(requests)
    requests.service.jobs.run_due()
    (notice,) = requests.service.notices.by_status("pending")
    assert notice.attempts == 1
    assert "451" in (notice.last_error or "")
    server.answers.clear()
    requests.service.jobs.run_due(clock=lambda: time.time() + DAY)
    assert len(server.messages) == 1
    (sent,) = requests.service.notices.by_status("sent")
    assert (sent.notice_id, sent.attempts) == (notice.notice_id, 2)


def test_a_recipient_who_does_not_exist_is_not_tried_again(
    requests: Requests, server: MailServer
) -> None:
    # The server says so for good.
    server.answers[READER] = "550 nobody here"
    change(requests)
    requests.service.jobs.run_due()
    (notice,) = requests.service.notices.by_status("failed")
    assert notice.attempts == 1
    requests.service.jobs.run_due(clock=lambda: time.time() + DAY)
    assert server.messages == []


def test_tries_have_an_end(requests: Requests, server: MailServer) -> None:
    # A notice of last year helps nobody.
    server.answers[READER] = "451 come back later"
    change(requests)
    for day in range(ATTEMPTS_MAX + 2):
        ahead = day * DAY
        requests.service.jobs.run_due(clock=lambda ahead=ahead: time.time() + ahead)
    (notice,) = requests.service.notices.by_status("failed")
    assert notice.attempts == ATTEMPTS_MAX
    assert requests.service.notices.by_status("pending") == []


def test_the_deletion_of_an_asset_is_announced_before_its_subscription_goes(
    requests: Requests, server: MailServer
) -> None:
    # The job that deletes everything also deletes who wanted to know, and what they were sent.
    change(requests)
    requests.service.jobs.run_due()
    assert len(requests.service.notices.by_status("sent")) == 1
    server.messages.clear()
    body = {"confirmPermanentDelete": True}
    answer = requests("DELETE", "/database/plant/assets/pump/deleteAsset", body)
    assert answer.status_code == 200, answer.text
    requests.service.jobs.run_due()
    assert [message["Subject"] for message in server.messages] == ["pump was deleted"]
    assert requests.service.store.scan(Notice) == []
    assert requests("GET", "/subscriptions").json()["message"]["Items"] == []


def test_a_temporary_password_is_mailed_and_stays_in_no_table(
    requests: Requests, server: MailServer
) -> None:
    # Its file goes when the mail server has it.
    body = {"userId": "eve@example.com", "email": "eve@example.com"}
    assert requests("POST", "/user/cognito", body).status_code == 200
    (file,) = requests.service.outbox.folder.glob("*.eml")
    requests.service.jobs.run_due()
    (message,) = server.messages
    assert message["To"] == "eve@example.com"
    assert "temporary password" in message.get_content()
    assert not file.exists()
    assert requests.service.store.scan(Notice) == []


@pytest.mark.slow
def test_without_a_mail_server_notices_are_files_in_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An operator or a mail program takes them from there.
    monkeypatch.delenv("SORTKEY_VAMS_SMTP", raising=False)
    with hosted(tmp_path) as requests:
        prepare(requests)
        change(requests)
        requests.service.jobs.run_due()
        folder = requests.service.outbox.folder
        (file,) = folder.glob("*.eml")
        assert folder.stat().st_mode & 0o077 == 0
        message = message_from_bytes(file.read_bytes(), policy=policy.default)
        assert (message["To"], message["Subject"]) == (READER, "pump was changed")


def test_a_name_with_line_breaks_makes_no_header(requests: Requests, server: MailServer) -> None:
    # Rows of other programs can have any name.
    asset = requests.service.assets.find("plant", "pump")
    assert asset is not None
    requests.service.store.put(asset.changed(asset_name="pump\r\nBcc: eve@example.com"))
    change(requests)
    requests.service.jobs.run_due()
    (message,) = server.messages
    assert message["Bcc"] is None
    assert message["Subject"] == "pump Bcc: eve@example.com was changed"
