"""The searches of models: built from their tables where they are missing, in step with them then,
and cheap to have.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

import sortkey
from sortkey import (
    Entity,
    Instant,
    Integer,
    Keyword,
    Match,
    Model,
    Retries,
    Search,
    Searchable,
    Store,
    StreamWorker,
    Table,
    Text,
    Updated,
    camel,
    document,
    key,
    open_searches,
)
from sortkey.connect.searches import ManagedSearch
from sortkey.errors import ModelError
from sortkey.runtime.search import sources
from tests.contract import search_adapters

PATIENCE_SECONDS = 60
notes = Table("Notes", key=("noteId",), stream="NEW_IMAGE")


class Note(Entity, table=notes, names=camel):
    """A note."""

    note_id: str
    text: str
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{noteId}")
    def key(*, note_id: str):
        """A note by its id."""


@document(Note, "notes", id="{noteId}", fields={"text": Text()})
def searchable_note(note: Note) -> Searchable:
    return {"text": note.text}


model = Model("diary")
model.add(notes)
model.searchable(searchable_note)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with sortkey.open(tmp_path / "data") as opened:
        opened.ensure(model)
        yield opened


def ready(searches: sortkey.Searches) -> ManagedSearch:
    assert searches.wait(PATIENCE_SECONDS)
    kept = searches["diary/notes"]
    assert (kept.state, kept.problem) == ("ready", "")
    return kept


def until(test: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not test():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_missing_index_is_built_from_its_table_and_follows_it_then(
    store: Store, tmp_path: Path
) -> None:
    # Who deletes the folder of the index, or brings only the tables, loses nothing but a moment.
    store.create(Note(note_id="a", text="old harbour"))
    for _ in range(2):
        searches = open_searches(store, [model], tmp_path / "search").start()
        kept = ready(searches)
        assert kept.search.query(Match.text("harbour")).ids == ["a"]
        searches.stop()
        searches.stop()
        shutil.rmtree(tmp_path / "search")
    with_changes = open_searches(store, [model], tmp_path / "search").start()
    kept = ready(with_changes)
    store.create(Note(note_id="b", text="new harbour"))
    store.delete(Note.key(note_id="a"))
    until(lambda: kept.search.query(Match.text("harbour")).ids == ["b"])
    assert [part.to_item() for part in kept.parts("b")] == [
        store.get(Note.key(note_id="b")).to_item()
    ]
    with_changes.stop()


def test_who_looks_through_them_is_not_disturbed_while_they_are_opened(
    store: Store, tmp_path: Path
) -> None:
    # The console lists them from its own thread, also in the first moment.
    searches = open_searches(store, [model], tmp_path / "search")
    names = iter(searches)
    ready(searches.start())
    assert (list(names), list(searches)) == ([], ["diary/notes"])
    searches.stop()


def test_what_changed_while_nobody_followed_is_caught_up_with(store: Store, tmp_path: Path) -> None:
    searches = open_searches(store, [model], tmp_path / "search").start()
    ready(searches)
    searches.stop()
    store.create(Note(note_id="a", text="meanwhile"))
    searches.start()
    kept = ready(searches)
    until(lambda: kept.search.count(Match.text("meanwhile")) == 1)
    assert kept.written == 0, "it was built already: that must not be done again"
    searches.stop()


def test_a_change_that_could_not_be_indexed_is_taken_up_again_at_the_next_start(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The disk was full, the service away for longer than one can wait: it is put aside, and not
    # forgotten.
    monkeypatch.setattr("sortkey.connect.searches.RETRIES", Retries(attempts=1))
    searches = open_searches(store, [model], tmp_path / "search").start()
    ready(searches)
    letters = StreamWorker(
        store, [searches["diary/notes"].handler()], name="search-diary"
    ).dead_letters
    with monkeypatch.context() as broken:
        broken.setattr(Search, "write", lambda *_: (_ for _ in ()).throw(OSError("no space left")))
        store.create(Note(note_id="a", text="meanwhile"))
        until(letters.list)
    searches.stop()
    searches.start()
    assert ready(searches).search.count(Match.text("meanwhile")) == 1
    assert letters.list() == []
    searches.stop()


def test_a_build_that_is_cut_off_goes_on_at_the_next_start(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ctrl-C while a large table is read: the stop does not wait for the end, and nothing is
    # forgotten.
    monkeypatch.setattr(sources, "PAGE", 10)
    monkeypatch.setattr("sortkey.runtime.search.index_rebuild.NOTED_PAGES", 1)
    store.batch_write([Note(note_id=f"n{number:03}", text="note") for number in range(50)])
    searches = open_searches(store, [model], tmp_path / "search")
    read: list[int] = []
    pages = sources.entity_pages

    def stopping(*arguments: Any) -> Iterator[Any]:
        for page in pages(*arguments):
            read.append(len(page.entities))
            if len(read) == 3:
                searches._stopping.set()  # pyright: ignore[reportPrivateUsage]
            yield page

    monkeypatch.setattr(sources, "entity_pages", stopping)
    searches.start()
    assert searches.wait(PATIENCE_SECONDS)
    assert searches["diary/notes"].state == "building"
    searches.stop()
    searches.start()
    kept = ready(searches)
    assert kept.written == 30
    assert kept.search.count() == 50
    searches.stop()


def longer_notes() -> Model:
    """The same model with another declaration: a text becomes a keyword, and a number is new."""

    @document(Note, "notes", id="{noteId}", fields={"text": Keyword(), "length": Integer()})
    def notes_by_length(note: Note) -> Searchable:
        return {"text": note.text, "length": len(note.text)}

    diary = Model("diary")
    diary.add(notes)
    diary.searchable(notes_by_length)
    return diary


def is_built_again(store: Store, address: str) -> None:
    store.create(Note(note_id="a", text="old harbour"))
    searches = open_searches(store, [model], address).start()
    ready(searches)
    searches.stop()
    changed = open_searches(store, [longer_notes()], address)
    for written in (1, 0):
        kept = ready(changed.start())
        assert (kept.written, kept.search.query(Match.range("length", at_least=11)).ids) == (
            written,
            ["a"],
        )
        assert kept.search.count(Match.text("harbour")) == 0
        changed.stop()


def test_an_index_whose_document_is_declared_differently_is_built_again_once(
    store: Store, tmp_path: Path
) -> None:
    # A release with another declaration is started, and that is all that anybody does.
    is_built_again(store, str(tmp_path / "search"))


@pytest.mark.slow
@pytest.mark.xdist_group("opensearch")
def test_an_index_on_opensearch_whose_document_is_declared_differently_is_built_again_once(
    store: Store,
) -> None:
    address = f"http://127.0.0.1:{search_adapters.port()}/{search_adapters.unused_prefix()}"
    try:
        is_built_again(store, address)
    finally:
        search_adapters.forget(address)


def test_an_index_of_the_first_format_is_built_again(store: Store, tmp_path: Path) -> None:
    # Its fields had their types in their names, so it did not note their kinds.
    store.create(Note(note_id="a", text="old harbour"))
    searches = open_searches(store, [model], tmp_path / "search").start()
    ready(searches)
    searches.stop()
    noted = {
        "folder": "000002",
        "fields": ["str_text"],
        "format": 1,
        "progress": {"position": None},
    }
    live = tmp_path / "search" / "diary" / "notes" / "live.json"
    assert json.loads(live.read_bytes())["folder"] == noted["folder"]
    live.write_text(json.dumps(noted))
    kept = ready(searches.start())
    assert (kept.written, kept.search.query(Match.text("harbour")).ids) == (1, ["a"])
    searches.stop()


@pytest.mark.slow
@pytest.mark.xdist_group("opensearch")
def test_on_opensearch_the_indexes_of_a_model_have_its_name_and_are_built_once(
    store: Store,
) -> None:
    # Several models, and several programs, share a cluster.
    address = f"http://127.0.0.1:{search_adapters.port()}/{search_adapters.unused_prefix()}"
    store.create(Note(note_id="a", text="old harbour"))
    searches = open_searches(store, [model], address)
    try:
        for written in (1, 0):
            kept = ready(searches.start())
            assert (kept.written, kept.search.query(Match.text("harbour")).ids) == (written, ["a"])
            searches.stop()
        with sortkey.open_search(searchable_note, f"{address}diary-") as there:
            assert there.count() == 1
    finally:
        search_adapters.forget(address)


def test_where_there_is_no_address_the_documents_are_known_and_nothing_is_opened(
    store: Store,
) -> None:
    # On AWS somebody has to say where OpenSearch is; until then the console tells what is missing.
    searches = open_searches(store, [model], None).start()
    assert (list(searches), searches.declared, searches.address) == ([], ["diary/notes"], None)
    searches.stop()


def test_an_index_that_cannot_be_opened_says_why_and_is_opened_when_it_can(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An OpenSearch that is away for a minute must not need a restart; nothing of that minute may be
    # missing.
    monkeypatch.setattr("sortkey.connect.searches.RETRY_SECONDS", 0.01)
    (tmp_path / "search").write_text("not a folder")
    searches = open_searches(store, [model], tmp_path / "search").start()
    assert searches.wait(PATIENCE_SECONDS)
    assert searches["diary/notes"].state == "failed"
    assert "Not a directory" in searches.problem
    store.create(Note(note_id="a", text="meanwhile"))
    (tmp_path / "search").unlink()
    until(lambda: searches["diary/notes"].state == "ready")
    assert searches["diary/notes"].search.count(Match.text("meanwhile")) == 1
    searches.stop()


def test_models_without_documents_cost_nothing(tmp_path: Path) -> None:
    # Neither threads, nor a folder, nor a table for checkpoints.
    with sortkey.open(":memory:") as empty:
        before = threading.active_count()
        searches = open_searches(empty, [Model("empty")], tmp_path / "search").start()
        assert (searches.declared, threading.active_count()) == ([], before)
        assert empty.backend.call("ListTables", {})["TableNames"] == []
        searches.stop()
    assert not (tmp_path / "search").exists()


def test_a_model_has_a_document_once_and_knows_where_it_comes_from() -> None:
    with pytest.raises(ModelError, match="already has a document notes"):
        model.searchable(searchable_note)

    @document(str, "words", id="{upper}", fields={"text": Text()}, version=len)
    def words(text: str) -> Searchable:
        return {"text": text}

    with pytest.raises(
        ModelError, match="words: str is not an entity: pass what reads it, with source="
    ):
        model.searchable(words)
