"""`sortkey reindex` and `sortkey reconcile`: what they do to the indexes of a model, what they
print, how they end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest

import sortkey
from sortkey import (
    DeleteDocument,
    Entity,
    Instant,
    Match,
    Model,
    Search,
    Searchable,
    Table,
    Text,
    Updated,
    camel,
    document,
    key,
)
from sortkey.cli import main
from sortkey.cli.search_documents import SHOWN
from sortkey.model.description import describe
from tests.contract import search_adapters

MODEL = "tests.cli.test_reindex:model"
notes = Table("Notes", key=("noteId",), stream="NEW_IMAGE")


class Note(Entity, table=notes, names=camel):
    """A note."""

    note_id: str
    text: str
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{noteId}")
    def key(*, note_id: str):
        """A note by its id."""


def _searchable(note: Note) -> Searchable:
    return {"text": note.text}


model = Model("diary")
model.add(notes)
words = document(Note, "words", id="{noteId}", fields={"text": Text()})(_searchable)
model.searchable(words)
model.searchable(document(Note, "other", id="{noteId}", fields={"text": Text()})(_searchable))
empty = Model("empty")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with two notes, in the place where the commands look for it."""
    monkeypatch.chdir(tmp_path)
    with sortkey.open("data") as store:
        store.ensure(model)
        for name in "ab":
            store.create(Note(note_id=name, text=f"harbour {name}"))
    return tmp_path


@pytest.fixture
def index(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Search[Note]]:
    """The index of words, built, and held by nobody until it is written."""
    assert main(["reindex", MODEL, "words"]) == 0
    capsys.readouterr()
    with sortkey.open_search(words, "data/searches/diary") as opened:
        yield opened


def drift(index: Search[Note]) -> None:
    """One is missing, one is found that is not there; `b` has other words."""
    with sortkey.open("data") as store:
        (a, b) = sorted(store.scan(Note), key=lambda note: note.note_id)
    ghost = a.model_copy(update={"note_id": "ghost"})
    index.write(
        [
            words.removal_of(a),
            words.write_of(ghost),
            words.write_of(b.model_copy(update={"text": "else"})),
        ]
    )
    index.close()


def test_indexes_are_built_anew_where_up_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    # The same folders, or `sortkey up` would build them again; all of the model, or one.
    assert main(["reindex", MODEL]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"diary/{name}: rebuilt, 2 documents (2 written by this run)" for name in ("words", "other")
    ]
    assert all(
        Path("data/searches", each["folder"], "live.json").exists()
        for each in describe(model)["documents"]
    )
    with sortkey.open_search(words, "data/searches/diary") as index:
        assert sorted(index.query(Match.text("harbour")).ids) == ["a", "b"]
    assert main(["reindex", MODEL, "other", "--json"]) == 0
    done = {
        "document": "diary/other",
        "count": 2,
        "written": 2,
        "changed_meanwhile": 0,
        "unreadable": [],
    }
    assert json.loads(capsys.readouterr().out) == [done]


def test_a_dry_run_lists_what_differs_and_leaves_it(
    index: Search[Note], capsys: pytest.CaptureFixture[str]
) -> None:
    # It stands in a cron job: the exit code is the alarm.
    drift(index)
    for _ in range(2):
        assert main(["reconcile", MODEL, "words", "--dry-run"]) == 1
        assert capsys.readouterr().out.splitlines() == [
            "missing     a",
            "stale       b",
            "orphaned    ghost",
            "diary/words: 2 checked: 1 missing, 1 stale, 1 orphaned, not repaired",
        ]


def test_what_differs_is_repaired(index: Search[Note], capsys: pytest.CaptureFixture[str]) -> None:
    drift(index)
    assert main(["reconcile", MODEL, "words", "--json"]) == 0
    found = {"missing": ["a"], "stale": ["b"], "orphaned": ["ghost"], "unreadable": []}
    assert json.loads(capsys.readouterr().out) == [
        {"document": "diary/words", "checked": 2, **found, "is_repaired": True}
    ]
    assert main(["reconcile", MODEL, "words", "--dry-run"]) == 0
    assert capsys.readouterr().out == "diary/words: 2 checked: 0 missing, 0 stale, 0 orphaned\n"


@pytest.mark.parametrize("command", ["reindex", "reconcile"])
def test_what_cannot_be_read_is_named_and_ends_with_1(
    index: Search[Note], capsys: pytest.CaptureFixture[str], command: str
) -> None:
    # Nobody finds that item: an exit code of 0 would say that all is well.
    with sortkey.open("data") as store:
        store.backend.call(
            "PutItem", {"TableName": "Notes", "Item": {"noteId": {"S": "c"}, "text": {"N": "1"}}}
        )
    assert main([command, MODEL, "words"]) == 1
    assert capsys.readouterr().out.startswith("unreadable  ")


def test_an_index_that_another_process_writes_is_left_alone_and_can_be_compared(
    index: Search[Note], capsys: pytest.CaptureFixture[str]
) -> None:
    # A `sortkey up` has the folder: two writers would destroy the index.
    index.write([DeleteDocument("a", index.versions_of(["a"])["a"] + 1)])
    index.flush()
    for command in ("reindex", "reconcile"):
        assert main([command, MODEL, "words"]) == 1
        said = capsys.readouterr().err
        assert "is written by process" in said
        assert "stop that" in said
    assert main(["reconcile", MODEL, "words", "--dry-run"]) == 1
    assert "missing     a\n" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.xdist_group("opensearch")
def test_the_same_is_done_on_opensearch_also_while_it_is_searched(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # There an index has many writers: nobody has to be stopped.
    address = f"http://127.0.0.1:{search_adapters.port()}/{search_adapters.unused_prefix()}"
    try:
        assert main(["reconcile", MODEL, "words", "--search", address]) == 1
        assert f"run `sortkey reindex {MODEL} words`" in capsys.readouterr().err
        assert main(["reindex", MODEL, "words", "--search", address]) == 0
        with sortkey.open_search(words, f"{address}diary-") as index:
            assert sorted(index.query(Match.text("harbour")).ids) == ["a", "b"]
            index.write([DeleteDocument("a", index.versions_of(["a"])["a"] + 1)])
            assert main(["reconcile", MODEL, "words", "--search", address]) == 0
            assert "missing     a\n" in capsys.readouterr().out
            assert index.query(Match.text("harbour")).total == 2
    finally:
        search_adapters.forget(address)


def test_a_long_list_is_cut_for_people(
    index: Search[Note], capsys: pytest.CaptureFixture[str]
) -> None:
    # Ten thousand lines hide the one that counts.
    with sortkey.open("data") as store:
        store.batch_write(
            [Note(note_id=f"n{number:03}", text="note") for number in range(SHOWN + 5)]
        )
    assert main(["reconcile", MODEL, "words"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == SHOWN + 2
    assert said[-2].strip() == "and 5 more: --json lists all"
    assert said[-1].endswith(f"{SHOWN + 5} missing, 0 stale, 0 orphaned, repaired")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["reindex", MODEL, "nothing"],
            2,
            "diary has no search document 'nothing': choose from words, other",
        ),
        (["reindex", "tests.cli.test_reindex:empty"], 2, "empty has no search documents"),
        (["reindex", MODEL, "--data", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["reindex", MODEL, "--data", "aws://eu-west-1"], 2, "with --search"),
        (
            ["reindex", "vams", "--data", "aws://eu-west-1", "--search", "http://127.0.0.1:9"],
            2,
            "--objects",
        ),
        (["reindex", MODEL, "--search", "http://127.0.0.1:9"], 1, "OpenSearch does not answer"),
        (["reindex", MODEL, "--search", "ftp://host"], 1, "an address of OpenSearch is"),
        (
            ["reindex", "vams", "asset"],
            1,
            "AssetFileMetadataStorageTableV2 do not exist: check --data",
        ),
        (["reconcile", MODEL, "words"], 1, f"run `sortkey reindex {MODEL} words`"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert main(arguments) == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not Path("data/searches").exists()


def test_the_shell_completes_documents(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SORTKEY_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "sortkey reindex vams as")
    with pytest.raises(SystemExit):
        main([])
    assert "asset" in capsys.readouterr().out
