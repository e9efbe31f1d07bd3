"""Indexing on the embedded index against bare tantivy: the same documents, the same fields, one run
after the other.

The documents are those of VAMS's assets, made beforehand. `python -m bench.search` prints the
ratio, and how soon a change is found (bench/following.py). Ours also normalises, compares versions
and keeps the documents themselves.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tantivy import Document as Row
from tantivy import Index, SchemaBuilder

from bench import following
from bench.goals import met
from sortkey import Searchable, document, open_search
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetVersion,
    Location,
    S3AssetBucket,
    SearchedAsset,
    asset_document,
)
from sortkey_systems.vams.model.identifiers import WHOLE_ASSET

DOCUMENTS = 20_000
ROUNDS = 5
RATIO_MIN = 0.5
FIELDS = asset_document.fields
CREATED = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@dataclass(frozen=True)
class IndexedAsset:
    """What is indexed: the id and the fields of a document."""

    id: str
    fields: dict[str, Any]


@document(
    IndexedAsset,
    "assets",
    id="{id}",
    fields=FIELDS,
    undeclared=FIELDS.rules,
    version=lambda asset: 1,
)
def assets(asset: IndexedAsset) -> Searchable:
    return asset.fields


@dataclass(frozen=True, slots=True)
class Compared:
    """Documents a second of each, by the clock: the best of some rounds, which others have
    disturbed least.
    """

    ours: float
    bare: float

    @property
    def ratio(self) -> float:
        return self.ours / self.bare


def compare(count: int = DOCUMENTS, rounds: int = ROUNDS) -> Compared:
    """Index so many documents with both, in turn."""
    documents = list(_generated(count))
    ours, bare = list[float](), list[float]()
    for _ in range(rounds):
        bare.append(count / _seconds(_bare, documents))
        ours.append(count / _seconds(_ours, documents))
    return Compared(max(ours), max(bare))


def _ours(documents: Sequence[IndexedAsset], folder: Path) -> Callable[[], None]:
    search = open_search(assets, folder)
    search.ensure()
    search.put(*documents)
    search.refresh()
    return search.close


def _bare(documents: Sequence[IndexedAsset], folder: Path) -> Callable[[], None]:
    """As its documentation does it: a schema, documents, a commit."""
    folder.mkdir()
    builder = SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in FIELDS:
        if name.startswith(("str_", "list_")):
            builder.add_text_field(name, stored=True)
            builder.add_text_field(
                f"{name}_exact", fast=True, tokenizer_name="raw", index_option="basic"
            )
        elif name.startswith("bool_"):
            builder.add_boolean_field(name, stored=True, indexed=True, fast=True)
        elif name.startswith(("num_", "date_")):
            builder.add_integer_field(name, stored=True, indexed=True, fast=True)
        elif name == "MD_":
            builder.add_json_field(
                name, stored=True, fast=True, tokenizer_name="raw", index_option="basic"
            )
        else:
            builder.add_text_field(
                name, stored=True, fast=True, tokenizer_name="raw", index_option="basic"
            )
    index = Index(builder.build(), path=str(folder))
    writer = index.writer()
    for asset in documents:
        row = {"id": asset.id, **asset.fields, "date_asset_version_createdate": 1_700_000_000_000}
        row |= {f"{name}_exact": row[name] for name in FIELDS if name.startswith(("str_", "list_"))}
        writer.add_document(Row(**row))
    writer.commit()
    index.reload()
    return writer.wait_merging_threads


def _generated(count: int) -> Iterator[IndexedAsset]:
    chance = random.Random(1)
    words = [f"{chance.choice('bcdfgh')}{number:x}" for number in range(5000)]
    bucket = S3AssetBucket(bucket_id="bucket-1", bucket_name="asset-bucket")
    for number in range(count):
        ids: dict[str, Any] = {"database_id": "my-database", "asset_id": f"x{number:08x}"}
        asset = Asset(
            **ids,
            asset_name=" ".join(chance.choices(words, k=4)),
            asset_type=chance.choice((".glb", ".las", ".e57")),
            description=" ".join(chance.choices(words, k=30)),
            is_distributable=chance.random() < 0.5,
            tags=tuple(chance.choices(words[:50], k=3)),
            asset_location=Location(key=f"x{number:08x}/"),
            preview_location=Location(key=f"x{number:08x}/preview.jpg"),
            bucket_id=bucket.bucket_id,
            updated_at=CREATED,
        )
        comment = " ".join(chance.choices(words, k=6))
        version = AssetVersion(
            **ids, asset_version_id=str(number % 7), comment=comment, created_at=CREATED
        )
        metadata = {"colour": chance.choice(words), "weight": str(number)}
        values = tuple(
            AssetFileMetadata(**ids, file_path=WHOLE_ASSET, metadata_key=key, metadata_value=value)
            for key, value in metadata.items()
        )
        searched = SearchedAsset(asset, version, bucket, metadata=values)
        yield IndexedAsset(asset_document.id_of(searched), asset_document.fields_of(searched) or {})


def _seconds(
    index: Callable[[Sequence[IndexedAsset], Path], Callable[[], None]],
    documents: Sequence[IndexedAsset],
) -> float:
    """Until everything is found; what goes on behind is waited for, and not counted."""
    with _folder() as folder:
        began = time.perf_counter()
        end = index(documents, folder / "index")
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
        f"| of it: {compared.ratio:.2f}×; at least {RATIO_MIN}× | "
        f"{met(compared.ratio >= RATIO_MIN)} |",
        "",
        following.markdown(),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown())
