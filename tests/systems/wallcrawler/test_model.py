"""Wallcrawler's tables, attributes and statuses against literals from its document."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from sortkey_systems.wallcrawler.model import (
    LIFECYCLE,
    ApiKey,
    Context,
    InternalStatus,
    Project,
    Session,
    SessionStatus,
    api_key_hash,
    api_keys,
    contexts,
    model,
    projects,
    sessions,
)

HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"  # of "test"

SESSION: dict[str, Any] = {
    "sessionId": {"S": "sess_4f2a"},
    "status": {"S": "RUNNING"},
    "internalStatus": {"S": "READY"},
    "projectId": {"S": "project_default"},
    "createdAt": {"S": "2025-09-20T10:00:00.000000Z"},
    "updatedAt": {"S": "2025-09-20T10:00:12.500000Z"},
    "startedAt": {"S": "2025-09-20T10:00:12.000000Z"},
    "expiresAt": {"N": "1758366000"},
    "keepAlive": {"BOOL": True},
    "region": {"S": "us-east-1"},
    "publicIP": {"S": "203.0.113.7"},
    "ecsTaskArn": {"S": "arn:aws:ecs:us-east-1:123456789012:task/wallcrawler/0f9d"},
    "connectUrl": {"S": "wss://203.0.113.7:9223/cdp?signingKey=eyJ"},
    "signingKey": {"S": "eyJhbGciOiJIUzI1NiJ9.e30.c2ln"},
    "seleniumRemoteUrl": {"S": "http://203.0.113.7:4444/wd/hub"},
    "contextId": {"S": "ctx_77aa"},
    "contextPersist": {"BOOL": True},
    "contextStorageKey": {"S": "project_default/ctx_77aa/profile.tar.gz"},
    "proxyBytes": {"N": "52428800"},
    "avgCpuUsage": {"N": "12.5"},
    "memoryUsage": {"N": "512"},
    "eventHistory": {
        "L": [
            {
                "M": {
                    "version": {"S": "0"},
                    "id": {"S": "3a5c"},
                    "source": {"S": "aws.ecs"},
                    "detail-type": {"S": "ECS Task State Change"},
                    "time": {"S": "2025-09-20T10:00:12Z"},
                    "resources": {"L": []},
                    "detail": {"M": {"lastStatus": {"S": "RUNNING"}}},
                }
            }
        ]
    },
    "lastEventTimestamp": {"S": "2025-09-20T10:00:12.000000Z"},
    "retryCount": {"N": "1"},
    "userMetadata": {"M": {"ticket": {"N": "17"}, "labels": {"L": [{"S": "ci"}, {"NULL": True}]}}},
}

PROJECT: dict[str, Any] = {
    "projectId": {"S": "project_default"},
    "name": {"S": "Default"},
    "ownerId": {"S": "owner-1"},
    "defaultTimeout": {"N": "3600"},
    "concurrency": {"N": "5"},
    "runningSessions": {"N": "0"},
    "status": {"S": "ACTIVE"},
    "createdAt": {"S": "2025-09-20T09:00:00.000000Z"},
    "updatedAt": {"S": "2025-09-20T09:00:00.000000Z"},
    "billingTier": {"S": "free"},
}

API_KEY: dict[str, Any] = {
    "apiKeyHash": {"S": HASH},
    "keyId": {"S": "key-1"},
    "projectId": {"S": "project_default"},
    "projectIds": {"L": [{"S": "project_b"}, {"S": "project_default"}, {"S": "project_b"}]},
    "name": {"S": "CI"},
    "status": {"S": "ACTIVE"},
    "createdAt": {"S": "2025-09-20T09:00:00.000000Z"},
    "lastUsedAt": {"S": "2025-09-20T10:00:00.000000Z"},
}

CONTEXT: dict[str, Any] = {
    "contextId": {"S": "ctx_77aa"},
    "projectId": {"S": "project_default"},
    "storageKey": {"S": "project_default/ctx_77aa/profile.tar.gz"},
    "createdAt": {"S": "2025-09-20T09:30:00.000000Z"},
    "updatedAt": {"S": "2025-09-20T09:30:00.000000Z"},
    "status": {"S": "CREATED"},
}


def session(**values: Any) -> Session:
    given: dict[str, Any] = {
        "session_id": "sess_1",
        "project_id": "project_default",
        "expires_at": datetime(2025, 9, 20, 11, tzinfo=UTC),
        "signing_key": "eyJ.secret",
        **values,
    }
    return Session(**given)


@pytest.mark.accepts("WC-1")
def test_there_are_exactly_four_tables() -> None:
    # A fifth would need to be deployed, paid for and explained.
    names = [table.name for table in model.tables]
    assert names == [
        "wallcrawler-sessions",
        "wallcrawler-projects",
        "wallcrawler-api-keys",
        "wallcrawler-contexts",
    ]


@pytest.mark.accepts("WC-4", "WC-6", "WC-7", "WC-8")
def test_sessions_are_the_table_of_the_document() -> None:
    # Other programs create and read this table by these names.
    assert sessions.definition() == {
        "TableName": "wallcrawler-sessions",
        "AttributeDefinitions": [
            {"AttributeName": "sessionId", "AttributeType": "S"},
            {"AttributeName": "projectId", "AttributeType": "S"},
            {"AttributeName": "createdAt", "AttributeType": "S"},
            {"AttributeName": "status", "AttributeType": "S"},
            {"AttributeName": "expiresAt", "AttributeType": "N"},
        ],
        "KeySchema": [{"AttributeName": "sessionId", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "projectId-createdAt-index",
                "KeySchema": [
                    {"AttributeName": "projectId", "KeyType": "HASH"},
                    {"AttributeName": "createdAt", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            },
            {
                "IndexName": "status-expiresAt-index",
                "KeySchema": [
                    {"AttributeName": "status", "KeyType": "HASH"},
                    {"AttributeName": "expiresAt", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    }


@pytest.mark.accepts("WC-28", "WC-33", "WC-37")
def test_the_other_tables_are_those_of_the_document() -> None:
    # One key each; only the API keys have an index.
    assert projects.definition() == {
        "TableName": "wallcrawler-projects",
        "AttributeDefinitions": [{"AttributeName": "projectId", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "projectId", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    assert api_keys.definition() == {
        "TableName": "wallcrawler-api-keys",
        "AttributeDefinitions": [
            {"AttributeName": "apiKeyHash", "AttributeType": "S"},
            {"AttributeName": "projectId", "AttributeType": "S"},
        ],
        "KeySchema": [{"AttributeName": "apiKeyHash", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "projectId-index",
                "KeySchema": [{"AttributeName": "projectId", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    assert contexts.definition() == {
        "TableName": "wallcrawler-contexts",
        "AttributeDefinitions": [{"AttributeName": "contextId", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "contextId", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


@pytest.mark.accepts("WC-9", "WC-18")
def test_a_session_with_every_attribute_of_the_document_comes_back_as_it_was() -> None:
    # Names and types are literal: the controller and the processors write the same item.
    assert Session.from_item(SESSION).to_item() == SESSION


@pytest.mark.accepts("WC-29")
def test_a_project_comes_back_as_it_was() -> None:
    # All nine attributes of the document, and the counter that keeps its limit.
    assert Project.from_item(PROJECT).to_item() == PROJECT


@pytest.mark.accepts("WC-34")
def test_an_api_key_comes_back_as_it_was() -> None:
    # projectIds is a list, not a set: a list is what the document has.
    assert ApiKey.from_item(API_KEY).to_item() == API_KEY


@pytest.mark.accepts("WC-37")
def test_a_context_comes_back_as_it_was_and_its_later_states_are_open() -> None:
    # A status that this program does not know yet must not make the context unreadable.
    assert Context.from_item(CONTEXT).to_item() == CONTEXT
    later = {**CONTEXT, "status": {"S": "ARCHIVED"}}
    assert Context.from_item(later).to_item() == later
    assert Context(context_id="ctx_1", project_id="p").status == "CREATED"


@pytest.mark.accepts("WC-9", "WC-29", "WC-34")
def test_optional_attributes_are_left_out_never_empty() -> None:
    # An index on an empty text would be refused, and a reader could not tell unknown from empty.
    assert set(session().to_item()) == {
        "sessionId", "status", "internalStatus", "projectId", "expiresAt", "keepAlive", "signingKey",
        "contextPersist", "proxyBytes", "eventHistory", "retryCount", "userMetadata",
    }  # fmt: skip
    bare = ApiKey(api_key_hash=HASH, project_id="p").to_item()
    assert set(bare) == {"apiKeyHash", "projectId", "projectIds", "status"}
    assert not {"ownerId", "billingTier"} & set(
        Project(project_id="p", name="P", concurrency=1).to_item()
    )


@pytest.mark.accepts("WC-4")
@pytest.mark.parametrize("wrong", ["4f2a", "sess_", "ctx_4f2a", "sess_a/b", ""])
def test_a_session_id_has_its_form(wrong: str) -> None:
    # The id stands in URLs and tokens.
    with pytest.raises(ValidationError):
        session(session_id=wrong)


@pytest.mark.accepts("WC-37")
def test_a_context_id_has_its_form() -> None:
    # It is a folder of the bucket: a slash in it would lead into another tenant's.
    with pytest.raises(ValidationError):
        Context(context_id="../ctx_1", project_id="p")


@pytest.mark.accepts("WC-10", "WC-11")
def test_the_statuses_are_those_of_the_document() -> None:
    # Clients compare with these texts.
    assert get_args(SessionStatus) == ("RUNNING", "COMPLETED", "ERROR", "TIMED_OUT")
    assert set(get_args(InternalStatus)) == {
        "CREATING", "PROVISIONING", "STARTING", "READY", "ACTIVE", "TERMINATING", "STOPPED", "FAILED", "TIMED_OUT",
    }  # fmt: skip
    with pytest.raises(ValidationError):
        session(internal_status="LOST")


@pytest.mark.accepts("WC-12")
@pytest.mark.parametrize(
    ("internal", "shown"),
    [
        ("CREATING", "RUNNING"),
        ("PROVISIONING", "RUNNING"),
        ("STARTING", "RUNNING"),
        ("READY", "RUNNING"),
        ("ACTIVE", "RUNNING"),
        ("TERMINATING", "RUNNING"),
        ("STOPPED", "COMPLETED"),
        ("FAILED", "ERROR"),
        ("TIMED_OUT", "TIMED_OUT"),
    ],
)
def test_status_follows_internal_status(internal: str, shown: str) -> None:
    # Two statuses that disagree would show a stopped browser as running, and the timeout worker
    # would miss it.
    made = session(internal_status=internal)
    assert made.status == shown
    assert made.to_item()["status"] == {"S": shown}
    assert session().changed(internal_status=internal).status == shown


@pytest.mark.accepts("WC-11")
def test_an_end_is_an_end() -> None:
    # A late task event must not revive a session whose browser is gone.
    for end in ("STOPPED", "FAILED", "TIMED_OUT"):
        assert not LIFECYCLE.transitions.get(end)
        assert {"CREATING", "PROVISIONING", "STARTING", "READY", "ACTIVE", "TERMINATING"} == set(
            LIFECYCLE.sources(end)
        )


@pytest.mark.accepts("WC-13", "WC-14")
def test_secrets_do_not_stand_in_what_is_logged() -> None:
    # The signing key opens the browser, and the signed URL contains it.
    shown = repr(session(connect_url="wss://host/cdp?signingKey=eyJ.secret"))
    assert "eyJ.secret" not in shown
    assert "sess_1" in shown


@pytest.mark.accepts("WC-15")
def test_the_context_storage_key_is_made_of_project_and_context() -> None:
    # One place decides where a profile lies, so that a session can never name another tenant's.
    made = session(context_id="ctx_9")
    assert made.context_storage_key == "project_default/ctx_9/profile.tar.gz"
    assert (
        made.context_storage_key
        == Context(context_id="ctx_9", project_id="project_default").storage_key
    )
    assert session().context_storage_key is None


@pytest.mark.accepts("WC-3")
def test_sessions_and_contexts_belong_to_a_project() -> None:
    # What belongs to nobody can be claimed by anybody.
    with pytest.raises(ValidationError):
        Session(session_id="sess_1", expires_at=datetime.now(UTC), signing_key="k")  # type: ignore[call-arg]
    with pytest.raises(ValidationError):
        Context(context_id="ctx_1")  # type: ignore[call-arg]


@pytest.mark.accepts("WC-29")
def test_a_project_is_active_or_inactive() -> None:
    # The authorizer allows ACTIVE alone; a third word would be a hole.
    with pytest.raises(ValidationError):
        Project(project_id="p", name="P", concurrency=1, status="PAUSED")  # type: ignore[arg-type]
    assert Project(project_id="p", name="P", concurrency=1).default_timeout == 3600


@pytest.mark.accepts("WC-41")
def test_the_default_timeout_is_an_hour_and_stored() -> None:
    # Stored, so that a later default does not change the projects that are there.
    assert Project(project_id="p", name="P", concurrency=1).to_item()["defaultTimeout"] == {
        "N": "3600"
    }


@pytest.mark.accepts("WC-32")
def test_only_the_hash_of_a_key_can_be_stored() -> None:
    # Who reads the table must not be able to call the API.
    assert api_key_hash("test") == HASH
    with pytest.raises(ValidationError):
        ApiKey(api_key_hash="wc_live_raw_key", project_id="p")


@pytest.mark.accepts("WC-35")
def test_the_allowed_projects_are_the_primary_and_the_others_each_once() -> None:
    # The authorizer hands this list to the handlers.
    assert ApiKey.from_item(API_KEY).allowed_projects == ("project_default", "project_b")
