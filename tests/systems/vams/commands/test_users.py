"""Users, passwords and permissions from the command line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import sortkey
from sortkey.cli import main
from sortkey.systems import Addresses, open_resources
from sortkey_systems.vams.access.audit import AuditLog
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.credentials import Credentials
from sortkey_systems.vams.model import AuthEntity, User, model
from sortkey_systems.vams.sample.rows import sample_document, write_rows
from sortkey_systems.vams.service import Vams


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vams")
    with sortkey.open(str(path)) as store:
        store.ensure(model)
        write_rows(store, sample_document())
    return path


def today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def test_a_password_is_printed_once_and_stored_as_a_hash(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The way back in for an administrator who has lost theirs.
    assert main(["vams", "password", "ines@example.com", "--data", str(folder)]) == 0
    printed = capsys.readouterr().out.strip()
    with sortkey.open(str(folder)) as store:
        credential = Credentials(store).find("ines@example.com")
        user = store.get(User.key(user_id="ines@example.com"))
        records = AuditLog(store, time.time).of_day(today(), "AUTHCHANGES")
    assert credential is not None
    assert user.user_status == "CONFIRMED"
    assert "vams.user.resetPassword" in [record.action for record in records]
    assert credential.matches(printed)
    assert printed not in repr(credential)


def test_a_password_of_somebody_unknown_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A typing error must not make a user.
    assert main(["vams", "password", "nobody@example.com", "--data", str(folder)]) == 1
    assert "sortkey vams users" in capsys.readouterr().err


def test_a_one_time_code_is_set_up_with_the_secret_of_the_server(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The way back in when the role of the administrator requires MFA.
    assert main(["vams", "mfa", "jan@example.com", "--data", str(folder)]) == 1
    assert "sortkey vams password" in capsys.readouterr().err
    assert main(["vams", "password", "jan@example.com", "--data", str(folder)]) == 0
    capsys.readouterr()
    assert main(["vams", "mfa", "jan@example.com", "--data", str(folder)]) == 0
    printed = capsys.readouterr().out.strip()
    with open_resources(Addresses(str(folder)), [model], url="http://testserver") as shared:
        service = Vams(shared.of("vams"))
        credential = service.credentials.find("jan@example.com")
        assert service.users.get("jan@example.com").mfa_enabled is True
    assert credential is not None
    assert credential.code_secret == printed


def roles_and_mark(folder: Path, user: str) -> tuple[tuple[str, ...], object]:
    with sortkey.open(str(folder)) as store:
        roles = Access(store, AuditLog(store, time.time)).caller(user).roles
        mark = store.find(AuthEntity.key(entity_type="change", sk="access"))
    return roles, mark.definition if mark else None


def test_a_disabled_user_has_no_role_until_enabled_and_servers_read_it_again(folder: Path) -> None:
    # Somebody who must be stopped must be stopped at once: servers look for the mark.
    user = "sofia@example.com"
    before, first_mark = roles_and_mark(folder, user)
    assert before
    assert main(["vams", "disable", user, "--data", str(folder)]) == 0
    roles, mark = roles_and_mark(folder, user)
    assert roles == ()
    assert mark != first_mark
    assert main(["vams", "enable", user, "--data", str(folder)]) == 0
    assert roles_and_mark(folder, user)[0] == before
    assert main(["vams", "disable", "nobody@example.com", "--data", str(folder)]) == 1


@pytest.mark.parametrize(
    ("words", "status", "answer"),
    [
        ("jan@example.com GET asset databaseId=hangar-4", 0, "yes: allowed by read-hangar"),
        (
            "jan@example.com GET asset databaseId=hangar-4 tags=aircraft,training",
            1,
            "no: no constraint allows it",
        ),
        (
            "jan@example.com DELETE asset databaseId=plant-rotterdam",
            1,
            "no: denied by scanner-deletes-nothing",
        ),
        ("ines@example.com DELETE asset databaseId=plant-rotterdam", 0, "yes: allowed by edit-pl"),
        ("sofia@example.com GET database databaseId=hangar-4", 1, "no: no constraint allows it"),
    ],
)
def test_who_may_do_what_is_answered_with_the_reason(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, status: int, answer: str
) -> None:
    # The three roles of the sample see different things, and an administrator sees why.
    assert main(["vams", "can", *words.split(), "--data", str(folder)]) == status
    assert capsys.readouterr().out.startswith(answer)
