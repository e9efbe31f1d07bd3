"""`sortkey models` as a program: pages that people read, JSON that programs read, and what it says
when it cannot.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sortkey.cli import main
from sortkey.cli.markdown import markdown
from sortkey.model.description import describe
from sortkey.systems.installed import system_names

OWN = '''
from typing import Annotated, Literal
from sortkey import GSI, Created, Entity, Instant, ItemKey, KeyOnly, Model, Query, Range, States, Table, camel
from sortkey import Flat, GeoPoint, Integer, LatLon, Searchable, Text, document, index, key

model = Model("notes", "Notes in notebooks.")
table = model.add(
    Table(
        "Notes",
        key=("PK", "SK"),
        indexes=[GSI("ByLabel", "label", "rank", projection=("title", "state"), doc="What a label has")],
        types={"rank": "N"},
        ttl="expiresAt",
        stream="NEW_IMAGE",
    )
)


class Note(Entity, table=table, kind="Note", names=camel, archive="#gone"):
    """One note."""

    book: KeyOnly[str]
    number: Annotated[int, Range(1, 999)]
    title: str = "untitled"
    state: Annotated[Literal["open", "done"], States({"open": ["done"]})] = "open"
    label: str | None = None
    rank: int | None = None
    created_at: Annotated[Instant | None, Created] = None

    @key("BOOK#{book}", "NOTE#{number:03d}")
    def key(*, book: str, number: int): ...

    @index("ByLabel", "{label}", "{rank}")
    def by_label(*, label: str):
        """The notes with a label, by rank."""


@model.pattern
def first_open(book: str) -> Query[Note]:
    """The open note of a book with the highest rank."""
    return Note.by_label(label=book).where(Note.state == "open").descending().limit(1)


@model.pattern
def by_code(code: str) -> ItemKey[Note]:
    """The note with a code, as blue-007."""
    book, number = code.split("-")
    return Note.key(book=book, number=int(number))


@document(
    Note,
    "notes",
    id="{book}:{number}",
    fields={"title": Text(), "place": GeoPoint(), "rank": Integer(), "more": Flat()},
    version=lambda note: 1,
)
def searchable_note(note: Note) -> Searchable:
    """A note that is not done."""
    return {"title": note.title, "place": LatLon(44, 8)}


model.searchable(searchable_note)
'''

PAGE = """\
notes
=====
Notes in notebooks.
1 table, 1 entity, 4 access patterns, 1 search document


Table Notes
-----------
  key       PK, SK
  ByLabel   label, rank (N); global, with title, state; What a label has
  settings  TTL by expiresAt, stream of NEW_IMAGE, point-in-time recovery, on demand

  Note (EntityType 'Note', archive '#gone')
    One note.

    key      BOOK#{book}  NOTE#{number:03d}
    ByLabel  {label}      {rank}

    book        book       str, in keys only
    number      number     int, at least 1, at most 999
    title       title      str, default 'untitled'
    state       state      'open' | 'done', default 'open'
                           open → done
    label       label      str | None
    rank        rank       int | None
    created_at  createdAt  datetime | None, set when it is created

    Note.key(book, number)
      One Note by its key.
      GetItem     PK = 'BOOK#book' AND SK = 'NOTE#001'
      read units  0.5 for 1 item of 1 KB

    Note.by_label(label)
      The notes with a label, by rank.
      Query       label = 'label'
      index       ByLabel
      read units  0.5 for 1 item, 12.5 for 100 items of 1 KB


More access patterns
--------------------

  first_open(book)
    The open note of a book with the highest rank.
    Query       label = 'book'
    index       ByLabel
    filter      state = 'open'
    read units  0.5 for 1 item of 1 KB

  by_code(code)
    The note with a code, as blue-007.
    cannot be explained with made-up arguments: ValueError: not enough values to unpack (expected 2,
    got 1)


Search documents
----------------

  notes
    A note that is not done.
    id       {book}:{number}
    index    notes-notes on OpenSearch, notes/notes in a folder
    made of  Note
    follows  Note

    title  text          found by words; matched, counted, sorted whole
    place  place         found in a box, or near a point; sorted by distance
    rank   whole number  matched, ranged, counted, sorted
    more   map           matched by the names in it
"""

MARKDOWN = """\
# notes

Notes in notebooks.

## Table Notes

| index | key | contents | purpose |
| --- | --- | --- | --- |
| table | `PK`, `SK` |  |  |
| ByLabel | `label`, `rank` (N) | global, `title`, `state` | What a label has |

Settings: TTL by `expiresAt`, stream of `NEW_IMAGE`, point-in-time recovery.

### Note

One note.

Items: `EntityType` is `Note`; the partition key of archived items ends with `#gone`.

| index | partition key | sort key |
| --- | --- | --- |
| table | `PK` = `BOOK#{book}` | `SK` = `NOTE#{number:03d}` |
| ByLabel | `label` = `{label}` | `rank` = `{rank}` |

| field | stored as | type | rules |
| --- | --- | --- | --- |
| `book` | `book` | `str` | in keys only |
| `number` | `number` | `int` | at least 1; at most 999 |
| `title` | `title` | `str` | default `'untitled'` |
| `state` | `state` | `'open' \\| 'done'` | default `'open'`; open → done |
| `label` | `label` | `str \\| None` |  |
| `rank` | `rank` | `int \\| None` |  |
| `created_at` | `createdAt` | `datetime \\| None` | set when it is created |

## Access patterns

| pattern | purpose | request | read units |
| --- | --- | --- | --- |
| `Note.key(book, number)` | One Note by its key. \
| GetItem on Notes: `PK = 'BOOK#book' AND SK = 'NOTE#001'` | 0.5 for 1 |
| `Note.by_label(label)` | The notes with a label, by rank. \
| Query on Notes, ByLabel: `label = 'label'` | 0.5 for 1, 12.5 for 100 |
| `first_open(book)` | The open note of a book with the highest rank. \
| Query on Notes, ByLabel: `label = 'book'`, filter `state = 'open'` | 0.5 for 1 |
| `by_code(code)` | The note with a code, as blue-007. |  |  |

## Search documents

### notes

A note that is not done.

Id `{book}:{number}`. Built from Note.

| field | type | purpose |
| --- | --- | --- |
| `title` | text | found by words; matched, counted, sorted whole |
| `place` | place | found in a box, or near a point; sorted by distance |
| `rank` | whole number | matched, ranged, counted, sorted |
| `more` | map | matched by the names in it |
"""


def sortkey(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program, as a user would."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, "-m", "sortkey", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def model_of(system: str) -> Any:
    return import_module(f"sortkey_systems.{system}.model").model


@pytest.fixture(scope="module")
def pages() -> str:
    done = sortkey("models")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "notebook.py").write_text(OWN)
    return tmp_path


def test_a_model_of_ones_own_is_a_page(own: Path) -> None:
    # The whole page, as it is read: a change of it should be looked at.
    done = sortkey("models", "notebook:model", cwd=own)
    assert done.stderr == ""
    assert done.stdout == PAGE


def test_a_model_of_ones_own_is_a_page_of_a_wiki(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The same as on the page for a terminal, in tables that a wiki draws.
    monkeypatch.chdir(own)
    assert main(["models", "--markdown", "notebook:model"]) == 0
    assert capsys.readouterr().out == MARKDOWN


def test_the_five_systems_are_whole_tables_in_markdown() -> None:
    # A row with a cell too many or too few is drawn askew.
    for system in system_names():
        text = markdown(describe(model_of(system)))
        for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, (
                block
            )
        assert all(f"| `{each.name}(" in text for each in model_of(system).patterns())


def test_it_tells_every_table_and_access_pattern_of_the_five_systems(pages: str) -> None:
    # What is not printed is not documented; the console, IAM and the cost estimate list the same
    # patterns.
    for system in system_names():
        model = model_of(system)
        assert f"\n{model.name}\n{'=' * len(model.name)}\n{model.doc}\n" in f"\n{pages}"
        for table in model.tables:
            assert f"\nTable {table.name}\n" in pages
            assert all(
                re.search(rf"^  {re.escape(index.name)} ", pages, re.MULTILINE)
                for index in table.indexes
            )
        for pattern in model.patterns():
            assert re.search(rf"^ +{re.escape(pattern.name)}\(", pages, re.MULTILINE), pattern.name
    assert "Traceback" not in pages


def test_the_pages_fit_a_terminal_of_100_columns(pages: str) -> None:
    # A line that the terminal breaks destroys the columns.
    assert max(len(line) for line in pages.splitlines()) <= 100


def test_every_access_pattern_explains_itself(pages: str) -> None:
    # A pattern that cannot be explained is one whose arguments nobody can guess.
    assert "cannot be explained" not in pages


def test_json_has_the_same_for_programs() -> None:
    # Keys, indexes and settings must be those of the model, not of its text.
    done = sortkey("models", "--json", "wallcrawler", "applens")
    (wallcrawler, applens) = json.loads(done.stdout)
    assert (wallcrawler["name"], applens["name"]) == ("wallcrawler", "applens")
    sessions = wallcrawler["tables"][0]
    assert sessions["name"] == "wallcrawler-sessions"
    assert (sessions["ttl"], sessions["stream"]) == ("expiresAt", "NEW_AND_OLD_IMAGES")
    by_status = next(
        index for index in sessions["indexes"] if index["name"] == "status-expiresAt-index"
    )
    assert (by_status["key"], by_status["projection"]) == (["status", "expiresAt"], "KEYS_ONLY")
    (run,) = applens["tables"][0]["entities"]
    assert run["keys"][0]["templates"] == {"PK": "USER#{userId}", "SK": "RUN#{createdAt}#{runId}"}
    latest = next(pattern for pattern in applens["patterns"] if pattern["name"] == "latest_run")
    assert (latest["operation"], latest["read_units"]) == ("Query", {"1": 0.5})
    assert applens["documents"] == []


def test_a_document_of_several_items_names_all_of_them_and_those_whose_changes_it_follows() -> None:
    # Whoever changes an item wants to know which documents it is part of, and which follow by
    # themselves.
    asset, file = describe(model_of("vams"))["documents"]
    assert asset["made_of"] == [
        "Asset",
        "AssetVersion",
        "S3AssetBucket",
        "AssetLink",
        "AssetFileMetadata",
    ]
    assert asset["follows"] == ["Asset", "AssetLink", "AssetFileMetadata"]
    assert (asset["index"], asset["id"]) == ("vams-asset", "{database_id}:{asset_id}")
    assert file["made_of"] == [*asset["made_of"], "AssetFileVersion", "FileAttribute"]
    size = next(field for field in file["fields"] if field["name"] == "num_filesize")
    assert size == {
        "name": "num_filesize",
        "type": "whole number",
        "for": "matched, ranged, counted, sorted",
    }


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        (
            "nothing",
            2,
            "unknown model 'nothing': use an installed system (applens, jobengine, "
            "travelguide, vams, wallcrawler), or",
        ),
        ("no.such:model", 2, "there is no module 'no' in this folder"),
        ("notebook.more:model", 2, "there is no module 'notebook.more'"),
        ("notebook:table", 2, "notebook has no Model with the name 'table'"),
        ("notebook:", 2, "notebook has no Model with the name ''"),
        (":model", 2, "unknown model ':model'"),
        ("notebook", 2, "your own model as module:attribute (shop:model) or as a file (shop.py)"),
        ("broken:model", 1, "broken cannot be loaded: ModelError: table T has no index 'X'"),
        ("lacking:model", 1, "lacking cannot be loaded: No module named 'nowhere'"),
    ],
)
def test_what_cannot_be_printed_is_said_in_one_line(
    own: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    code: int,
    message: str,
) -> None:
    # A traceback of our program would hide the mistake in theirs.
    (own / "broken.py").write_text(
        "from sortkey import Table\nTable('T', key=('pk',)).index('X')\n"
    )
    (own / "lacking.py").write_text("import nowhere\n")
    monkeypatch.chdir(own)
    assert main(["models", name]) == code
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("sortkey models: ")
    assert message in error
    assert error.count("\n") == 1


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    # `sortkey models | head` is what everybody types first.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "sortkey", "models", "vams"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(10) in (0, 141)
