"""CreateTable: what AWS refuses, in its words, and what a new table looks like."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ARN, NOW, UNITS, described, failure, index, table

INVALID = "ValidationException: One or more parameter values were invalid: "
BIG = {"ReadCapacityUnits": 10**12 + 1, "WriteCapacityUnits": 1}
BIG_WRITE = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 10**12 + 1}
AB = {"key": "a b", "attributes": "a b"}
LSI, GSI = "LocalSecondaryIndexes", "GlobalSecondaryIndexes"
INCLUDE = {"ProjectionType": "INCLUDE"}


POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:*","Resource":"*"}]}'


def include(names: int, prefix: str = "x") -> dict[str, Any]:
    return {**INCLUDE, "NonKeyAttributes": [f"{prefix}{number}" for number in range(names)]}


def local(*indexes: dict[str, Any]) -> dict[str, Any]:
    return {**AB, LSI: list(indexes)}


def wide(*indexes: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**AB, GSI: list(indexes), **members}


OUT_OF_RANGE = " for OnDemandThroughput for table is outside of valid range"
GUIDE = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
NO_UNITS = (
    INVALID
    + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
)
BOTH_UNITS = (
    INVALID
    + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
)
SAME = (
    "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the "
    "same name"
)
FIRST = "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
SECOND = (
    "ValidationException: Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
)
UNDEFINED = INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
NO_DEFINITION = (
    "ValidationException: Invalid KeySchema: Some index key attribute have no definition"
)
NUMBER = (
    INVALID
    + "Number of attributes in KeySchema does not exactly match number of attributes defined in "
    "AttributeDefinitions"
)

REFUSED: list[tuple[dict[str, Any], str]] = [
    # billing comes first
    ({"BillingMode": None}, BOTH_UNITS),
    ({"BillingMode": "PROVISIONED"}, BOTH_UNITS),
    ({"ProvisionedThroughput": UNITS}, NO_UNITS),
    ({"ProvisionedThroughput": UNITS, "attributes": ""}, NO_UNITS),
    (
        {"BillingMode": None, "ProvisionedThroughput": BIG},
        "ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    (
        {"BillingMode": None, "ProvisionedThroughput": BIG_WRITE},
        "ValidationException: Given value 1000000000001 for WriteCapacityUnits is out of bounds",
    ),
    # keys of the table
    ({"attributes": ""}, NO_DEFINITION),
    ({"attributes": "a", "key": "a b"}, NO_DEFINITION),
    ({"attributes": "b"}, UNDEFINED + "Keys: [a], AttributeDefinitions: [b]"),
    ({"attributes": "a c", "key": "a b"}, UNDEFINED + "Keys: [a, b], AttributeDefinitions: [a, c]"),
    ({"attributes": "a b", "key": "a a"}, SAME),
    ({"attributes": "a b", "key": "a:H b:H"}, SECOND),
    ({"attributes": "a b", "key": "a:R b:H"}, FIRST),
    ({"attributes": "a b", "key": "a:R b:R"}, FIRST),
    ({"key": "a:R", "attributes": "a"}, FIRST),
    ({"attributes": "a b"}, NUMBER),
    ({"attributes": "a c b", "key": "a b"}, NUMBER),
    ({"attributes": "a a:N"}, "ValidationException: Attribute Name is duplicated: a"),
    # local indexes
    ({LSI: []}, INVALID + "List of LocalSecondaryIndexes is empty"),
    (
        {LSI: [index("lsi", "a b")], "attributes": "a b"},
        INVALID
        + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    ),
    (local(index("lsi", "a c")), UNDEFINED + "Keys: [a, c], AttributeDefinitions: [a, b]"),
    (local(index("lsi", "a a")), SAME),
    (local(index("lsi", "a:R")), FIRST),
    (local(index("lsi", "a:H b:H")), SECOND),
    (
        local(index("lsi", "a")),
        INVALID + "Index KeySchema does not have a range key for index: lsi",
    ),
    (
        local(index("lsi", "b a")),
        INVALID
        + "Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. "
        "index hash key: b, table hash key: a",
    ),
    (local(index("lsi", "a b"), index("lsi", "a b")), INVALID + "Duplicate index name: lsi"),
    (
        local(*(index(f"lsi{number}", "a b") for number in range(6))),
        INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
    ),
    # global indexes
    ({GSI: []}, INVALID + "List of GlobalSecondaryIndexes is empty"),
    (wide(index("gsi", "c d")), UNDEFINED + "Keys: [c, d], AttributeDefinitions: [a, b]"),
    (wide(index("gsi", "a a")), SAME),
    (wide(index("gsi", "a:R b:H")), FIRST),
    (wide(index("gsi", "a:R b:R")), FIRST),
    (wide(index("gsi", "a b"), index("gsi", "a b")), INVALID + "Duplicate index name: gsi"),
    (
        {**local(index("same", "a b")), GSI: [index("same", "b")]},
        INVALID + "Duplicate index name: same",
    ),
    (
        wide(*(index(f"gsi{number}", "a b") for number in range(21))),
        INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
    ),
    (
        wide(index("gsi", "b"), attributes="a b c"),
        INVALID
        + "Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c], keys used: [a, b]",
    ),
    (
        wide(index("gsi", "b", ProvisionedThroughput=UNITS)),
        INVALID
        + "ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST",
    ),
    (
        wide(index("gsi", "b"), BillingMode=None, ProvisionedThroughput=UNITS),
        INVALID + "ProvisionedThroughput is not specified for index: gsi",
    ),
    (
        wide(
            index("gsi", "b", ProvisionedThroughput=BIG),
            BillingMode=None,
            ProvisionedThroughput=UNITS,
        ),
        "ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds for "
        "index gsi",
    ),
    # global indexes of several attributes
    (
        {"key": "a", "attributes": "a b c d e", GSI: [index("gsi", "a:H b:H c:H d:H e:H")]},
        INVALID + "The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    (
        {"key": "a", "attributes": "a b c d e f", GSI: [index("gsi", "a:H b:R c:R d:R e:R f:R")]},
        INVALID + "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
    ),
    (
        {"key": "a", "attributes": "a b c", GSI: [index("gsi", "a:H b:R c:H")]},
        INVALID + "All HASH key attributes must precede RANGE key attributes in the KeySchema",
    ),
    (
        wide(index("gsi", "a:H b:H a:R")),
        "ValidationException: The KeySchema contains multiple key attributes with the same name",
    ),
    # definitions that no key uses come before everything else of the indexes; the order is that of
    # Java's sets
    (
        {"key": "pk sk", "attributes": "sk pk a b c", GSI: [index("gsi", "a", {})]},
        INVALID
        + "Some AttributeDefinitions are not used. AttributeDefinitions: [sk, a, b, pk, c], "
        "keys used: [a, sk, pk]",
    ),
    # projections
    (local(index("lsi", "a b", {})), INVALID + "Unknown ProjectionType: null"),
    (
        local(index("lsi", "a b", {"NonKeyAttributes": ["x"]})),
        INVALID + "Unknown ProjectionType: null",
    ),
    (
        wide(index("gsi", "b", {"ProjectionType": "ALL", "NonKeyAttributes": ["x"]})),
        INVALID + "ProjectionType is ALL, but NonKeyAttributes is specified",
    ),
    (
        wide(index("gsi", "b", {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["x"]})),
        INVALID + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
    ),
    (
        wide(index("gsi", "b", INCLUDE)),
        INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    (
        wide(index("gsi", "b", {**INCLUDE, "NonKeyAttributes": ["x", "y", "x"]})),
        INVALID + "Duplicate element in NonKeyAttributes: x",
    ),
    (
        wide(
            *(index(f"gsi{number}", "b", include(20)) for number in range(5)),
            index("one", "b", include(1)),
        ),
        INVALID
        + "Number of NonKeyAttributes across all secondary indexes exceeds per-table limit of 100",
    ),
    # the rest
    (
        {"StreamSpecification": {"StreamEnabled": True}},
        INVALID + "Table is being created with a stream enabled, UpdateViewType is required",
    ),
    (
        {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}},
        INVALID
        + "Table is being created with a stream disabled, UpdateViewType should not be specified",
    ),
    (
        {
            "BillingMode": None,
            "ProvisionedThroughput": UNITS,
            "OnDemandThroughput": {"MaxReadRequestUnits": 5},
        },
        INVALID
        + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.",
    ),
    *(
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": units}},
            INVALID + "Requested MaxReadRequestUnits" + OUT_OF_RANGE,
        )
        for units in (0, -1, -2)
    ),
    (
        {"WarmThroughput": {"ReadUnitsPerSecond": 11999, "WriteUnitsPerSecond": 4000}},
        INVALID
        + "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for "
        f"OnDemand. See: {GUIDE}on-demand-capacity-mode.html#on-demand-capacity-mode-initial",
    ),
    (
        {
            "BillingMode": None,
            "ProvisionedThroughput": UNITS,
            "WarmThroughput": {"WriteUnitsPerSecond": 0},
        },
        INVALID
        + "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than WriteCapacityUnits of "
        "ProvisionedThroughput",
    ),
    (
        {"TableClass": "COLD"},
        "ValidationException: Invalid table-class parameter provided. Please try again with a "
        "valid table-class "
        "value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ),
    (
        {"Tags": [{"Key": f"k{number}", "Value": "v"} for number in range(51)]},
        "ValidationException: Number of Tags exceed the current limit for the provided ResourceArn",
    ),
    (
        {"ResourcePolicy": "{"},
        INVALID + "Invalid policy document: This policy contains invalid Json",
    ),
    (
        {"SSESpecification": {"Enabled": False, "KMSMasterKeyId": "alias/x"}},
        INVALID + "KMSMasterKeyId can not be specified if Enabled is false",
    ),
    (
        {"SSESpecification": {"Enabled": False, "SSEType": "KMS", "KMSMasterKeyId": "alias/x"}},
        INVALID + "SSEType can not be specified if Enabled is false",
    ),
    (
        {"SSESpecification": {"Enabled": True, "SSEType": "AES256"}},
        INVALID + "SSEType AES256 is not supported",
    ),
    (
        {"SSESpecification": {"Enabled": True, "KMSMasterKeyId": "alias/x"}},
        INVALID + "SSEType KMS is required if KMSMasterKeyId is specified",
    ),
    (
        {"VectorIndexes": []},
        INVALID + "VectorIndexes cannot be specified: vector indexes are not supported.",
    ),
    (
        {"name": ARN + "tbl"},
        f"ValidationException: 1 validation error detected: Value '{ARN}tbl' at 'tableName' failed "
        "to satisfy "
        "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
]


@pytest.mark.parametrize(
    ("members", "message"), REFUSED, ids=lambda value: value[:60] if isinstance(value, str) else ""
)
def test_a_definition_that_aws_refuses_is_refused_in_its_words(
    engine: Engine, members: dict[str, Any], message: str
) -> None:
    # Tools match on these texts, and a refused table must leave nothing behind.
    assert failure(engine, "CreateTable", table(**members)) == message
    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_a_new_table_answers_creating_and_is_active_at_once(engine: Engine) -> None:
    # Waiters poll DescribeTable; nobody should have to wait for an embedded table.
    answer = engine.call("CreateTable", table(**wide(index("gsi", "b"))))["TableDescription"]
    assert answer["TableStatus"] == "CREATING"
    assert answer["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    assert answer["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    assert "WarmThroughput" not in (answer.keys() | answer["GlobalSecondaryIndexes"][0].keys())
    now = described(engine)
    assert now["TableStatus"] == "ACTIVE"
    assert now["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"


def test_an_on_demand_table_is_described_as_aws_does(engine: Engine) -> None:
    # The whole description, so that no member comes or goes unnoticed.
    engine.call(
        "CreateTable", table(**wide(index("gsi", "b")), StreamSpecification=_stream("KEYS_ONLY"))
    )
    found = described(engine)
    label = found["LatestStreamLabel"]
    none = {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    warm = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert found.pop("TableId").count("-") == 4
    assert found == {
        "TableName": "tbl",
        "TableArn": ARN + "tbl",
        "TableStatus": "ACTIVE",
        "CreationDateTime": NOW,
        "AttributeDefinitions": table(**AB)["AttributeDefinitions"],
        "KeySchema": table(**AB)["KeySchema"],
        "ItemCount": 0,
        "TableSizeBytes": 0,
        "BillingModeSummary": {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": NOW,
        },
        "ProvisionedThroughput": none,
        "WarmThroughput": warm,
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "gsi",
                "IndexArn": ARN + "tbl/index/gsi",
                "IndexStatus": "ACTIVE",
                "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                "ItemCount": 0,
                "IndexSizeBytes": 0,
                "ProvisionedThroughput": none,
                "WarmThroughput": warm,
            }
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        "LatestStreamLabel": label,
        "LatestStreamArn": f"{ARN}tbl/stream/{label}",
        "DeletionProtectionEnabled": False,
    }


def test_a_provisioned_table_has_no_billing_summary(engine: Engine) -> None:
    # AWS shows BillingModeSummary only for tables that are or were on demand.
    engine.call(
        "CreateTable",
        table(**local(index("lsi", "a b")), BillingMode=None, ProvisionedThroughput=UNITS),
    )
    found = described(engine)
    assert "BillingModeSummary" not in found
    assert found["ProvisionedThroughput"] == {**UNITS, "NumberOfDecreasesToday": 0}
    assert found["LocalSecondaryIndexes"] == [
        {
            **index("lsi", "a b"),
            "IndexArn": ARN + "tbl/index/lsi",
            "IndexSizeBytes": 0,
            "ItemCount": 0,
        }
    ]


@pytest.mark.parametrize("given", ["alias/own", "arn:aws:kms:us-east-1:000000000000:alias/own"])
def test_an_alias_is_described_as_the_key_that_it_stands_for(engine: Engine, given: str) -> None:
    # By its name or its ARN; KMSMasterKeyArn is always that of a key.
    key = {"SSEType": "KMS", "KMSMasterKeyId": given}
    described = engine.call("CreateTable", table(SSESpecification=key))["TableDescription"][
        "SSEDescription"
    ]
    made = uuid.uuid5(uuid.NAMESPACE_URL, "alias/own")
    assert described["KMSMasterKeyArn"] == f"arn:aws:kms:us-east-1:000000000000:key/{made}"


def test_settings_that_only_describe_come_back(engine: Engine) -> None:
    # Infrastructure tools compare what they sent with what is described.
    answer = engine.call(
        "CreateTable",
        table(
            SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "abc"},
            TableClass="STANDARD_INFREQUENT_ACCESS",
            DeletionProtectionEnabled=True,
            OnDemandThroughput={"MaxReadRequestUnits": 7},
            WarmThroughput={"ReadUnitsPerSecond": 13000},
            Tags=[{"Key": "owner", "Value": "me"}],
            ResourcePolicy=POLICY,
        ),
    )
    found = described(engine)
    assert found["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": "arn:aws:kms:us-east-1:000000000000:key/abc",
    }
    assert found["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert found["DeletionProtectionEnabled"] is True
    assert found["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}
    assert answer["TableDescription"]["WarmThroughput"]["Status"] == "UPDATING"
    assert found["WarmThroughput"] == {
        "ReadUnitsPerSecond": 13000,
        "WriteUnitsPerSecond": 4000,
        "Status": "ACTIVE",
    }
    assert engine.call("ListTagsOfResource", {"ResourceArn": ARN + "tbl"})["Tags"] == [
        {"Key": "owner", "Value": "me"}
    ]
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN + "tbl"})["Policy"] == POLICY


def test_names_of_attributes_are_described_in_order(engine: Engine) -> None:
    # In definitions and projections; indexes stay in the order in which they were given.
    wanted = [index("z-gsi", "m", {**INCLUDE, "NonKeyAttributes": ["z", "b"]}), index("a-gsi", "c")]
    engine.call("CreateTable", table(attributes="m c a", GlobalSecondaryIndexes=wanted))
    found = described(engine)
    assert [definition["AttributeName"] for definition in found["AttributeDefinitions"]] == [
        "a",
        "c",
        "m",
    ]
    assert [gsi["IndexName"] for gsi in found["GlobalSecondaryIndexes"]] == ["z-gsi", "a-gsi"]
    assert found["GlobalSecondaryIndexes"][0]["Projection"]["NonKeyAttributes"] == ["b", "z"]


def test_a_type_of_encryption_is_enough(engine: Engine) -> None:
    # Enabled may be left out; without both, the key is AWS's own.
    engine.call("CreateTable", table(SSESpecification={"SSEType": "KMS"}))
    assert described(engine)["SSEDescription"]["Status"] == "ENABLED"
    engine.call("CreateTable", table("plain", SSESpecification={}))
    assert "SSEDescription" not in described(engine, "plain")


def test_provisioned_tables_and_indexes_can_be_warm_for_less(engine: Engine) -> None:
    # The figures that every on-demand table has are no minimum for them.
    gsi = index("gsi", "b", ProvisionedThroughput=UNITS, WarmThroughput={"ReadUnitsPerSecond": 88})
    request = wide(
        gsi,
        BillingMode=None,
        ProvisionedThroughput=UNITS,
        WarmThroughput={"ReadUnitsPerSecond": 100},
    )
    engine.call("CreateTable", table(**request))
    found = described(engine)
    warm = {"WriteUnitsPerSecond": 1, "Status": "ACTIVE"}
    assert found["WarmThroughput"] == {"ReadUnitsPerSecond": 100, **warm}
    assert found["GlobalSecondaryIndexes"][0]["WarmThroughput"] == {
        "ReadUnitsPerSecond": 88,
        **warm,
    }


def test_a_global_index_may_have_four_attributes_on_each_side(engine: Engine) -> None:
    # Multi-attribute keys, on AWS since November 2025.
    eight = "a:H b:H c:H d:H e:R f:R g:R h:R"
    engine.call(
        "CreateTable",
        table(attributes="a b c d e f g h", GlobalSecondaryIndexes=[index("gsi", eight)]),
    )
    assert (
        described(engine)["GlobalSecondaryIndexes"][0]["KeySchema"]
        == index("gsi", eight)["KeySchema"]
    )


def test_a_name_can_be_taken_once(engine: Engine) -> None:
    # The error class is what tools look at to create a table if it does not exist.
    engine.call("CreateTable", table())
    assert (
        failure(engine, "CreateTable", table())
        == "ResourceInUseException: Table already exists: tbl"
    )


def _stream(view: str) -> dict[str, Any]:
    return {"StreamEnabled": True, "StreamViewType": view}
