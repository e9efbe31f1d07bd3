"""Every access pattern of the model, run against data in which the wrong index or prefix would
show.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import sortkey
from sortkey import Entity, ItemKey, Query, Store
from sortkey.errors import ModelError
from sortkey_systems.vams import model as vams
from sortkey_systems.vams.model import model
from tests.systems.vams.examples import ITEMS, stored

DAY = datetime(2026, 2, 22, tzinfo=UTC)


def version_value(version: str, kind: Any, path: str, key: str) -> Entity:
    return vams.AssetFileMetadataVersion(
        database_id="d",
        asset_id="a",
        asset_version_id=version,
        type=kind,
        file_path=path,
        metadata_key=key,
        metadata_value=f"{version} {kind} {path} {key}",
    )


def link(link_id: str, from_asset: str, to_asset: str, kind: Any) -> Entity:
    return vams.AssetLink(
        asset_link_id=link_id,
        from_asset_database_id="d",
        from_asset_id=from_asset,
        to_asset_database_id="e",
        to_asset_id=to_asset,
        relationship_type=kind,
    )


def execution(asset: str, execution_id: str, workflow_database: str, workflow: str) -> Entity:
    return vams.WorkflowExecution(
        database_id="d",
        asset_id=asset,
        execution_id=execution_id,
        workflow_database_id=workflow_database,
        workflow_id=workflow,
    )


def upload(upload_id: str, database: str, asset: str, user: str, day: int) -> Entity:
    created = DAY.replace(day=day)
    return vams.AssetUpload(
        upload_id=upload_id, database_id=database, asset_id=asset, user_id=user, created_at=created
    )


def file_value(entity: Any, kind: str, asset: str, path: str, key: str) -> Entity:
    values = {f"{kind}_key": key, f"{kind}_value": f"{asset}{path} {key}"}
    return entity(database_id="d", asset_id=asset, file_path=path, **values)


DATA: list[Entity] = [
    vams.Asset(database_id="d", asset_id="a", asset_name="A", bucket_id="b1"),
    vams.Asset(database_id="d", asset_id="a2", asset_name="A2", bucket_id="b2"),
    vams.Asset(database_id="d2", asset_id="a", asset_name="A in d2", bucket_id="b1"),
    *(
        vams.AssetVersion(database_id="d", asset_id=asset, asset_version_id=version)
        for asset, version in (("a", "1"), ("a", "2"), ("a2", "1"))
    ),
    *(
        vams.AssetFileVersion(
            database_id="d",
            asset_id=asset,
            asset_version_id=version,
            file_key=file,
            s3_version_id=f"{version}/{file}",
        )
        for asset, version, file in (
            ("a", "1", "x"),
            ("a", "1", "y"),
            ("a", "2", "x"),
            ("a", "10", "x"),
            ("a2", "1", "z"),
        )
    ),
    version_value("1", "metadata", "/a", "k1"),
    version_value("1", "metadata", "/a", "k2"),
    version_value("1", "metadata", "/a:b", "k1"),
    version_value("1", "metadata", "/ab", "k1"),
    version_value("1", "attribute", "/a", "k1"),
    version_value("2", "metadata", "/a", "k1"),
    upload("u1", "d", "a", "ada", 3),
    upload("u1", "d", "a2", "ada", 1),
    upload("u2", "d2", "a", "bob", 2),
    *(
        vams.DatabaseMetadata(
            metadata_key=key, database_id=database, metadata_value=f"{database} {key}"
        )
        for key, database in (("owner", "d"), ("site", "d"), ("owner", "d2"))
    ),
    *(
        file_value(entity, kind, asset, path, key)
        for entity, kind in (
            (vams.AssetFileMetadata, "metadata"),
            (vams.FileAttribute, "attribute"),
        )
        for asset, path, key in (
            ("a", "/", "k1"),
            ("a", "/f", "k1"),
            ("a", "/f", "k2"),
            ("a2", "/f", "k1"),
        )
    ),
    *(
        vams.MetadataSchema(
            metadata_schema_id=schema, database_id=database, metadata_entity_type=kind
        )
        for schema, database, kind in (
            ("s1", "d", "file"),
            ("s2", "d", "asset"),
            ("s3", "GLOBAL", "file"),
        )
    ),
    link("l1", "a", "b", "parentChild"),
    link("l2", "a", "c", "related"),
    link("l3", "a2", "b", "parentChild"),
    *(
        vams.AssetLinkMetadata(asset_link_id=link_id, metadata_key=key, metadata_value=key)
        for link_id, key in (("l1", "k1"), ("l1", "k2"), ("l2", "k1"))
    ),
    *(
        vams.Pipeline(database_id=database, pipeline_id=pipeline)
        for database, pipeline in (("d", "p"), ("d2", "q"))
    ),
    *(
        vams.Workflow(database_id=database, workflow_id=workflow)
        for database, workflow in (("d", "w"), ("d2", "v"))
    ),
    execution("a", "x1", "GLOBAL", "w"),
    execution("a", "x2", "d", "w"),
    execution("a2", "x3", "GLOBAL", "w"),
    vams.GroupConstraint(constraint_id="c1", group_id="g", object_type="asset"),
    vams.GroupConstraint(constraint_id="c1", group_id="h", object_type="asset"),
    vams.GroupConstraint(constraint_id="c2", group_id="g", object_type="tag"),
    vams.UserConstraint(constraint_id="c1", user_id="ada", object_type="asset"),
    *(
        vams.AuthEntity(entity_type=kind, sk=sk)
        for kind, sk in (("constraint", "1"), ("constraint", "2"), ("route", "1"))
    ),
    *(
        vams.UserRole(user_id=user, role_name=role)
        for user, role in (("ada", "r"), ("ada", "s"), ("bob", "r"))
    ),
    *(
        vams.ApiKey(api_key_id=key, api_key_hash=f"hash of {key}", user_id=user)
        for key, user in (("k1", "ada"), ("k2", "ada"), ("k3", "bob"))
    ),
    *(
        vams.Subscription(event_name=event, entity_name=name, entity_id=entity)
        for event, name, entity in (
            ("changed", "Asset", "a"),
            ("changed", "Database", "d"),
            ("gone", "Asset", "a"),
        )
    ),
    *(
        vams.Comment(asset_id="a", asset_version_id=version, comment_id=comment, comment_body="…")
        for version, comment in (("1", "c1"), ("1", "c2"), ("10", "c3"))
    ),
    *(
        vams.S3AssetBucket(bucket_id=bucket, bucket_name=name, base_assets_prefix=prefix)
        for bucket, name, prefix in (
            ("b1", "plant", "/"),
            ("b2", "plant", "archive/"),
            ("b3", "other", "/"),
        )
    ),
]

ASSET = {"database_id": "d", "asset_id": "a"}
VERSION = {**ASSET, "asset_version_id": "1"}
FROM_A = {"from_asset_database_id": "d", "from_asset_id": "a"}
TO_B = {"to_asset_database_id": "e", "to_asset_id": "b"}

CASES: list[tuple[str, Query[Any], str, list[str]]] = [
    ("VA-5", vams.Asset.of_database(database_id="d"), "asset_id", ["a", "a2"]),
    (
        "VA-5",
        vams.Asset.of_bucket(bucket_id="b1").hydrated(),
        "asset_name",
        ["A", "A in d2", "Gone"],
    ),
    (
        "VA-5",
        vams.Asset.of_bucket(bucket_id="b1", asset_id="gone").hydrated(),
        "asset_name",
        ["Gone"],
    ),
    ("VA-5", vams.Asset.by_asset_id(asset_id="a").hydrated(), "database_id", ["d", "d2"]),
    (
        "VA-5",
        vams.Asset.by_asset_id(asset_id="a", database_id="d2").hydrated(),
        "asset_name",
        ["A in d2"],
    ),
    ("VA-42", vams.archived_assets(database_id="d"), "asset_name", ["Gone"]),
    ("VA-7", vams.AssetVersion.of_asset(**ASSET), "asset_version_id", ["1", "2"]),
    ("VA-8", vams.AssetFileVersion.of_version(**VERSION), "s3_version_id", ["1/x", "1/y"]),
    (
        "VA-8",
        vams.AssetFileVersion.of_asset(**ASSET),
        "s3_version_id",
        ["1/x", "1/y", "10/x", "2/x"],
    ),
    (
        "VA-48",
        vams.AssetFileMetadataVersion.of_version(**VERSION),
        "metadata_value",
        [
            "1 attribute /a k1",
            "1 metadata /a:b k1",
            "1 metadata /a k1",
            "1 metadata /a k2",
            "1 metadata /ab k1",
        ],
    ),
    (
        "VA-48",
        vams.AssetFileMetadataVersion.of_version(**VERSION, type="attribute"),
        "metadata_value",
        ["1 attribute /a k1"],
    ),
    (
        "VA-48",
        vams.AssetFileMetadataVersion.by_path(**VERSION, type="metadata", file_path="/a"),
        "metadata_value",
        ["1 metadata /a k1", "1 metadata /a k2"],
    ),
    (
        "VA-48",
        vams.file_metadata_in_version(**VERSION, type="metadata", file_path="/a"),
        "metadata_value",
        ["1 metadata /a k1", "1 metadata /a k2"],
    ),
    (
        "VA-9",
        vams.AssetFileMetadataVersion.of_asset(**ASSET),
        "metadata_value",
        [
            "1 attribute /a k1",
            "1 metadata /a k1",
            "1 metadata /a k2",
            "1 metadata /a:b k1",
            "1 metadata /ab k1",
            "2 metadata /a k1",
        ],
    ),
    ("VA-10", vams.AssetUpload.of_upload(upload_id="u1"), "asset_id", ["a", "a2"]),
    ("VA-10", vams.AssetUpload.of_asset(asset_id="a").hydrated(), "upload_id", ["u1", "u2"]),
    (
        "VA-10",
        vams.AssetUpload.of_asset(asset_id="a", upload_id="u2").hydrated(),
        "user_id",
        ["bob"],
    ),
    ("VA-10", vams.AssetUpload.of_database(database_id="d").hydrated(), "asset_id", ["a", "a2"]),
    ("VA-10", vams.AssetUpload.of_user(user_id="ada").hydrated(), "asset_id", ["a2", "a"]),
    (
        "VA-11",
        vams.DatabaseMetadata.of_key(metadata_key="owner"),
        "metadata_value",
        ["d owner", "d2 owner"],
    ),
    (
        "VA-11",
        vams.DatabaseMetadata.of_database(database_id="d"),
        "metadata_value",
        ["d owner", "d site"],
    ),
    (
        "VA-12",
        vams.AssetFileMetadata.of_key(metadata_key="k1"),
        "metadata_value",
        ["a2/f k1", "a/ k1", "a/f k1"],
    ),
    (
        "VA-12",
        vams.AssetFileMetadata.of_key(metadata_key="k1", **ASSET),
        "metadata_value",
        ["a/ k1", "a/f k1"],
    ),
    (
        "VA-12",
        vams.AssetFileMetadata.of_file(**ASSET, file_path="/f"),
        "metadata_value",
        ["a/f k1", "a/f k2"],
    ),
    ("VA-13", vams.AssetFileMetadata.of_file(**ASSET, file_path="/"), "metadata_value", ["a/ k1"]),
    (
        "VA-12",
        vams.AssetFileMetadata.of_asset(**ASSET),
        "metadata_value",
        ["a/ k1", "a/f k1", "a/f k2"],
    ),
    (
        "VA-12",
        vams.AssetFileMetadata.of_asset(**ASSET, metadata_key="k2"),
        "metadata_value",
        ["a/f k2"],
    ),
    (
        "VA-14",
        vams.FileAttribute.of_key(attribute_key="k1"),
        "attribute_value",
        ["a2/f k1", "a/ k1", "a/f k1"],
    ),
    (
        "VA-14",
        vams.FileAttribute.of_file(**ASSET, file_path="/f"),
        "attribute_value",
        ["a/f k1", "a/f k2"],
    ),
    (
        "VA-14",
        vams.FileAttribute.of_asset(**ASSET),
        "attribute_value",
        ["a/ k1", "a/f k1", "a/f k2"],
    ),
    ("VA-15", vams.MetadataSchema.by_id(metadata_schema_id="s1"), "metadata_entity_type", ["file"]),
    (
        "VA-15",
        vams.MetadataSchema.of_entity_type_in_database(
            database_id="d", metadata_entity_type="file"
        ),
        "metadata_schema_id",
        ["s1"],
    ),
    (
        "VA-15",
        vams.MetadataSchema.of_entity_type(metadata_entity_type="file"),
        "metadata_schema_id",
        ["s1", "s3"],
    ),
    ("VA-15", vams.MetadataSchema.of_database(database_id="d"), "metadata_schema_id", ["s1", "s2"]),
    ("VA-16", vams.AssetLink.from_asset(**FROM_A).hydrated(), "asset_link_id", ["l1", "l2"]),
    (
        "VA-16",
        vams.AssetLink.from_asset(**FROM_A, **TO_B).hydrated(),
        "relationship_type",
        ["parentChild"],
    ),
    ("VA-16", vams.AssetLink.to_asset(**TO_B).hydrated(), "from_asset_id", ["a", "a2"]),
    ("VA-17", vams.AssetLinkMetadata.of_link(asset_link_id="l1"), "metadata_key", ["k1", "k2"]),
    ("VA-18", vams.Pipeline.of_database(database_id="d"), "pipeline_id", ["p"]),
    ("VA-19", vams.Workflow.of_database(database_id="d"), "workflow_id", ["w"]),
    ("VA-20", vams.WorkflowExecution.of_asset(**ASSET), "execution_id", ["x1", "x2"]),
    (
        "VA-20",
        vams.WorkflowExecution.of_asset_by_workflow(
            **ASSET, workflow_database_id="GLOBAL", workflow_id="w"
        ),
        "execution_id",
        ["x1"],
    ),
    (
        "VA-20",
        vams.WorkflowExecution.of_workflow(
            workflow_database_id="GLOBAL", workflow_id="w"
        ).hydrated(),
        "asset_id",
        ["a", "a2"],
    ),
    (
        "VA-20",
        vams.WorkflowExecution.by_execution_id(workflow_id="w", execution_id="x3").hydrated(),
        "asset_id",
        ["a2"],
    ),
    ("VA-21", vams.GroupConstraint.of_group(group_id="g"), "constraint_id", ["c1", "c2"]),
    (
        "VA-21",
        vams.GroupConstraint.of_group(group_id="g", object_type="tag"),
        "constraint_id",
        ["c2"],
    ),
    ("VA-21", vams.GroupConstraint.of_object_type(object_type="asset"), "group_id", ["g", "h"]),
    (
        "VA-21",
        vams.UserConstraint.of_user(user_id="ada", object_type="asset"),
        "constraint_id",
        ["c1"],
    ),
    ("VA-21", vams.UserConstraint.of_object_type(object_type="asset"), "user_id", ["ada"]),
    ("VA-22", vams.AuthEntity.of_type(entity_type="constraint"), "sk", ["1", "2"]),
    ("VA-23", vams.UserRole.of_user(user_id="ada"), "role_name", ["r", "s"]),
    ("VA-23", vams.ApiKey.by_hash(api_key_hash="hash of k2"), "api_key_id", ["k2"]),
    ("VA-23", vams.ApiKey.of_user(user_id="ada"), "api_key_id", ["k1", "k2"]),
    ("VA-24", vams.Subscription.of_event(event_name="changed"), "entity_id", ["a", "d"]),
    (
        "VA-24",
        vams.Subscription.of_event(event_name="changed", entity_name="Asset"),
        "entity_id",
        ["a"],
    ),
    ("VA-24", vams.Comment.of_asset(asset_id="a"), "comment_id", ["c3", "c1", "c2"]),
    (
        "VA-24",
        vams.Comment.of_asset(asset_id="a", asset_version_id="1"),
        "comment_id",
        ["c1", "c2"],
    ),
    ("VA-25", vams.S3AssetBucket.by_id(bucket_id="b2"), "base_assets_prefix", ["archive/"]),
    ("VA-25", vams.S3AssetBucket.by_name(bucket_name="plant"), "bucket_id", ["b1", "b2"]),
]


@pytest.fixture(scope="module")
def filled() -> Iterator[Store]:
    with sortkey.open(":memory:") as store:
        store.ensure(model)
        for entity in DATA:
            store.create(entity)
        gone = vams.Asset(database_id="d", asset_id="gone", asset_name="Gone", bucket_id="b1")
        store.archive(store.create(gone))
        yield store


@pytest.mark.parametrize(
    ("query", "field", "expected"),
    [
        pytest.param(
            query,
            field,
            expected,
            marks=pytest.mark.accepts(line),
            id=f"{line} {query.pattern}-{number}",
        )
        for number, (line, query, field, expected) in enumerate(CASES)
    ],
)
def test_an_access_pattern_finds_what_it_says_and_nothing_else(
    filled: Store, query: Query[Any], field: str, expected: list[str]
) -> None:
    # Neighbours share prefixes on purpose: version 1 and 10, "/a" and "/a:b" and "/ab", the same
    # asset id twice.
    found = [getattr(entity, field) for entity in filled.query(query)]
    in_order = query.key.attributes.sort is not None and query.key.index is None
    assert (found if in_order else sorted(found)) == (expected if in_order else sorted(expected))


def test_every_query_of_the_model_is_among_the_cases() -> None:
    # A pattern that nobody has run is a guess.
    listed = {pattern.name for pattern in model.patterns() if not pattern.name.endswith(".key")}
    assert {query.pattern for _, query, _, _ in CASES} | {"constraints_on"} == listed


def test_every_access_pattern_says_what_it_is_for() -> None:
    # The page of the model is made of these sentences.
    assert [pattern.name for pattern in model.patterns() if not pattern.doc.endswith(".")] == []


@pytest.mark.parametrize("entity", model.entities, ids=lambda entity: entity.__name__)
def test_one_item_is_got_by_its_key(store: Store, entity: type[Entity]) -> None:
    # Keys are rendered from the fields, in the items and in the request alike.
    example = entity.from_item(stored(ITEMS[entity]))
    store.put(example)
    assert store.get(ItemKey.of_entity(example)) == example


@pytest.mark.accepts("VA-21")
def test_the_constraints_on_a_type_of_objects_are_read_at_once_and_distinguished(
    filled: Store,
) -> None:
    # The two kinds have no attribute that names them: the form of their key does.
    found = filled.collection(vams.constraints_on(object_type="asset"))
    groups = [each.group_id for each in found.of(vams.GroupConstraint)]
    users = [each.user_id for each in found.of(vams.UserConstraint)]
    assert (groups, users) == (["g", "h"], ["ada"])
    assert {each.constraint_id for each in found.of(vams.Constraint)} == {"c1"}


@pytest.mark.accepts("VA-10")
def test_uploads_of_a_user_come_in_the_order_of_their_creation(filled: Store) -> None:
    # createdAt is the sort key of UserIdGSI, as text whose order is that of time.
    found = filled.query(vams.AssetUpload.of_user(user_id="ada").hydrated())
    assert [each.created_at for each in found] == [DAY.replace(day=1), DAY.replace(day=3)]
    latest = filled.first(vams.AssetUpload.of_user(user_id="ada").descending().hydrated())
    assert latest is not None
    assert latest.asset_id == "a"


@pytest.mark.accepts("VA-16", "VA-26")
def test_a_keys_only_index_gives_keys_and_hydrated_the_whole_items(filled: Store) -> None:
    # The document's index does not carry the type of a relationship: the items are fetched behind
    # it.
    query = vams.AssetLink.from_asset(**FROM_A)
    assert [key.item for key in filled.keys(query)] == [
        {"assetLinkId": {"S": "l1"}},
        {"assetLinkId": {"S": "l2"}},
    ]
    assert [each.relationship_type for each in filled.query(query.hydrated())] == [
        "parentChild",
        "related",
    ]
    with pytest.raises(ModelError, match="hydrated"):
        filled.query(query)


@pytest.mark.accepts("VA-20")
def test_an_execution_cannot_be_looked_up_by_its_id_alone() -> None:
    # ExecutionIdGSI has workflowId as its partition: a read without it would be a scan.
    with pytest.raises(TypeError, match="workflow_id"):
        vams.WorkflowExecution.by_execution_id(execution_id="x1")  # type: ignore[call-arg]


@pytest.mark.accepts("VA-48")
@pytest.mark.parametrize(
    ("query", "condition"),
    [
        (
            vams.file_metadata_in_version(**VERSION, type="metadata", file_path="/a/b.glb"),
            "databaseId:assetId:assetVersionId = 'd:a:1' AND "
            "begins_with(type:filePath:metadataKey, 'metadata:/a/b.glb:')",
        ),
        (
            vams.AssetFileMetadataVersion.of_version(**VERSION),
            "databaseId:assetId:assetVersionId = 'd:a:1'",
        ),
    ],
    ids=["one file", "all files"],
)
def test_a_snapshot_is_read_for_one_file_or_for_the_whole_version(
    query: Query[Any], condition: str
) -> None:
    # Both are one query of one partition; the prefix ends with the colon, or "/a" would find "/ab".
    assert sortkey.explain(query).key_condition == condition


@pytest.mark.accepts("VA-21")
def test_constraints_of_one_kind_are_counted_paged_and_limited_without_the_other(
    filled: Store,
) -> None:
    # Both kinds lie in the same partition of ObjectTypeIndex: a page or a limit must not be filled
    # by the wrong one.
    users = vams.UserConstraint.of_object_type(object_type="asset")
    groups = vams.GroupConstraint.of_object_type(object_type="asset")
    assert (filled.count(users), filled.count(groups)) == (1, 2)
    first = filled.first(users)
    assert first is not None
    assert first.user_id == "ada"
    page = filled.page(groups, size=1)
    assert [each.group_id for each in page.items] == ["g"]
    assert [each.group_id for each in filled.page(groups, cursor=page.cursor, size=5).items] == [
        "h"
    ]
    assert [each.user_id for each in filled.iterate(users)] == ["ada"]
