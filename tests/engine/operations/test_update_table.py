"""UpdateTable: billing, throughput, streams, settings and indexes; what AWS refuses, in
its words.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import (
    NOW,
    UNITS,
    Clock,
    definitions,
    described,
    failure,
    index,
    put,
    scan,
    table,
)

INVALID = "ValidationException: One or more parameter values were invalid: "
REFUSED = "ValidationException: "
MISSING = "ResourceNotFoundException: Requested resource not found"
UNDEFINED = INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
NO_UNITS = (
    INVALID
    + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
)
TWO = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1}
KEYS = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
BIG = {"ReadCapacityUnits": 10**12 + 1, "WriteCapacityUnits": 1}
NOTHING = (
    "ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, "
    "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or "
    "TableClass is required"
)
ONE_AT_A_TIME = (
    "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or "
    "deleted simultaneously "
    "per table"
)
ONLY_LIMITS = (
    INVALID
    + "The only Updates for index: gsi when TableThroughputMode is PAY_PER_REQUEST can be to "
    "OnDemandThroughput, WarmThroughput"
)
ACTIONS = (
    "GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete"
)


def create(name: str, key: str, *, attributes: str | None = None, **members: Any) -> dict[str, Any]:
    """The members of a request that adds one index."""
    given = (
        " ".join(part.partition(":")[0] for part in key.split())
        if attributes is None
        else attributes
    )
    return {
        "AttributeDefinitions": definitions(given),
        **updates({"Create": index(name, key, **members)}),
    }


def updates(*each: dict[str, Any]) -> dict[str, Any]:
    return {"GlobalSecondaryIndexUpdates": list(each)}


def set_units(name: str, units: dict[str, int]) -> dict[str, Any]:
    return {"Update": {"IndexName": name, "ProvisionedThroughput": units}}


def delete(name: str) -> dict[str, Any]:
    return {"Delete": {"IndexName": name}}


def update(engine: Engine, **members: Any) -> dict[str, Any]:
    return engine.call("UpdateTable", {"TableName": "tbl", **members})["TableDescription"]


@pytest.fixture
def on_demand(engine: Engine) -> Engine:
    indexes = {
        "GlobalSecondaryIndexes": [index("gsi", "b")],
        "LocalSecondaryIndexes": [index("lsi", "a b")],
    }
    engine.call("CreateTable", table(key="a b", **indexes))
    return engine


@pytest.fixture
def provisioned(engine: Engine) -> Engine:
    gsi = index("gsi", "b", ProvisionedThroughput=UNITS)
    request = table(
        attributes="a b",
        BillingMode=None,
        ProvisionedThroughput=UNITS,
        GlobalSecondaryIndexes=[gsi],
    )
    engine.call("CreateTable", request)
    return engine


def will_not_change(what: str, kind: str) -> str:
    return (
        f"ValidationException: The provisioned throughput for the {what} will not change. The "
        "requested value equals "
        f"the current value. Current ReadCapacityUnits provisioned for {kind}: 1. Requested "
        "ReadCapacityUnits: 1. "
        f"Current WriteCapacityUnits provisioned for {kind}: 1. Requested WriteCapacityUnits: 1. "
        "Refer to the "
        "Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


REFUSED_ON_DEMAND: list[tuple[dict[str, Any], str]] = [
    ({}, NOTHING),
    (updates(), NOTHING),
    ({"AttributeDefinitions": definitions("a")}, NOTHING),
    ({"TableName": "nope", "BillingMode": "PAY_PER_REQUEST"}, MISSING + ": Table: nope not found"),
    (
        {"BillingMode": "PROVISIONED"},
        INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    ),
    (
        {"ProvisionedThroughput": UNITS},
        NO_UNITS,
    ),
    (
        {"ProvisionedThroughput": BIG},
        REFUSED + "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    (
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS},
        INVALID + "ProvisionedThroughput must be specified for index: gsi",
    ),
    (updates({}), INVALID + f"One of {ACTIONS} must not be null"),
    (
        updates({**delete("gsi"), "Create": index("new", "b")}),
        INVALID
        + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
    ),
    (
        {**updates(), "DeletionProtectionEnabled": True},
        INVALID + "List of GlobalSecondaryIndexUpdates is empty",
    ),
    ({"WarmThroughput": {}}, NOTHING),
    (
        updates(delete("gsi"), delete("gsi")),
        INVALID
        + "Only one global secondary index update per index is allowed simultaneously. Index: gsi",
    ),
    (updates(delete("gsi"), delete("other")), ONE_AT_A_TIME),
    (updates(delete("gsi"), {"Create": index("new", "b")}), ONE_AT_A_TIME),
    (updates(delete("none")), MISSING + ": Index none for table tbl"),
    (
        updates(delete("lsi")),
        REFUSED + "Cannot delete an index that is not a GlobalSecondaryIndex: lsi",
    ),
    (updates(set_units("none", UNITS)), MISSING + ": Index none for table tbl"),
    (
        updates(set_units("lsi", UNITS)),
        REFUSED + "Cannot update an index that is not a GlobalSecondaryIndex: lsi",
    ),
    (updates(set_units("gsi", UNITS)), ONLY_LIMITS),
    (updates({"Update": {"IndexName": "gsi"}}), ONLY_LIMITS),
    (updates({"Update": {"IndexName": "gsi", "OnDemandThroughput": {}}}), ONLY_LIMITS),
    (
        updates({"Update": {"IndexName": "none", "WarmThroughput": {}}}),
        INVALID
        + "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for "
        "index: none",
    ),
    (
        updates(
            {"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxWriteRequestUnits": 0}}}
        ),
        INVALID
        + "Requested MaxWriteRequestUnits for OnDemandThroughput for index : gsi is outside of valid range",
    ),
    (
        updates(set_units("none", BIG)),
        "ValidationException: This operation cannot be performed with given input values. Please "
        "contact DynamoDB "
        "service team for more info: Action Blocked: IndexUpdate",
    ),
    (create("gsi", "b"), "ValidationException: Attempting to create an index which already exists"),
    (create("lsi", "b"), "ValidationException: Attempting to create an index which already exists"),
    (
        create("new", "c", attributes="d"),
        UNDEFINED + "Keys: [c], AttributeDefinitions: [d]",
    ),
    # AWS wants the definition again, though it knows the attribute.
    (
        updates({"Create": index("new", "b")}),
        INVALID + "AttributeDefinitions is not specified for index: new",
    ),
    (
        create("new", "b", attributes="b:N"),
        INVALID
        + "Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        "defined. Existing schema: Schema:[SchemaElement: key{a:S:HASH}, SchemaElement: "
        "key{b:S:RANGE}] "
        "New schema: Schema:[SchemaElement: key{b:N:HASH}]",
    ),
    # Also where the new index does not use it.
    (
        create("new", "c", attributes="b:N c"),
        INVALID
        + "Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        "defined. Existing schema: Schema:[SchemaElement: key{a:S:HASH}, SchemaElement: "
        "key{b:S:RANGE}] "
        "New schema: Schema:[SchemaElement: key{a:S:HASH}, SchemaElement: key{b:N:RANGE}]",
    ),
    (create("new", "c", projection={}), INVALID + "Unknown ProjectionType: null"),
    (
        create("new", "c", ProvisionedThroughput=UNITS),
        INVALID
        + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: new when BillingMode "
        "is PAY_PER_REQUEST",
    ),
    (
        {"StreamSpecification": {"StreamEnabled": False}},
        REFUSED + "Table has no stream to disable: TableName: tbl",
    ),
    (
        {"StreamSpecification": {"StreamEnabled": True}},
        INVALID + "If stream is being enabled then UpdateViewType is required",
    ),
    (
        {"StreamSpecification": {**KEYS, "StreamEnabled": False}},
        INVALID + "If stream is being disabled, then UpdateViewType must not be specified",
    ),
    (
        {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": UNITS},
        INVALID + "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST",
    ),
    ({"SSESpecification": {"Enabled": False}}, INVALID + "Table is already encrypted by default"),
    ({"SSESpecification": {}}, INVALID + "Table is already encrypted by default"),
    (
        {"TableClass": "COLD"},
        "ValidationException: Invalid table-class parameter provided. Please try again with a "
        "valid table-class "
        "value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ),
    (
        {"WarmThroughput": {"ReadUnitsPerSecond": 11000}},
        INVALID
        + "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, "
        "decreasing WarmThroughput is not supported",
    ),
    (
        {"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]},
        INVALID
        + "ReplicaUpdates cannot be specified: global tables are not supported: this engine is one region.",
    ),
]


@pytest.mark.parametrize(("members", "message"), REFUSED_ON_DEMAND)
def test_a_change_that_aws_refuses_changes_nothing(
    on_demand: Engine, members: dict[str, Any], message: str
) -> None:
    # A refused update must leave the table exactly as it was, also the parts that were fine.
    before = described(on_demand)
    assert failure(on_demand, "UpdateTable", {"TableName": "tbl", **members}) == message
    assert described(on_demand) == before


REFUSED_PROVISIONED: list[tuple[dict[str, Any], str]] = [
    ({"ProvisionedThroughput": UNITS}, will_not_change("table", "the table")),
    (
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS},
        will_not_change("table", "the table"),
    ),
    (updates(set_units("gsi", UNITS)), will_not_change("index gsi", "index gsi")),
    (
        create("new", "c"),
        INVALID + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new",
    ),
    (
        {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
        INVALID
        + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED",
    ),
    (
        updates(
            {"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxWriteRequestUnits": 5}}}
        ),
        INVALID
        + "MaxWriteRequestUnits for OnDemandThroughput for index : gsi cannot be specified when the table "
        "BillingMode is PROVISIONED",
    ),
]


@pytest.mark.parametrize(("members", "message"), REFUSED_PROVISIONED)
def test_a_change_of_throughput_that_aws_refuses(
    provisioned: Engine, members: dict[str, Any], message: str
) -> None:
    # Auto-scaling tools rely on the error for a change that is none.
    assert failure(provisioned, "UpdateTable", {"TableName": "tbl", **members}) == message


ALONE = " must be the only operation in the request"
WARM = {"ReadUnitsPerSecond": 20000}

PAIRS: list[tuple[dict[str, Any], str]] = [
    (
        {"SSESpecification": {"Enabled": True}, "DeletionProtectionEnabled": True},
        "Server-Side Encryption modification",
    ),
    (
        {"SSESpecification": {"Enabled": True}, "TableClass": "STANDARD"},
        "Server-Side Encryption modification",
    ),
    ({"TableClass": "STANDARD", "DeletionProtectionEnabled": True}, "TableClass modification"),
    (
        {"DeletionProtectionEnabled": True, "BillingMode": "PAY_PER_REQUEST"},
        "DeletionProtection modification",
    ),
    (
        {"DeletionProtectionEnabled": True, "WarmThroughput": WARM},
        "DeletionProtection modification",
    ),
    ({"DeletionProtectionEnabled": True, **create("new", "c")}, "DeletionProtection modification"),
    ({"WarmThroughput": WARM, "StreamSpecification": KEYS}, "WarmThroughput"),
]


@pytest.mark.parametrize(("members", "what"), PAIRS)
def test_most_changes_are_made_alone(on_demand: Engine, members: dict[str, Any], what: str) -> None:
    # A tool that sends everything that differs must fail here, not first on AWS.
    before = described(on_demand)
    assert (
        failure(on_demand, "UpdateTable", {"TableName": "tbl", **members}) == INVALID + what + ALONE
    )
    assert described(on_demand) == before


EXCLUDED: list[tuple[dict[str, Any], str]] = [
    (
        {"WarmThroughput": WARM, **create("new", "c")},
        "Create global secondary index cannot be specified when updating WarmThroughput",
    ),
    (
        {"OnDemandThroughput": {"MaxReadRequestUnits": 9}, "StreamSpecification": KEYS},
        "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
    ),
    (
        {"ProvisionedThroughput": TWO, "StreamSpecification": KEYS},
        "You cannot modify stream status while updating table IOPS",
    ),
    (
        {"ProvisionedThroughput": TWO, **updates(delete("gsi"))},
        "You cannot create or delete index while updating table IOPS",
    ),
    (
        {"StreamSpecification": KEYS, **updates(delete("gsi"))},
        "You cannot create or delete index while changing stream status",
    ),
]


@pytest.mark.parametrize(("members", "message"), EXCLUDED)
def test_changes_that_exclude_each_other(
    provisioned: Engine, members: dict[str, Any], message: str
) -> None:
    # The same for the few that have words of their own.
    assert failure(provisioned, "UpdateTable", {"TableName": "tbl", **members}) == INVALID + message


def test_billing_on_demand_goes_with_a_stream_or_a_maximum(provisioned: Engine) -> None:
    # The only pairs that AWS takes, besides changes of indexes.
    update(provisioned, BillingMode="PAY_PER_REQUEST", StreamSpecification=KEYS)
    answer = update(
        provisioned, BillingMode="PAY_PER_REQUEST", OnDemandThroughput={"MaxReadRequestUnits": 9}
    )
    assert answer["OnDemandThroughput"] == {"MaxReadRequestUnits": 9}
    assert described(provisioned)["StreamSpecification"] == KEYS


def test_only_some_changes_make_a_table_updating(on_demand: Engine) -> None:
    # Waiters look at TableStatus; AWS keeps it ACTIVE for these, and shows the old value where it
    # is not done yet.
    answer = update(on_demand, SSESpecification={"Enabled": True})
    assert (answer["TableStatus"], answer["SSEDescription"]["Status"]) == ("ACTIVE", "UPDATING")
    answer = update(on_demand, WarmThroughput=WARM)
    old = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}
    assert (answer["TableStatus"], answer["WarmThroughput"]) == (
        "ACTIVE",
        {**old, "Status": "UPDATING"},
    )
    assert (
        update(on_demand, OnDemandThroughput={"MaxReadRequestUnits": 1})["TableStatus"] == "ACTIVE"
    )
    warm = {"Update": {"IndexName": "gsi", "WarmThroughput": WARM}}
    answer = update(on_demand, **updates(warm))
    (gsi,) = answer["GlobalSecondaryIndexes"]
    assert (answer["TableStatus"], gsi["IndexStatus"], gsi["WarmThroughput"]["Status"]) == (
        *("ACTIVE", "ACTIVE", "UPDATING"),
    )
    maximum = {"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxReadRequestUnits": 5}}}
    (gsi,) = update(on_demand, **updates(maximum))["GlobalSecondaryIndexes"]
    assert (gsi["IndexStatus"], gsi["OnDemandThroughput"]) == (
        "UPDATING",
        {"MaxReadRequestUnits": 5},
    )
    answer = update(on_demand, TableClass="STANDARD_INFREQUENT_ACCESS")
    assert answer["TableStatus"] == "UPDATING"
    assert "TableClassSummary" not in answer


def test_a_maximum_is_taken_away_by_minus_one(on_demand: Engine) -> None:
    # The answer says -1, the description nothing.
    update(on_demand, OnDemandThroughput={"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": 8})
    answer = update(on_demand, OnDemandThroughput={"MaxReadRequestUnits": -1})
    assert answer["OnDemandThroughput"] == {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 8}
    assert described(on_demand)["OnDemandThroughput"] == {"MaxWriteRequestUnits": 8}
    update(on_demand, OnDemandThroughput={"MaxWriteRequestUnits": -1})
    assert "OnDemandThroughput" not in described(on_demand)


def test_what_was_warm_stays_warm(provisioned: Engine) -> None:
    # Warm throughput is the highest that a table or index ever had.
    update(provisioned, ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5})
    update(provisioned, ProvisionedThroughput=UNITS)
    five = {"ReadUnitsPerSecond": 5, "WriteUnitsPerSecond": 5, "Status": "ACTIVE"}
    assert described(provisioned)["WarmThroughput"] == five
    update(provisioned, BillingMode="PAY_PER_REQUEST")
    update(
        provisioned,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=UNITS,
        **updates(set_units("gsi", UNITS)),
    )
    found = described(provisioned)
    for each in (found, found["GlobalSecondaryIndexes"][0]):
        assert each["WarmThroughput"]["ReadUnitsPerSecond"] == 12000


def test_maxima_go_with_on_demand_billing(on_demand: Engine) -> None:
    # Of the table and of its indexes.
    maximum = {"MaxReadRequestUnits": 9}
    update(on_demand, OnDemandThroughput=maximum)
    update(on_demand, **updates({"Update": {"IndexName": "gsi", "OnDemandThroughput": maximum}}))
    update(
        on_demand,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=UNITS,
        **updates(set_units("gsi", UNITS)),
    )
    update(on_demand, BillingMode="PAY_PER_REQUEST")
    found = described(on_demand)
    assert "OnDemandThroughput" not in (found.keys() | found["GlobalSecondaryIndexes"][0].keys())


def test_a_table_does_not_take_the_key_that_it_has(on_demand: Engine) -> None:
    # Only the key's ARN tells AWS so; an alias encrypts again.
    update(on_demand, SSESpecification={"Enabled": True})
    arn = described(on_demand)["SSEDescription"]["KMSMasterKeyArn"]
    again = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": arn}
    assert failure(on_demand, "UpdateTable", {"TableName": "tbl", "SSESpecification": again}) == (
        INVALID
        + "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to "
        "change Master Key"
    )
    update(on_demand, SSESpecification={"Enabled": True})


def test_throughput_that_rises_and_falls_is_remembered(provisioned: Engine, clock: Clock) -> None:
    # AWS limits decreases by the day, so it describes them; the answer still shows the old units.
    clock.now += 10
    answer = update(provisioned, ProvisionedThroughput=TWO)
    assert (answer["TableStatus"], answer["ProvisionedThroughput"]["ReadCapacityUnits"]) == (
        "UPDATING",
        1,
    )
    risen = {**TWO, "NumberOfDecreasesToday": 0, "LastIncreaseDateTime": NOW + 10}
    assert described(provisioned)["ProvisionedThroughput"] == risen
    clock.now += 10
    answer = update(provisioned, ProvisionedThroughput=UNITS)
    assert answer["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    fallen = {
        **UNITS,
        "NumberOfDecreasesToday": 1,
        "LastIncreaseDateTime": NOW + 10,
        "LastDecreaseDateTime": NOW + 20,
    }
    assert described(provisioned)["ProvisionedThroughput"] == fallen
    clock.now += 86400
    assert described(provisioned)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0


def test_billing_goes_on_demand_and_back(provisioned: Engine, clock: Clock) -> None:
    # Going back needs units for the table and every index; the summary remembers when it was on
    # demand.
    clock.now += 5
    answer = update(provisioned, BillingMode="PAY_PER_REQUEST")
    assert answer["GlobalSecondaryIndexes"][0]["IndexStatus"] == "UPDATING"
    assert answer["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    found = described(provisioned)
    since = {"LastUpdateToPayPerRequestDateTime": NOW + 5}
    assert found["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST", **since}
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    update(
        provisioned,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=TWO,
        **updates(set_units("gsi", UNITS)),
    )
    found = described(provisioned)
    assert found["BillingModeSummary"] == {"BillingMode": "PROVISIONED", **since}
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
    assert found["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 1


def test_a_stream_is_turned_on_and_off(on_demand: Engine) -> None:
    # A disabled stream stays the latest one: its readers drain it for a day.
    on = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    answer = update(on_demand, StreamSpecification=on)
    assert answer["StreamSpecification"] == on
    arn = described(on_demand)["LatestStreamArn"]
    message = "ValidationException: Table already has an enabled stream: TableName: tbl"
    assert (
        failure(on_demand, "UpdateTable", {"TableName": "tbl", "StreamSpecification": on})
        == message
    )
    update(on_demand, StreamSpecification={"StreamEnabled": False})
    found = described(on_demand)
    assert "StreamSpecification" not in found
    assert found["LatestStreamArn"] == arn


def test_single_settings_can_be_changed_alone(on_demand: Engine) -> None:
    # Each is enough for an update.
    assert update(on_demand, DeletionProtectionEnabled=True)["DeletionProtectionEnabled"] is True
    update(on_demand, DeletionProtectionEnabled=False)
    update(on_demand, TableClass="STANDARD_INFREQUENT_ACCESS")
    update(on_demand, SSESpecification={"Enabled": True})
    update(on_demand, OnDemandThroughput={"MaxWriteRequestUnits": 9})
    update(on_demand, WarmThroughput={"WriteUnitsPerSecond": 5000})
    found = described(on_demand)
    assert found["DeletionProtectionEnabled"] is False
    assert found["TableClassSummary"] == {
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "LastUpdateDateTime": NOW,
    }
    assert found["SSEDescription"]["SSEType"] == "KMS"
    assert found["OnDemandThroughput"] == {"MaxWriteRequestUnits": 9}
    assert found["WarmThroughput"]["WriteUnitsPerSecond"] == 5000
    update(on_demand, SSESpecification={"Enabled": False})
    assert "SSEDescription" not in described(on_demand)


def test_an_index_is_made_and_deleted(on_demand: Engine) -> None:
    # Definitions that no key uses are let out, as AWS does, and those of a deleted index go with
    # it.
    answer = update(on_demand, **create("new", "c", attributes="c unused"))
    made = answer["GlobalSecondaryIndexes"][-1]
    assert (answer["TableStatus"], made["IndexStatus"], made["Backfilling"]) == (
        "UPDATING",
        "CREATING",
        False,
    )
    found = described(on_demand)
    assert [(gsi["IndexName"], gsi["IndexStatus"]) for gsi in found["GlobalSecondaryIndexes"]] == [
        ("gsi", "ACTIVE"),
        ("new", "ACTIVE"),
    ]
    assert found["AttributeDefinitions"] == definitions("a b c")
    answer = update(on_demand, **updates(delete("new")))
    assert answer["GlobalSecondaryIndexes"][-1]["IndexStatus"] == "DELETING"
    found = described(on_demand)
    assert [gsi["IndexName"] for gsi in found["GlobalSecondaryIndexes"]] == ["gsi"]
    assert found["AttributeDefinitions"] == definitions("a b")


def test_a_deleted_index_no_longer_binds_the_type(on_demand: Engine) -> None:
    # While c is an index key it must be a string; without the index it is an attribute like any
    # other.
    update(on_demand, **create("new", "c"))
    item = {"a": {"S": "1"}, "b": {"S": "1"}, "c": {"N": "7"}}
    assert "Type mismatch for Index Key c" in failure(
        on_demand, "PutItem", {"TableName": "tbl", "Item": item}
    )
    update(on_demand, **updates(delete("new")))
    put(on_demand, item)
    update(on_demand, **create("again", "c"))
    assert scan(on_demand, IndexName="again") == []


def test_an_index_can_be_made_on_the_tables_own_key(on_demand: Engine) -> None:
    # The attribute is defined already, with the same type.
    put(on_demand, {"a": {"S": "1"}, "b": {"S": "2"}})
    update(on_demand, **create("inverted", "b a"))
    assert len(scan(on_demand, IndexName="inverted")) == 1


def test_twenty_indexes_are_enough(engine: Engine) -> None:
    # One below the limit is fine, one above is not.
    engine.call(
        "CreateTable", table(GlobalSecondaryIndexes=[index(f"gsi{n}", "a") for n in range(19)])
    )
    update(engine, **create("last", "a"))
    message = (
        "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes "
        "exceeds per-table limit "
        "of 20"
    )
    assert failure(engine, "UpdateTable", {"TableName": "tbl", **create("more", "a")}) == message
