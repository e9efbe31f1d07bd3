"""`sortkey vams`: passwords and permissions from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import sortkey
from sortkey.cli import main
from sortkey_systems.vams.access.credentials import Credentials
from sortkey_systems.vams.model import model
from sortkey_systems.vams.sample import load


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vams")
    with sortkey.open(str(path)) as store:
        store.ensure(model)
        load(store)
    return path


def test_a_password_is_printed_once_and_stored_as_a_hash(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The way back in for an administrator who has lost theirs.
    assert main(["vams", "password", "ines@example.com", "--data", str(folder)]) == 0
    printed = capsys.readouterr().out.strip()
    with sortkey.open(str(folder)) as store:
        credential = Credentials(store).find("ines@example.com")
    assert credential is not None
    assert credential.matches(printed)
    assert printed not in repr(credential)


def test_a_password_of_somebody_unknown_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A typing error must not make a user.
    assert main(["vams", "password", "nobody@example.com", "--data", str(folder)]) == 1
    assert "sortkey vams users" in capsys.readouterr().err


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
