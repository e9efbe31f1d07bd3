"""Indexing on the embedded index against bare tantivy: the same documents, the same fields, one run after the other.

`python -m bench.search` prints the ratio, and how soon a change is found (bench/following.py). Ours also normalises,
compares versions and keeps the documents themselves.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tantivy import Document as Row
from tantivy import Index, SchemaBuilder

from bench import following
from bench.goals import met
from sortkey import Searchable, document, open_search

DOCUMENTS = 20_000
ROUNDS = 5
RATIO_MIN = 0.5
FIELDS = (
    "str_databaseid",
    "str_assetid",
    "str_assetname",
    "str_assettype",
    "str_description",
    "str_bucketid",
    "str_bucketname",
    "str_asset_version_id",
    "str_asset_version_comment",
    "str_assetlocationkey",
    "num_filesize",
    "bool_isdistributable",
    "bool_archived",
    "date_asset_version_createdate",
    "list_tags",
    "MD_",
    "_rectype",
)


@dataclass(frozen=True)
class Asset:
    """What is indexed: an id, and the fields of a document."""

    id: str
    fields: dict[str, Any]


@document(Asset, "assets", id="{id}", fields=FIELDS, version=lambda asset: 1)
def assets(asset: Asset) -> Searchable:
    return asset.fields


@dataclass(frozen=True, slots=True)
class Compared:
    """Documents a second of each, by the clock: the best of some rounds, which others have disturbed least."""

    ours: float
    bare: float

    @property
    def ratio(self) -> float:
        return self.ours / self.bare


def compare(count: int = DOCUMENTS, rounds: int = ROUNDS) -> Compared:
    """Index so many documents with both, in turn."""
    made = list(_made(count))
    ours, bare = list[float](), list[float]()
    for _ in range(rounds):
        bare.append(count / _seconds(_bare, made))
        ours.append(count / _seconds(_ours, made))
    return Compared(max(ours), max(bare))


def _ours(made: Sequence[Asset], folder: Path) -> Callable[[], None]:
    search = open_search(assets, folder)
    search.ensure()
    search.put(*made)
    search.refresh()
    return search.close


def _bare(made: Sequence[Asset], folder: Path) -> Callable[[], None]:
    """As its documentation does it: a schema, documents, a commit."""
    folder.mkdir()
    builder = SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in FIELDS:
        if name.startswith(("str_", "list_")):
            builder.add_text_field(name, stored=True)
            builder.add_text_field(f"{name}_exact", fast=True, tokenizer_name="raw", index_option="basic")
        elif name.startswith("bool_"):
            builder.add_boolean_field(name, stored=True, indexed=True, fast=True)
        elif name.startswith(("num_", "date_")):
            builder.add_integer_field(name, stored=True, indexed=True, fast=True)
        elif name == "MD_":
            builder.add_json_field(name, stored=True, fast=True, tokenizer_name="raw", index_option="basic")
        else:
            builder.add_text_field(name, stored=True, fast=True, tokenizer_name="raw", index_option="basic")
    index = Index(builder.build(), path=str(folder))
    writer = index.writer()
    for asset in made:
        row = {"id": asset.id, **asset.fields, "date_asset_version_createdate": 1_700_000_000_000}
        row |= {f"{name}_exact": row[name] for name in FIELDS if name.startswith(("str_", "list_"))}
        writer.add_document(Row(**row))
    writer.commit()
    index.reload()
    return writer.wait_merging_threads


def _made(count: int) -> Iterator[Asset]:
    chance = random.Random(1)
    words = [f"{chance.choice('bcdfgh')}{number:x}" for number in range(5000)]
    for number in range(count):
        yield Asset(
            f"my-database:x{number:08x}",
            {
                "str_databaseid": "my-database",
                "str_assetid": f"x{number:08x}",
                "str_assetname": " ".join(chance.choices(words, k=4)),
                "str_assettype": chance.choice((".glb", ".las", ".e57")),
                "str_description": " ".join(chance.choices(words, k=30)),
                "str_bucketid": "bucket-1",
                "str_bucketname": "asset-bucket",
                "str_asset_version_id": str(number % 7),
                "str_asset_version_comment": " ".join(chance.choices(words, k=6)),
                "str_assetlocationkey": f"x{number:08x}/",
                "num_filesize": chance.randrange(10**9),
                "bool_isdistributable": chance.random() < 0.5,
                "bool_archived": False,
                "date_asset_version_createdate": "2024-05-06T07:08:09.000Z",
                "list_tags": chance.choices(words[:50], k=3),
                "MD_": {"colour": chance.choice(words), "weight": str(number)},
                "_rectype": "asset",
            },
        )


def _seconds(index: Callable[[Sequence[Asset], Path], Callable[[], None]], made: Sequence[Asset]) -> float:
    """Until everything is found; what goes on behind is waited for, and not counted."""
    with _folder() as folder:
        began = time.perf_counter()
        end = index(made, folder / "index")
        seconds = time.perf_counter() - began
        end()
        return seconds


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sortkey-search-") as name:
        yield Path(name)


def markdown(compared: Compared | None = None) -> str:
    """The section of a report."""
    compared = compared or compare()
    lines = [
        "## Search",
        "",
        "| | documents a second |",
        "|---|---|",
        f"| indexing with bare tantivy | {compared.bare:,.0f} |",
        f"| indexing with ours | {compared.ours:,.0f} |",
        f"| of it: {compared.ratio:.2f}×; at least {RATIO_MIN}× | {met(compared.ratio >= RATIO_MIN)} |",
        "",
        following.markdown(),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown())
