"""Documents: what an entity becomes, with which id and version, and declarations that cannot be
right.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from sortkey import (
    DeleteDocument,
    Document,
    Entity,
    FieldKind,
    FieldRule,
    Instant,
    Integer,
    Keyword,
    PutDocument,
    Searchable,
    Table,
    Text,
    Updated,
    camel,
    document,
    key,
    version_at,
)
from sortkey.errors import KeyValueError, ModelError

table = Table("Assets", key=("databaseId", "assetId"))
NOON = datetime(2024, 5, 6, 12, 0, 0, 123456, tzinfo=UTC)


class Asset(Entity, table=table, names=camel):
    """What the documents are made of."""

    database_id: str
    asset_id: str
    asset_name: str = "Harbour"
    is_shown: bool = True
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{databaseId}", "{assetId}")
    def key(*, database_id: str, asset_id: str):
        """An asset."""


@document(Asset, "assets", id="{databaseId}:{assetId}", fields={"name": Text(), "kind": Keyword()})
def assets(asset: Asset) -> Searchable:
    """Assets by their names."""
    return {"name": asset.asset_name, "kind": "asset"} if asset.is_shown else None


ASSET = Asset(database_id="db", asset_id="a1", updated_at=NOON)


def test_an_entity_becomes_a_write_with_its_id_and_version() -> None:
    # The version is the instant of the last write, so it also rises when an item is created
    # again.
    fields = {"name": "Harbour", "kind": "asset"}
    assert assets.write_of(ASSET) == PutDocument("db:a1", version_at(NOON), fields)
    assert assets.removal_of(ASSET) == DeleteDocument("db:a1", version_at(NOON) + 1)
    assert assets.write_of(ASSET.changed(is_shown=False)) == DeleteDocument(
        "db:a1", version_at(NOON)
    )
    assert version_at(NOON) == 1_714_996_800_123_456
    assert (assets.doc, assets.name, assets.of) == ("Assets by their names.", "assets", Asset)


def test_an_id_that_would_be_that_of_another_is_refused() -> None:
    with pytest.raises(KeyValueError, match="separates"):
        assets.id_of(ASSET.changed(database_id="a:b"))


def test_an_entity_that_was_never_stored_has_no_version() -> None:
    with pytest.raises(ModelError, match="index entities that a store has returned"):
        assets.write_of(Asset(database_id="db", asset_id="a1"))


@dataclass
class File:
    """A source that is no entity: files are in no table."""

    database_id: str
    key: str
    size: int


def test_a_document_may_be_made_of_anything() -> None:
    @document(
        File, "files", id="{database_id}:{key}", fields={"size": Integer()}, version=lambda file: 7
    )
    def files(file: File) -> Searchable:
        return {"size": file.size}

    assert files.write_of(File("db", "a/b:c.txt", 5)) == PutDocument("db:a/b:c.txt", 7, {"size": 5})
    assert files.id.parse("db:a/b:c.txt") == {"database_id": "db", "key": "a/b:c.txt"}


def declared(**changes: Any) -> Document[Any]:
    settings: dict[str, Any] = {
        "of": Asset,
        "name": "assets",
        "id": "{assetId}",
        "fields": {"a": Text()},
    }
    return document(**{**settings, **changes})(lambda asset: {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Assets"}, "cannot be the name of an index"),
        ({"name": "../x"}, "cannot be the name of an index"),
        ({"id": "asset"}, "the same for every document"),
        ({"id": "{asset_id}"}, "has no asset_id; it has databaseId"),
        ({"fields": {}}, "assets: a document needs fields"),
        (
            {"fields": ("title", "tags")},
            r"assets: fields=\('title', 'tags'\) .* write \{\"title\": Text\(\), …\}",
        ),
        ({"fields": {"title": Text}}, r"title: write Text\(\), with parentheses"),
        ({"fields": {"title": str}}, r"title: <class 'str'> is not a kind of field: use Text\(\)"),
        ({"fields": {"title": "text"}}, "title: 'text' is not a kind of field"),
        ({"fields": {"title": FieldKind()}}, "is not a kind of field"),
        ({"fields": {5: Text()}}, "5 cannot be the name of a field: it must be a text"),
        *(
            (
                {"fields": {name: Text()}},
                "cannot be the name of a field: 1 to 200 characters without dots, stars",
            )
            for name in ("", "  ", "a.b", "a*", 'a"b', "a\\b", "a\0", "x" * 201)
        ),
        ({"fields": {"-size": Text()}}, "a leading minus means a descending order"),
        ({"fields": {"_id": Text()}}, "the index has one of that name for itself"),
        ({"fields": {"_source": Text()}}, "the index has one of that name for itself"),
        ({"fields": {"sortkey_text": Text()}}, "the index has one of that name for itself"),
        ({"undeclared": ["num_*"]}, r"'num_\*' is not a rule: write FieldRule\("),
        (
            {"undeclared": [FieldRule("a*", Text()), FieldRule("a*", None)]},
            r"two rules have the pattern a\*",
        ),
        (
            {"undeclared": [FieldRule("a*", Text(), "x"), FieldRule("b*", Text(), "x")]},
            "two rules have the name x",
        ),
        ({"of": File, "id": "{key}"}, "pass what orders its writes"),
    ],
)
def test_a_declaration_that_cannot_be_right_says_what_to_write(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        declared(**changes)


def test_a_value_that_does_not_fit_is_refused_with_its_document_and_field() -> None:
    # Thousands of documents are written: the message must say which program to look at.
    with pytest.raises(ModelError, match="the document assets: name: 5 is not a text"):
        assets.normal({"name": 5})
